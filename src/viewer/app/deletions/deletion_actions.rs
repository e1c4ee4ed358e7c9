//! Showing and hiding the marks, and opening the lines of one.

use crate::{
    sanitize,
    text::thousands::{counted, thousands},
    viewer::{
        app::{deletions::deletion_marks::DeletionMarks, state::App},
        model::{
            background::{
                deletions::DeletionQuery, line_history::HistoryProgress, queries::QueryKind,
                query::Answer,
            },
            relative_dates,
        },
    },
};

/// The message until all deletions are known.
const LOOKING: &str = "looking for deleted lines; ▁ marks where they were…";

/// The message where there are none.
pub(crate) const NO_DELETIONS: &str = "no deleted lines were found";

/// What can be done with marks.
const PLACE_KEYS: &str =
    "deleted lines (▁): {next-filtered} next, {diff} shows them, {deletions} ends";

impl App {
    /// Shows or hides the marks where lines were deleted.
    pub(crate) fn toggle_deletions(&mut self) {
        if self.view().is_none() {
            return;
        }
        if self.display.deletions {
            self.display.deletions = false;
            self.history.deletions = None;
            self.cancel(QueryKind::Deletions);
            return self.show_message("deleted lines are not marked any more");
        }
        if self.is_reversed() {
            return self.show_message("this blame goes forward: it marks no deleted lines");
        }
        self.display.deletions = true;
        self.show_message(LOOKING);
    }

    /// Asks for the deletions of the visible view if they are to be marked and not known. A blame
    /// that runs is not slowed down by it: it ends first.
    pub(crate) fn request_deletions(&mut self) {
        if !self.display.deletions || self.history.pending.is_some() || self.is_reversed() {
            return;
        }
        let Some(view) = self.view().filter(|view| !view.is_running()) else {
            return;
        };
        let query = DeletionQuery {
            version: view.version.clone(),
            whitespace: view.options.whitespace,
        };
        let known = self.history.deletions.as_ref();
        if known.is_some_and(|known| known.query == query) {
            return;
        }
        let id = self.ask(query.clone());
        self.history.deletions = Some(DeletionMarks::new(id, query));
    }

    /// Stores a part of the deletions.
    pub(crate) fn on_deletions(&mut self, id: u64, answer: Answer<DeletionQuery>) {
        let known = self.history.deletions.as_mut();
        let Some(known) = known.filter(|known| known.id == id) else {
            return;
        };
        match answer {
            Answer::Found(found) => {
                known.add(found.deletions);
                if found.frontier.is_some() {
                    known.progress = HistoryProgress::Running(found.frontier);
                }
            }
            Answer::Ended(Ok(whole)) => {
                known.progress = HistoryProgress::Finished(whole);
                let message = match known.place_count() {
                    0 => NO_DELETIONS.to_owned(),
                    1 => format!("1 place has {PLACE_KEYS}"),
                    count => format!("{} places have {PLACE_KEYS}", thousands(count)),
                };
                let shown = self.status.message.as_deref();
                let is_none = known.place_count() == 0;
                if shown == Some(LOOKING) || is_none && shown.is_none() {
                    self.show_filled(&message);
                }
            }
            Answer::Ended(Err(failure)) => {
                let message = failure.0.clone();
                known.progress = HistoryProgress::Failed(failure);
                self.show_message(message);
            }
        }
    }

    /// The marks of the visible view, if they are shown.
    pub fn deletion_marks(&self) -> Option<&DeletionMarks> {
        let (known, view) = (self.history.deletions.as_ref()?, self.view()?);
        let is_shown = self.display.deletions && known.query.version == view.version;
        is_shown.then_some(known)
    }

    /// The words about the mark at the selected line: how many lines, by whom and when.
    pub fn deletions_in_words(&self) -> Option<String> {
        let (marks, view) = (self.deletion_marks()?, self.view()?);
        let line = view.pager.position.line;
        let newest = marks.at(line).next()?;
        let count = counted(marks.line_count(line), "line");
        let place = marks.place_in_words(line);
        let last = match marks.at(line).count() {
            1 => "",
            _ => ", last",
        };
        let metadata = newest.change.metadata.as_ref().ok();
        let by = metadata.map_or(String::new(), |metadata| {
            let author = &metadata.author;
            let year = relative_dates::within(4, author.time, author.offset);
            format!("{last} in {year} by {}", sanitize::line(&author.name))
        });
        Some(format!("{count} deleted {place}{by}"))
    }
}
