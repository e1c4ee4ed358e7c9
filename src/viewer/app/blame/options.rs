//! Toggling blame options.
//!
//! Each change is a step in the navigation history: the same text is blamed again, and going back
//! restores the previous result.

use std::sync::Arc;

use bstr::BString;

use crate::{
    objects::ObjectId,
    repository::request::ignored_revisions::{ROOT_FILE, lines_to_save},
    text::thousands::counted,
    viewer::{
        app::{
            blame::{
                navigation::UNATTRIBUTED,
                view::{Progress, View},
            },
            file_history::version_step::VersionStep,
            state::{App, STILL_READING, refused},
        },
        model::{
            abbreviation::short, external_commands::IgnoreEntry, keys::bindings::Action,
            toggled_options::ToggledOptions,
        },
        pages::choices::question::Question,
        protocol::Effect,
    },
};

/// The message where a line is of no commit that could be ignored.
pub(super) const NOTHING_TO_IGNORE: &str =
    "this line is not committed yet: there is nothing to ignore";

/// A part of the message where a commit is ignored. How many lines that changes is said once it is known.
const IS_IGNORED: &str = " is ignored:";

impl App {
    /// Toggles an option of the visible view; one with several values, so many times.
    pub(crate) fn toggle_option(&mut self, action: Action, times: u32) {
        let Some(view) = self.view().filter(|_| self.history.pending.is_none()) else {
            return self.show_message(STILL_READING);
        };
        let mut options = ToggledOptions::clone(self.own_options(view));
        if action == Action::SaveIgnored {
            return match self.question_to_save() {
                Ok(question) => self.pages.open(question),
                Err(message) => self.show_message(message),
            };
        }
        let turned = match action {
            Action::Whitespace => options.toggle_whitespace(),
            Action::DetectMoves => options.toggle_moves(),
            Action::DetectCopies => options.cycle_copies(times),
            Action::IgnoreRevsFile => self.toggle_ignore_revs_file(&mut options),
            _ => self.ignore(&mut options),
        };
        match turned {
            Ok((step, message)) => {
                self.blame_again(options, step);
                self.show_message(message);
                self.status.is_of_option = true;
            }
            Err(message) => self.show_filled(&message),
        }
    }

    fn toggle_ignore_revs_file(&self, options: &mut ToggledOptions) -> ToggleResult {
        let Some(file) = &self.environment.ignore_revs_file else {
            return Err(format!("this work tree has no {ROOT_FILE}"));
        };
        options.ignore_revs_file = !options.ignore_revs_file;
        let problem = file.problem.as_ref();
        let problem = problem.map_or(String::new(), |problem| format!("; {problem}"));
        let commits = counted(file.count, "commit");
        Ok(if options.ignore_revs_file {
            (
                "ignore file".to_owned(),
                format!("{ROOT_FILE} ignores {commits}{problem}"),
            )
        } else {
            (
                "no ignore file".to_owned(),
                format!("{commits} of {ROOT_FILE} not ignored"),
            )
        })
    }

    /// Asks whether to add what is ignored in the visible view to the ignore-revs file. If all of
    /// that is there, or nothing is ignored: whether to add the selected line's commit, and to
    /// ignore it.
    fn question_to_save(&self) -> Result<Question, String> {
        let view = self.view().ok_or(STILL_READING)?;
        let list = self.environment.repository.ignore_revs_target.clone();
        let list = list.ok_or("there is no work tree with an ignore-revs file to save it to")?;
        let is_saved = |id: &ObjectId| {
            let mut saved = self.history.saved_ignored.iter();
            saved.any(|(_, entry)| entry.id == *id)
        };
        let mut ids: Vec<ObjectId> = view.options.ignored.iter().copied().collect();
        ids.retain(|id| !is_saved(id));
        let mut ignore = None;
        if ids.is_empty() {
            let mut options = ToggledOptions::clone(&view.options);
            self.ignore(&mut options)?;
            ignore = view.selected().map(|line| line.commit.id);
            ids.extend(ignore);
        }
        let entries = ids.into_iter().map(|id| IgnoreEntry {
            list: list.clone(),
            id,
            summary: self.summary_of(&id),
        });
        let entries: Vec<IgnoreEntry> = entries.collect();
        Ok(Question {
            title: format!("Add to {}?", list.display()),
            lines: entry_lines(&entries),
            yes: "add",
            effects: entries
                .into_iter()
                .map(Effect::AppendIgnoredRevision)
                .collect(),
            ignore,
        })
    }

    /// The summary of a commit that some view knows.
    fn summary_of(&self, id: &ObjectId) -> BString {
        let mut commits = self.history.views.iter().flat_map(View::commits);
        let commit = commits.find(|commit| commit.id == *id);
        let metadata = commit.and_then(|commit| commit.metadata.as_ref().ok());
        let dropped = || self.history.ignored_summaries.get(id).cloned();
        metadata
            .map(|metadata| metadata.summary())
            .or_else(dropped)
            .unwrap_or_default()
    }

    /// Ignores a commit in the visible view.
    pub(crate) fn ignore_commit(&mut self, id: ObjectId) {
        let Some(view) = self.view() else { return };
        let mut options = ToggledOptions::clone(self.own_options(view));
        options.ignored.insert(id);
        self.blame_again(options, format!("ignore {}", short(&id)));
    }

    /// Stores the result of adding a commit to the ignore-revs file.
    pub(crate) fn on_ignored_revision_saved(
        &mut self,
        entry: IgnoreEntry,
        result: Result<bool, String>,
    ) {
        let (list, id) = (entry.list.display(), short(&entry.id));
        let message = match &result {
            Ok(true) => format!("saved {id} to {list}"),
            Ok(false) => format!("{id} is already in {list}"),
            Err(message) => message.clone(),
        };
        self.show_message(message);
        if let (Ok(true), Some(view)) = (result, self.view()) {
            let view = view.id;
            self.history.saved_ignored.push((view, entry));
        }
    }

    /// After going back over views: asks whether to remove from the ignore-revs file what was added
    /// in them. `views` are their numbers.
    pub(crate) fn offer_to_unsave(&mut self, views: &[u64]) {
        let saved = std::mem::take(&mut self.history.saved_ignored);
        let over = |(view, _): &(u64, IgnoreEntry)| views.contains(view);
        let (removed, kept) = saved.into_iter().partition(over);
        self.history.saved_ignored = kept;
        let removed: Vec<(u64, IgnoreEntry)> = removed;
        let entries: Vec<IgnoreEntry> = removed.into_iter().map(|(_, entry)| entry).collect();
        let Some(first) = entries.first() else { return };
        self.pages.open(Question {
            title: format!("Take out of {} again?", first.list.display()),
            lines: entry_lines(&entries),
            yes: "take out",
            effects: entries
                .into_iter()
                .map(Effect::RemoveIgnoredRevision)
                .collect(),
            ignore: None,
        });
    }

    fn ignore(&self, options: &mut ToggledOptions) -> ToggleResult {
        let Some(facts) = self.view().and_then(View::selected) else {
            let is_read = self.view().is_some_and(|view| !view.is_running());
            return Err(refused(is_read, UNATTRIBUTED));
        };
        let id = facts.commit.id;
        if id.is_null() {
            return Err(NOTHING_TO_IGNORE.to_owned());
        }
        if facts.entry.unblamable || options.ignored.contains(&id) {
            let id = short(&id);
            return Err(format!(
                "{id} is already ignored; the line has no earlier counterpart"
            ));
        }
        options.ignored.insert(id);
        let id = short(&id);
        Ok((
            format!("ignore {id}"),
            self.keymap.fill(&format!(
                "{id}{IS_IGNORED} ◇ ◆ another answer, ? by likeness, * none; {{back}} returns"
            )),
        ))
    }

    fn blame_again(&mut self, options: ToggledOptions, step: String) {
        self.interrupt();
        let id = self.requests.next_id();
        let Some(view) = self.view() else { return };
        let view = view.with_options(id, Arc::new(options), step);
        let job = self.job(view.version.clone(), view.options.clone());
        self.step_to(view);
        self.effects.push(Effect::Blame(job));
    }

    /// True if the step changed a line (0-based) of the visible view, or the toggled option its
    /// attribution.
    pub fn is_changed(&self, line: u32) -> bool {
        let step = self.view().and_then(|view| view.step.as_ref());
        let is_peeled = |view: &View| {
            let before = view.peels_of(line).next().map(|peel| peel.commit);
            let now = view.attribution_of(line).map(|facts| facts.commit.id);
            before.zip(now).is_some_and(|(before, now)| before != now)
        };
        let marked = step.and_then(VersionStep::marked);
        if marked.is_some_and(|changes| changes.has(line)) || self.view().is_some_and(is_peeled) {
            return true;
        }
        let view = match self.view() {
            Some(view) if view.toggled_option.is_some() => view,
            _ => return false,
        };
        if let Some(changed) = &view.changed_lines {
            return changed.binary_search(&line).is_ok();
        }
        let before = self.history.current.checked_sub(1);
        let before = before.and_then(|before| self.history.views.get(before));
        before.is_some_and(|before| view.differs(before, line))
    }

    /// The first lines (0-based) of the runs whose commit the toggled option changed; `None` if none led
    /// to the visible view.
    pub(crate) fn starts_of_option(&self) -> Option<Vec<u32>> {
        let view = self.view().filter(|view| view.toggled_option.is_some())?;
        Some(view.starts_of_runs(|line| self.is_changed(line)))
    }

    /// Says how many lines an option has changed, after the message about it.
    pub(crate) fn count_changed_by_option(&mut self) {
        let is_finished = |view: &&View| matches!(view.progress, Progress::Finished(_));
        let before = self.history.current.checked_sub(1);
        let before = before.and_then(|before| self.history.views.get(before));
        let before = before.filter(is_finished).filter(|view| !view.is_dropped);
        let view = self.view().filter(is_finished);
        let message = self.status.message.as_ref();
        let message = message.filter(|_| self.status.is_of_option);
        let (Some(view), Some(before), Some(message)) = (view, before, message) else {
            return;
        };
        let lines = 0..view.text.line_count();
        let count = lines.filter(|line| view.differs(before, *line)).count();
        let lines = match count {
            0 => "no line".to_owned(),
            count => counted(count, "line"),
        };
        let keys = if count > 0 && self.steps_through_option() {
            ": {next-filtered}"
        } else {
            ""
        };
        let words = match message.split_once(IS_IGNORED) {
            Some((id, _)) if count == 0 => {
                format!("{id}{IS_IGNORED} none of its lines is like an older one")
            }
            Some((id, _)) if view.selected().is_some_and(|facts| facts.entry.unblamable) => {
                let none = "nothing before is like this line (*)";
                format!("{id}{IS_IGNORED} {none}; ◇ ◆ {count} others{keys}")
            }
            Some((id, _)) => {
                let marks = "? by likeness, * none";
                format!("{id}{IS_IGNORED} ◇ ◆ another commit ({lines}{keys}), {marks}")
            }
            None if count < 2 => format!("{message}; {lines} has another commit{keys}"),
            None => format!("{message}; {lines} have another commit{keys}"),
        };
        self.show_filled(&words);
    }

    /// The options that are on in the visible view; empty if none is.
    pub fn active_options(&self) -> String {
        let view = self.view();
        view.map_or_else(String::new, |view| self.options_in_words(&view.options))
    }

    /// The options with which the lines of directories are blamed: those of the command line.
    pub(crate) fn directory_options(&self) -> String {
        let options = self.options_in_words(&self.history.options);
        match (self.display.with_generated, options.as_str()) {
            (false, _) => options,
            (true, "") => "generated counted".to_owned(),
            (true, _) => format!("generated counted  {options}"),
        }
    }

    /// As [`active_options`](Self::active_options), then in fewer words, and last only those of the view.
    pub(crate) fn shortened_options(&self) -> [String; 3] {
        let all = self.active_options();
        let named = all.rsplit_once(": ").map(|(named, count)| {
            let doubt = if count.ends_with('!') { "!" } else { "" };
            format!("{named}{doubt}")
        });
        let toggled = self.view().map(|view| view.options.to_string());
        let named = named.unwrap_or_else(|| all.clone());
        [all, named, toggled.unwrap_or_default()]
    }

    fn options_in_words(&self, on: &ToggledOptions) -> String {
        let mut options = on.to_string();
        let file = self.environment.ignore_revs_file.as_ref();
        if let Some(file) = file.filter(|_| on.ignore_revs_file) {
            if !options.is_empty() {
                options.push_str(", ");
            }
            let doubt = if file.problem.is_some() { "!" } else { "" };
            let commits = counted(file.count, "commit");
            options.push_str(&format!("ignore file: {commits}{doubt}"));
        }
        options
    }
}

/// The lines of an ignore-revs file for some entries.
fn entry_lines(entries: &[IgnoreEntry]) -> Vec<String> {
    let lines = entries
        .iter()
        .flat_map(|entry| lines_to_save(&entry.id, &entry.summary));
    lines.collect()
}

/// The step's name in the header and a message, or why nothing was toggled.
type ToggleResult = Result<(String, String), String>;

impl ToggledOptions {
    fn toggle_whitespace(&mut self) -> ToggleResult {
        self.whitespace = !self.whitespace;
        Ok(if self.whitespace {
            labels("-w", "whitespace does not count")
        } else {
            labels("no -w", "whitespace counts again")
        })
    }

    fn toggle_moves(&mut self) -> ToggleResult {
        if self.copies > 0 {
            return Err(
                "-C follows moved lines too; {detect-copies} turns it off in up to three steps"
                    .to_owned(),
            );
        }
        self.moves = !self.moves;
        Ok(if self.moves {
            labels("-M", "moves within the file are followed")
        } else {
            labels("no -M", "lines that moved are not followed")
        })
    }

    fn cycle_copies(&mut self, times: u32) -> ToggleResult {
        self.copies = (self.copies + (times % 4) as u8) % 4;
        Ok(match self.copies {
            0 => labels("no -C", "lines of other files are not followed"),
            1 => labels("-C", "-C: also looks in files the commit changed"),
            2 => labels("-C -C", "-C -C: also all files when this one was added"),
            _ => labels("-C -C -C", "-C -C -C: also all files of all commits"),
        })
    }
}

fn labels(step: &str, message: &str) -> (String, String) {
    (step.to_owned(), message.to_owned())
}
