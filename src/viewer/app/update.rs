//! The update function: applies a message to the state and returns effects.

use crate::viewer::{
    app::{
        blame::view::Progress,
        state::{App, Dragged},
    },
    model::{
        background::queries::{QueryEvent, QueryKind, StateAnswer},
        keys::{
            bindings::Action,
            key::{Key, KeyCode},
            keymap::KeyLookup,
        },
    },
    pages::page::{Handled, Page, PageKind},
    protocol::{
        BlameEvent, BlameEventKind, Effect, HighlightJob, HighlightedLines, LOOKAHEAD_LINES,
        Message,
    },
};

/// Maximum count before a key.
const MAX_COUNT: u32 = 999_999_999;

/// Applies a message to the state and returns the effects to run. Nothing else changes the state.
pub fn update(app: &mut App, message: Message) -> Vec<Effect> {
    match message {
        Message::Key(key) => app.key(key),
        Message::Mouse(mouse) => app.mouse(mouse),
        Message::Click(target) => app.click(target),
        Message::Paste(text) => app.paste(&text),
        Message::Resize(width, height) => {
            app.size = (width, height);
            // The columns of the histogram are other dates then.
            let is_of_dates = |dragged: &mut Dragged| matches!(dragged, Dragged::Dates { .. });
            app.dragging.take_if(is_of_dates);
        }
        Message::Blame(event) => app.on_blame_event(event),
        Message::Peeled(id, found) => app.on_peeled(id, found),
        Message::Diff(event) => app.on_diff_event(event),
        Message::Query(id, event) => app.on_query_event(id, event),
        Message::Highlight(lines) => app.on_highlighted(lines),
        Message::Poll => app.on_poll(),
        Message::Now(now) => app.now = now,
        Message::ExternalCommandEnded(message) => app.on_command_ended(message),
        Message::ContinueWork => {
            app.advance_search();
            app.advance_diff_search();
            app.work_on_pages();
        }
        Message::ShowStatus(message) => app.show_message(message),
        Message::Fetch(event) => app.on_fetch_event(event),
        Message::Themes { names, current } => app.open_themes(names, current),
        Message::ThemeFailed(message) => app.on_theme_failed(message),
        Message::IgnoredRevisionSaved(entry, result) => {
            app.on_ignored_revision_saved(entry, result)
        }
        Message::SettingsSaved(changes, result) => app.on_settings_saved(&changes, result),
    }
    app.finish_update();
    std::mem::take(&mut app.effects)
}

impl App {
    /// Handles what came back for a query, by the number of the query.
    fn on_query_event(&mut self, id: u64, event: QueryEvent) {
        if event.is_end() {
            self.requests.running.retain(|_, query| query.id != id);
        }
        let answer = match event {
            QueryEvent::Page(answer) => return self.offer_answer(id, answer),
            QueryEvent::State(answer) => answer,
        };
        match answer {
            StateAnswer::CommitContext(answer) => self.contexts.insert(id, answer.end()),
            StateAnswer::Stamp(answer) => self.on_stamp(id, answer.end()),
            StateAnswer::Place(answer) => self.on_place(id, answer.end()),
            StateAnswer::Unstaged(answer) => self.on_unstaged(id, answer.end()),
            StateAnswer::FileHistory(answer) => self.on_file_history(id, answer),
            StateAnswer::LineOutcome(answer) => self.on_line_outcome(id, answer.end()),
            StateAnswer::ParentFiles(answer) => self.on_parent_files(id, answer.end()),
            StateAnswer::Deletions(answer) => self.on_deletions(id, answer),
            StateAnswer::Origins(answer) => self.on_origins(id, answer),
            StateAnswer::OldLines(answer) => self.on_old_lines(id, answer),
            StateAnswer::Provenance(answer) => {
                self.provenance.insert(id, answer.end());
                self.prove_waiting_filter();
            }
            StateAnswer::LineChange(answer) => self.on_line_change(id, answer.end()),
            StateAnswer::Functions(answer) => self.on_functions(id, answer.end()),
            StateAnswer::Conversion(answer) => self.on_conversion(id, answer.end()),
        }
    }

    /// Handles a key: by the topmost page if it is for that, otherwise by its binding.
    fn key(&mut self, key: Key) {
        let is_offered = self.status.offer.is_some();
        let accepted = self.accept_offer(key);
        let is_tab = key == Key::plain(KeyCode::Tab);
        let missed = is_tab.then(|| self.missed_pattern()).flatten();
        self.clear_message();
        if let Some(pattern) = missed {
            return self.search_versions(&pattern);
        }
        if is_offered && key == Key::plain(KeyCode::Char('n')) {
            return;
        }
        let is_asked = self.pages.top_kind() == Some(PageKind::Question);
        if is_asked && self.offer_key(key) == Handled::Yes {
            return;
        }
        if let Some(effect) = accepted {
            return self.effects.push(effect);
        }
        let versions = self.history.versions.as_mut();
        let waited = versions.is_some_and(|known| known.waiting.take().is_some());
        let asked = self.requests.outcome.take().is_some();
        if asked {
            self.cancel(QueryKind::LineOutcome);
        }
        let waited = asked || waited;
        let is_refused = self.status.refused.take().is_some();
        if is_refused && key.code == KeyCode::Escape {
            return self.show_message("cancelled");
        }
        if self.status.waiting.take().is_some() || waited {
            // Another key may replace the message.
            self.show_message("cancelled");
            if key.code == KeyCode::Escape {
                return;
            }
        }
        if self.offer_key(key) == Handled::Yes {
            self.status.count = None;
            self.status.prefix.clear();
            return;
        }
        self.bound_key(key);
    }

    /// Performs the action bound to a key, or adds a digit to the count.
    fn bound_key(&mut self, key: Key) {
        let count = &mut self.status.count;
        if let KeyCode::Char(c @ '0'..='9') = key.code
            && !key.ctrl
            && !key.alt
            && self.status.prefix.is_empty()
            && (c != '0' || count.is_some())
        {
            let digit = u32::from(c) - u32::from('0');
            let before = count.unwrap_or(0);
            *count = Some(
                before
                    .saturating_mul(10)
                    .saturating_add(digit)
                    .min(MAX_COUNT),
            );
            return;
        }
        let is_prefixed = !self.status.prefix.is_empty();
        let started = count.is_some() || is_prefixed;
        let is_closed = started && self.keymap.action(key) == Some(Action::Close);
        if is_closed || is_prefixed && key.is_interrupt() {
            self.status.count = None;
            self.status.prefix.clear();
            return;
        }
        self.status.prefix.push(key);
        match self.keymap.lookup(&self.status.prefix) {
            KeyLookup::Action(action) => {
                let count = self.status.count.take();
                self.perform(action, count);
                self.status.prefix.clear();
            }
            KeyLookup::Prefix => {}
            KeyLookup::Unbound => {
                self.status.count = None;
                self.nothing_here();
                self.status.prefix.clear();
            }
        }
    }

    /// Pastes the first line of a text that is not blank.
    fn paste(&mut self, text: &str) {
        let mut lines = text.split(['\n', '\r']);
        let text = lines.find(|line| !line.trim().is_empty()).unwrap_or("");
        self.let_top_act(|page, app| page.paste(text, app));
    }

    fn on_blame_event(&mut self, event: BlameEvent) {
        if event.id != self.requests.blame_id {
            return;
        }
        self.on_blame_event_kind(event.kind);
        self.stop_waiting();
    }

    fn on_blame_event_kind(&mut self, kind: BlameEventKind) {
        let pending = self.history.pending.is_some();
        match kind {
            BlameEventKind::Kept(kinds) => {
                for kind in kinds {
                    self.on_blame_event_kind(kind);
                }
            }
            BlameEventKind::Started {
                text,
                mapped_line,
                changes,
                encoding,
                tab_width,
            } => {
                self.on_blame_started(text, mapped_line, changes);
                if let Some(view) = self.view_mut().filter(|_| pending) {
                    view.declared_encoding = encoding;
                    view.declared_tab_width = tab_width;
                    self.hint_at_encoding();
                }
            }
            BlameEventKind::Failed(failure) if pending => self.on_blame_failed(failure),
            // `Started`, which brings the text, is always first.
            _ if pending => {}
            BlameEventKind::Batch(batch) => {
                if let Some(view) = self.view_mut() {
                    view.add(batch);
                }
            }
            BlameEventKind::Progress(frontier) => self.progress(Progress::Running(Some(frontier))),
            BlameEventKind::Finished(report) => {
                self.progress(Progress::Finished(report));
                self.prove_waiting_filter();
                self.count_changed_by_option();
            }
            BlameEventKind::Failed(failure) => self.progress(Progress::Failed(failure)),
        }
    }

    fn progress(&mut self, progress: Progress) {
        if let Some(view) = self.view_mut() {
            view.progress = progress;
        }
    }

    fn on_highlighted(&mut self, highlighted: HighlightedLines) {
        let id = highlighted.text_id;
        for (job, done) in &mut self.requests.highlight {
            *done |= highlighted.last && job.text_id == id;
        }
        let views = &mut self.history.views;
        let mut diffs = self.pages.all_diffs_mut();
        if let Some((lines, count)) = diffs.find_map(|diff| diff.version_with_text_id(id)) {
            lines.insert(highlighted, count);
        } else if let Some(view) = views.iter_mut().find(|view| view.text_id == id) {
            let count = view.text.line_count();
            view.highlights.insert(highlighted, count);
        }
    }

    /// Restores the invariants after a message: the selection is visible, visible lines are or get
    /// highlighted, unfinished searches and the work of pages continue.
    fn finish_update(&mut self) {
        self.follow_tour();
        self.show_encoding();
        self.apply_tab_width();
        if let Some(view) = self.view_mut() {
            let line = view.pager.position.line;
            view.deleted.take_if(|(selected, _)| *selected != line);
        }
        self.fit_details();
        self.reveal();
        self.reveal_diff();
        self.reveal_details();
        if let (Some(search), Some(view)) = (self.search.get_mut(), self.history.view()) {
            search.match_commits(view);
            if !view.is_running() {
                search.go_on_as_text();
            }
        }
        self.request_first_stamp();
        self.request_context();
        self.request_provenance();
        self.perform_refused();
        self.refresh_pages();
        self.cancel_unawaited();
        self.request_deletions();
        self.request_origins();
        self.request_old_lines();
        self.request_unstaged();
        self.request_emptying();
        self.request_line_change();
        let jobs = self.lines_to_highlight();
        let asked = |job| {
            self.requests
                .highlight
                .iter()
                .any(|(asked, _)| asked == job)
        };
        if !jobs.iter().all(asked) {
            self.effects.push(Effect::Highlight(jobs.clone()));
            self.requests.highlight = jobs.into_iter().map(|job| (job, false)).collect();
        }
        let diff = self.diff();
        let has_work = !self.search.is_complete()
            || diff.is_some_and(|diff| !diff.search.is_complete())
            || self.pages.iter().any(Page::has_work);
        if has_work {
            self.effects.push(Effect::ContinueWork);
        }
    }

    /// Highlight jobs for the visible lines, unless they are highlighted. Lines beyond them follow
    /// when the blame is done, which needs the processors until then.
    fn lines_to_highlight(&self) -> Vec<HighlightJob> {
        if let Some(diff) = self.diff() {
            return diff.wanted_highlights(self.diff_rows());
        }
        let Some(view) = self.view() else {
            return Vec::new();
        };
        let rows = u32::from(self.layout().code.height);
        let (top, count) = (view.pager.position.top, view.text.line_count());
        let wanted = top..(top + rows).min(count);
        let lookahead = if view.is_running() {
            0
        } else {
            LOOKAHEAD_LINES
        };
        let needed = top..wanted.end.saturating_add(lookahead / 2);
        if view.highlights.covers(&needed, count) {
            return Vec::new();
        }
        vec![HighlightJob {
            text_id: view.text_id,
            text: view.text.clone(),
            path: view.path.clone(),
            wanted: vec![wanted],
            lookahead,
        }]
    }
}
