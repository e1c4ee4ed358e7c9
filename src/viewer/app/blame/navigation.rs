//! Navigation in history.
//!
//! Every step keeps its view, so that going back restores the file, the position and the
//! attribution. The new view replaces the old one when its text has been read; until then the old
//! one stays usable.

use std::{sync::Arc, time::Duration};

use crate::{
    objects::ObjectId,
    text::thousands::{line_number, thousands},
    viewer::{
        app::{
            blame::{
                reload::FILE_GONE,
                search::Direction,
                view::{LineAttribution, Progress, View},
            },
            commit::context_cache::ContextCache,
            file_history::version_step::VersionStep,
            history::PendingView,
            state::App,
        },
        model::{
            abbreviation::short,
            keys::bindings::Action,
            relative_dates,
            source::{CommitMetadata, Failure, FileVersion},
            texts::{
                line_map::{ChangedPlaces, MappedLine, MappingQuality},
                text::Text,
            },
            toggled_options::ToggledOptions,
        },
        protocol::{BlameJob, Effect, LineRef},
    },
};

/// The message where a line is asked for and there is none.
pub(crate) const EMPTY_FILE: &str = "the file is empty";

/// The answer to a line that is beyond the end of a file of `count` lines.
pub(crate) fn beyond_the_end(count: u32) -> String {
    match count {
        0 => EMPTY_FILE.to_owned(),
        1 => "the file has one line".to_owned(),
        _ => format!("the file has {} lines", thousands(count)),
    }
}

/// Most steps that are kept: the first, where one began, and the latest.
const MAX_VIEWS: usize = 100;

/// Longest duration of a blame after which the next step is computed ahead.
const MAX_PREFETCHED_DURATION: Duration = Duration::from_secs(2);

/// The name of a step at a commit, or before it: the id and the author's date. Ids of parents say
/// nothing: nobody has seen them.
pub(crate) fn step_name(
    before: bool,
    id: &crate::objects::oid,
    metadata: Option<&CommitMetadata>,
) -> String {
    if id.is_null() {
        let name = if before {
            "as committed"
        } else {
            "uncommitted"
        };
        return name.to_owned();
    }
    let before = if before { "before " } else { "" };
    let day = metadata.map_or_else(String::new, |metadata| {
        let author = &metadata.author;
        format!(
            "{DATE_SEPARATOR}{}",
            relative_dates::day(author.time, author.offset)
        )
    });
    format!("{before}{}{day}", short(id))
}

/// The message about a line that the blame leaves out.
pub(super) const UNATTRIBUTED: &str = "this line is not attributed";

/// Separates the date in the name of a step.
const DATE_SEPARATOR: &str = " · ";

/// The name of a step without its date, which says the same.
pub fn without_date(name: &str) -> &str {
    name.split_once(DATE_SEPARATOR)
        .map_or(name, |(name, _)| name)
}

/// The message where a commit that added the file is asked for the version before it.
pub(crate) fn no_earlier_version(commit: &ObjectId) -> String {
    if commit.is_null() {
        return "the file is not committed yet: there is no earlier version".to_owned();
    }
    let commit = short(commit);
    format!("{commit} added the file: there is no earlier version")
}

impl App {
    /// Blames before the selected line's commit, unless that is [refused](App::refusal).
    pub(crate) fn before(&mut self) {
        let Some((view, facts)) = self.selected_attribution() else {
            return self.unattributed(Action::BlameParent);
        };
        let id = facts.commit.id;
        let Some((commit, path)) = facts.origin.previous.clone() else {
            return;
        };
        let from = LineRef {
            version: Self::version_of(view, &facts),
            line: Self::source_line(view, &facts),
        };
        let name = step_name(true, &id, facts.commit.metadata.as_deref().ok());
        let merge_step = Self::merge_step(&facts, &commit, from.clone(), &name);
        self.open(FileVersion::Commit { commit, path }, None, Some(from));
        self.name_step(name);
        if let Some(step) = merge_step {
            self.note_merge_step(step);
        }
    }

    /// Names the version being opened, for the header.
    pub(crate) fn name_step(&mut self, name: String) {
        if let Some(pending) = &mut self.history.pending {
            pending.revision = name;
        }
    }

    /// The version that the user will probably open next: before the selected line's commit. `None`
    /// after a slow blame, since this one would be slow too.
    pub fn likely_step(&self) -> Option<(FileVersion, Arc<ToggledOptions>)> {
        let quick = self.report()?.elapsed <= MAX_PREFETCHED_DURATION;
        let (view, facts) = self.selected_attribution()?;
        let previous = facts.origin.previous.clone();
        let (commit, path) = previous.filter(|_| !self.is_reversed())?;
        let options = self.own_options(view).clone();
        quick.then_some((FileVersion::Commit { commit, path }, options))
    }

    /// Blames at the selected line's commit, unless that is [refused](App::refusal).
    pub(crate) fn blame_at(&mut self) {
        let Some((view, facts)) = self.selected_attribution() else {
            return self.unattributed(Action::BlameCommit);
        };
        let id = facts.commit.id;
        let version = Self::version_of(view, &facts);
        let line = Self::source_line(view, &facts);
        let name = step_name(false, &id, facts.commit.metadata.as_deref().ok());
        self.open(version, Some(line), None);
        self.name_step(name);
    }

    pub(crate) fn selected_attribution(&self) -> Option<(&View, LineAttribution<'_>)> {
        let view = self.view()?;
        Some((view, view.selected()?))
    }

    /// Defers `action` until the selected line is attributed.
    pub(crate) fn unattributed(&mut self, action: Action) {
        if self.view().is_some_and(View::is_running) {
            self.status.waiting = Some(action);
            self.show_message("waiting for this line's commit… Esc cancels");
        } else {
            self.show_message(UNATTRIBUTED);
        }
    }

    /// Performs the deferred action if the selected line is attributed now or never will be.
    pub(crate) fn stop_waiting(&mut self) {
        let Some(view) = self.view() else { return };
        let is_awaited = view.selected().is_none() && view.is_running();
        if let Some(action) = self.status.waiting.take_if(|_| !is_awaited) {
            self.clear_message();
            self.perform(action, None);
        }
    }

    /// The version that a line is attributed to: the visible one if the line is not committed yet.
    pub(crate) fn version_of(view: &View, facts: &LineAttribution<'_>) -> FileVersion {
        if facts.commit.id.is_null() {
            return view.version.clone();
        }
        FileVersion::Commit {
            commit: facts.commit.id,
            path: facts.origin.path.clone(),
        }
    }

    /// The number of the selected line (0-based) in the version that it is attributed to.
    pub(crate) fn source_line(view: &View, facts: &LineAttribution<'_>) -> u32 {
        facts.entry.source_start + (view.pager.position.line - facts.entry.lines.start)
    }

    /// Requests a version, which becomes the next step once it is read. The line that corresponds
    /// to `from` is selected; without it, or if it cannot be mapped, `line`.
    pub(crate) fn open(&mut self, version: FileVersion, line: Option<u32>, from: Option<LineRef>) {
        let (path, revision) = match &version {
            // It has a name in the view that it was first shown in.
            FileVersion::CommandLine => {
                let views = &self.history.views;
                match views.iter().find(|view| view.version == version) {
                    Some(view) => (view.path.clone(), view.revision.clone()),
                    None => return,
                }
            }
            FileVersion::WorkTree { path } | FileVersion::Reloaded { path, .. } => {
                (path.clone(), "work tree".to_owned())
            }
            FileVersion::Commit { commit, path } => (path.clone(), short(commit)),
        };
        let options = match self.view() {
            Some(view) => self.own_options(view).clone(),
            None => self.history.options.clone(),
        };
        // What a view was left from that does not become visible is not returned to.
        self.pages.forget_left(self.view_number());
        self.leave_pages();
        self.request_view(PendingView {
            line,
            from,
            known: self.known_view(&version, &options),
            ..PendingView::new(version, path, revision, options)
        });
    }

    /// Requests a view, which becomes visible once its text is read.
    pub(crate) fn request_view(&mut self, pending: PendingView) {
        self.interrupt();
        let job = self.job(pending.version.clone(), pending.options.clone());
        self.effects.push(Effect::Blame(BlameJob {
            from: pending.from.clone(),
            is_known: pending.known.is_some(),
            ..job
        }));
        self.history.pending = Some(pending);
    }

    /// The complete blame of a commit's version, if a view in the history has it.
    fn known_view(&self, version: &FileVersion, options: &ToggledOptions) -> Option<Box<View>> {
        let mut views = self.history.views.iter();
        let known = views.find(|view| {
            matches!(version, FileVersion::Commit { .. })
                && view.version == *version
                && *view.options == *options
                && view.peels.is_empty()
                && matches!(view.progress, Progress::Finished(_))
        });
        known.map(|view| Box::new(view.clone()))
    }

    /// Interrupts the running blame: the task is needed for another one.
    pub(crate) fn interrupt(&mut self) {
        if let Some(view) = self.view_mut().filter(|view| view.is_running()) {
            view.progress = Progress::Interrupted;
        }
    }

    /// The contents of the pending version were read.
    pub(crate) fn on_blame_started(
        &mut self,
        text: Arc<Text>,
        mapped_line: Option<MappedLine>,
        changes: ChangedPlaces,
    ) {
        // Without a pending version an interrupted blame continues, whose text is visible.
        let Some(pending) = self.history.pending.take() else {
            return;
        };
        if let Some(returning) = pending.returning {
            return self.on_text_read_again(returning, text);
        }
        let id = self.requests.next_id();
        let PendingView {
            version,
            path,
            revision,
            options,
            line,
            reread,
            from,
            is_named,
            known,
            step,
            merge_step,
            notice,
            wants_match,
            returning: _,
        } = pending;
        let mut view = match known {
            Some(known) => known.opened_again(id, revision),
            None => View::new(id, version, path, revision, options, text),
        };
        // A step through the versions may lead to a path that no line comes from.
        let shown = self
            .view()
            .into_iter()
            .chain(self.history.views.iter().rev());
        let mut shown = shown.filter(|shown| step.is_some() || shown.has_path(&view.path));
        if let Some(shown) = shown.next() {
            view.hues = shown.hues.of_history();
        }
        view.freshness.stamp = reread.as_ref().map(|(stamp, _)| stamp.clone());
        view.command_line_commit = self.command_line_commit(&view);
        let is_step = step.is_some();
        view.step = step.map(|step| VersionStep { changes, ..step });
        let before = self.view().map(|view| view.pager.position);
        self.leave_pages();
        if is_step && self.view().is_some_and(|view| view.step.is_some()) {
            // A step through the versions replaces the one before.
            self.history.views.truncate(self.history.current);
        }
        view.merge_step = merge_step;
        let shown = self.view().and_then(|shown| shown.merge_step.as_ref());
        if view
            .merge_step
            .as_ref()
            .zip(shown)
            .is_some_and(|(step, shown)| step.replaces(shown))
        {
            self.history.views.truncate(self.history.current);
        }
        self.step_to(view);
        if reread.is_some() {
            // References and merges may be new.
            self.contexts = ContextCache::default();
        }
        if let (Some(before), Some(mapped_line), true) = (before, mapped_line, is_step) {
            self.follow_line_of_step(before, mapped_line, notice);
            self.search_again();
            return self.go_to_match(wants_match);
        }
        let line = mapped_line.map(|mapped_line| mapped_line.line).or(line);
        if let Some(line) = line {
            let count = self.history.views[self.history.current].text.line_count();
            self.jump(line);
            if line >= count && line > 0 {
                self.show_message(beyond_the_end(count));
            }
        }
        if let Some(mapped_line) = mapped_line {
            match from {
                Some(from) if is_named => self.report_named_place(mapped_line, &from),
                from => self.report_mapped_line(mapped_line, from.as_ref(), reread.is_some()),
            }
        }
        if let Some(words) = notice {
            let of_line = self.status.message.take().filter(|_| mapped_line.is_some());
            self.show_message(match of_line {
                Some(of_line) => format!("{words}; {of_line}"),
                None => words,
            });
        }
        self.report_merge_step();
        if let (Some((_, before)), Some(view)) = (reread, self.view_mut()) {
            // The line stays where it was on the screen.
            let position = &mut view.pager.position;
            position.top = position
                .line
                .saturating_sub(before.line - before.top.min(before.line));
            position.left = before.left;
        }
        self.search_again();
        self.go_to_match(wants_match);
    }

    /// Says where the selection of the new view comes from.
    fn report_mapped_line(
        &mut self,
        mapped_line: MappedLine,
        from: Option<&LineRef>,
        is_reload: bool,
    ) {
        let line = line_number(mapped_line.line);
        if !is_reload {
            self.mark_insertion(mapped_line);
        }
        let is_empty = self.view().is_some_and(|view| view.text.line_count() == 0);
        let new = match from.map(|from| &from.version) {
            Some(FileVersion::Commit { commit, .. }) => short(commit),
            _ => "what is not committed".to_owned(),
        };
        let message = match mapped_line.quality {
            _ if is_empty && is_reload => format!("reloaded; {EMPTY_FILE}"),
            _ if is_empty => EMPTY_FILE.to_owned(),
            MappingQuality::Exact | MappingQuality::Moved if is_reload => {
                format!("reloaded, at line {line}")
            }
            MappingQuality::NoCounterpart(_) | MappingQuality::Replaced if is_reload => {
                format!("reloaded; the line is gone, and this is line {line}")
            }
            MappingQuality::Exact => format!("line {line}"),
            MappingQuality::Moved => format!("moved from line {line}"),
            MappingQuality::Similar(100) => format!("only whitespace changed: line {line}"),
            MappingQuality::Similar(percent) => {
                format!("rewritten; most alike: line {line} ({percent}%)")
            }
            MappingQuality::Replaced => {
                format!("{new} replaced these lines; none is like the one you came from")
            }
            MappingQuality::NoCounterpart(_) => {
                let line = line_number(from.map_or(0, |from| from.line));
                let words = "it was inserted here; {blame-parent} goes on from here";
                format!("line {line} is new in {new}: {}", self.keymap.fill(words))
            }
        };
        self.show_message(message);
    }

    /// As [`report_mapped_line`](Self::report_mapped_line), of a version that may be far from that of the
    /// line: nobody knows which commit between them made the difference.
    fn report_named_place(&mut self, mapped_line: MappedLine, from: &LineRef) {
        let line = line_number(from.line);
        let words = match mapped_line.quality {
            MappingQuality::Replaced => {
                format!("line {line} is not in this version; other lines are in its place")
            }
            MappingQuality::NoCounterpart(_) => {
                format!("line {line} is not in this version; this is its place")
            }
            _ => return self.report_mapped_line(mapped_line, Some(from), false),
        };
        self.mark_insertion(mapped_line);
        self.show_message(words);
    }

    /// Marks where a line that has no counterpart would be.
    fn mark_insertion(&mut self, mapped_line: MappedLine) {
        if let MappingQuality::NoCounterpart(place) = mapped_line.quality
            && let Some(view) = self.view_mut()
        {
            view.insertion = Some((place, mapped_line.line));
        }
    }

    /// The commit of a view of the command line's version, if that is not the work tree.
    fn command_line_commit(&self, view: &View) -> Option<ObjectId> {
        let first = self.environment.repository.command_line_commit;
        match &view.version {
            FileVersion::CommandLine => first,
            FileVersion::Reloaded {
                of_command_line: true,
                ..
            } => first.and(view.freshness.stamp.as_ref()?.head),
            _ => None,
        }
    }

    /// Shows `view` as the next step and drops the later steps.
    pub(crate) fn step_to(&mut self, view: View) {
        let kept = if std::mem::take(&mut self.history.is_before_views) {
            // It takes the place of the first one.
            0
        } else {
            self.history.current + 1
        };
        self.history.views.truncate(kept);
        self.history.views.push(view);
        if self.history.views.len() > MAX_VIEWS {
            self.history.views.remove(1);
        }
        self.history.current = self.history.views.len() - 1;
        self.details.pager.rewind();
        self.drop_far_views();
    }

    /// The pending version cannot be read.
    pub(crate) fn on_blame_failed(&mut self, failure: Failure) {
        self.cancel_pending();
        if self.history.views.is_empty() && self.pages.len() == 0 {
            self.failure = Some(failure.0);
            self.effects.push(Effect::Quit);
            return;
        }
        if failure.is_absent() {
            self.show_filled(FILE_GONE);
        } else {
            self.show_message(failure.0);
        }
        self.resume();
    }

    /// Resumes the visible view's blame if it was interrupted, and cancels anything else.
    pub(crate) fn resume(&mut self) {
        match self.view() {
            Some(view) if view.progress == Progress::Interrupted => {
                let job = self.job(view.version.clone(), view.options.clone());
                self.effects.push(Effect::Blame(job));
                if let Some(view) = self.view_mut() {
                    view.progress = Progress::Running(None);
                }
            }
            Some(view) if view.is_running() => {}
            _ => {
                self.requests.blame_id += 1;
                self.effects.push(Effect::CancelBlame);
            }
        }
    }

    /// Stops the running blame, or continues a stopped one.
    pub(crate) fn stop_or_continue(&mut self) {
        if self.history.pending.is_some() && !self.history.views.is_empty() {
            return self.cancel_step();
        }
        match self.view().map(|view| &view.progress) {
            Some(Progress::Running(_)) => {
                self.interrupt();
                self.requests.blame_id += 1;
                self.effects.push(Effect::CancelBlame);
                let message = self.keymap.fill("stopped; {stop} continues the blame");
                self.show_message(message);
            }
            Some(Progress::Interrupted) => {
                self.resume();
                self.show_message("the blame continues");
            }
            _ => self.show_message("no blame is running"),
        }
    }

    pub(crate) fn search_again(&mut self) {
        let Some(lines) = self.view().map(|view| view.text.line_count()) else {
            return;
        };
        self.search.cancel_jump();
        self.search.restart(lines);
    }

    /// Goes to the next match of the search in the view that was opened, if that was asked for.
    fn go_to_match(&mut self, is_wanted: bool) {
        if is_wanted {
            let lines = self.view().map_or(0, |view| view.text.line_count());
            self.search.take_elsewhere(lines);
            self.search.want_jump(Direction::Forward);
            self.advance_search();
        }
    }
}
