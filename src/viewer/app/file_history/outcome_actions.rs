//! The outcome of the selected line: the next commit that changed it.

use std::sync::Arc;

use crate::{
    text::thousands::line_number,
    viewer::{
        app::{blame::navigation::step_name, file_history::version_step::VersionStep, state::App},
        model::{
            abbreviation::short,
            background::line_outcome::{LineOutcome, LineOutcomeQuery},
            relative_dates,
            source::{CommitMetadata, Failure, FileVersion},
            texts::line_map::{ChangedPlaces, MappingQuality},
        },
        protocol::LineRef,
    },
};

impl App {
    /// Asks for the next commit that changed the selected line.
    pub(crate) fn find_next_change(&mut self) {
        if self.is_reversed() {
            return self.show_message("this blame goes forward already");
        }
        let Some(view) = self.view() else { return };
        let line = view.pager.position.line;
        if let Some((_, by)) = &view.deleted {
            let words = format!("deleted {by}: it ends there; select a line to follow another");
            return self.show_message(words);
        }
        let query = LineOutcomeQuery {
            version: view.version.clone(),
            line,
            whitespace: view.options.whitespace,
        };
        self.requests.outcome = Some(self.ask(query));
        self.show_message("looking for what became of this line… Esc cancels");
    }

    /// Goes to the commit that changed the line, or to the line in HEAD.
    pub(crate) fn on_line_outcome(&mut self, id: u64, found: Result<LineOutcome, Failure>) {
        if self
            .requests
            .outcome
            .take_if(|asked| *asked == id)
            .is_none()
        {
            return;
        }
        let outcome = match found {
            Ok(outcome) => outcome,
            Err(failure) => return self.show_message(failure.0),
        };
        let last = FileVersion::Commit {
            commit: outcome.last.commit,
            path: Arc::clone(&outcome.last.path),
        };
        let line = outcome.last.line;
        let author = outcome.metadata.as_deref().map(|metadata| &metadata.author);
        let year = author.map(|author| relative_dates::within(4, author.time, author.offset));
        let year = year.map_or(String::new(), |year| format!(" in {year}"));
        let is_merge = |metadata: &CommitMetadata| !metadata.merge_parents.is_empty();
        let merge = outcome.metadata.as_deref().is_some_and(is_merge);
        let merge = if merge { "merge " } else { "" };
        let by = |commit| format!("by {merge}{}{year}", short(commit));
        let (next, path) = outcome.next.unzip();
        let Some((commit, path)) = next.zip(path.flatten()) else {
            let words = if outcome.is_at_head {
                format!("still there: line {} at HEAD", line_number(line))
            } else if let Some(written) = &outcome.other_branch {
                let written = short(written);
                format!("HEAD does not descend from {written}, which wrote this line")
            } else if let Some(commit) = &next {
                format!("deleted with the file {}", by(commit))
            } else {
                let last = short(&outcome.last.commit);
                format!("last seen in {last}: HEAD does not have it")
            };
            let is_here = self.view().is_some_and(|view| {
                view.version == last || view.command_line_commit == Some(outcome.last.commit)
            });
            if is_here {
                return self.show_message(words);
            }
            let name = if outcome.is_at_head {
                "HEAD".to_owned()
            } else {
                step_name(false, &outcome.last.commit, None)
            };
            self.open(last, Some(line), None);
            self.name_step(name);
            if let Some(pending) = &mut self.history.pending {
                pending.notice = Some(words);
            }
            return;
        };
        let name = step_name(false, &commit, outcome.metadata.as_deref());
        let by = by(&commit);
        let next = FileVersion::Commit { commit, path };
        let known = self.history.versions.as_ref();
        let place = known.and_then(|known| Some((known.id, known.position(&next)?)));
        let from = known.zip(self.view());
        let from = from.and_then(|(known, view)| known.position_of_view(view));
        let step = VersionStep {
            // No list has this number.
            list: place.map_or(0, |(list, _)| list),
            at: place.map_or(0, |(_, at)| at),
            from,
            is_newer: true,
            changes: ChangedPlaces::default(),
            marks_changes: true,
        };
        let before = LineRef {
            version: last,
            line,
        };
        self.open(next, Some(line), Some(before));
        self.name_step(name);
        if let Some(pending) = &mut self.history.pending {
            pending.step = Some(step);
            pending.notice = Some(by);
        }
    }
}

/// The words for the change of a line by a commit, which `by` names. Its counterpart is `line`
/// (0-based).
pub(super) fn outcome_in_words(quality: MappingQuality, line: u32, by: &str) -> String {
    let number = line_number(line);
    match quality {
        MappingQuality::Exact => format!("changed {by}: line {number}"),
        MappingQuality::Moved => format!("moved {by}: line {number}"),
        MappingQuality::Similar(100) => format!("only whitespace changed {by}: line {number}"),
        MappingQuality::Similar(percent) => {
            format!("changed {by}: line {number} ({percent}% alike)")
        }
        MappingQuality::Replaced => format!("replaced {by}; no line there is like it"),
        MappingQuality::NoCounterpart(_) => format!("deleted {by}"),
    }
}
