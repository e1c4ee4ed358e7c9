//! The parts that rows of commits have in common.

use crate::{
    objects::ObjectId,
    sanitize,
    viewer::{
        model::{
            abbreviation::short,
            background::line_history::HistoryProgress,
            relative_dates,
            source::{CommitMetadata, Failure},
        },
        pages::list::{KeyHelp, ListRow},
        theme::roles::Foreground,
    },
};

/// Stands before the name of what is not as in HEAD.
pub(crate) const UNCOMMITTED_MARK: &str = "*";

/// The help for it.
pub(crate) const UNCOMMITTED_HELP: KeyHelp = (
    UNCOMMITTED_MARK,
    "contents not as in HEAD: the last change is that of HEAD, and new lines are of nobody yet",
);

/// The width of the authors, in columns.
const AUTHOR_COLUMNS: usize = 16;

/// What stands before a name.
pub(crate) fn uncommitted_mark(is_uncommitted: bool) -> &'static str {
    if is_uncommitted {
        UNCOMMITTED_MARK
    } else {
        " "
    }
}

/// Adds the date and the author's name, in a column of its width.
pub(crate) fn author_columns(
    row: ListRow,
    metadata: &CommitMetadata,
    foreground: Foreground,
) -> ListRow {
    let author = &metadata.author;
    let date = relative_dates::day(author.time, author.offset);
    let name = sanitize::clip(&author.name, AUTHOR_COLUMNS);
    let missing = AUTHOR_COLUMNS.saturating_sub(sanitize::width(name.as_bytes()));
    row.put(format!("{date} "), Foreground::Date)
        .put(name + &" ".repeat(missing), foreground)
}

/// Adds a commit that cannot be read, and why.
pub(crate) fn unreadable(row: ListRow, commit: &ObjectId, failure: &Failure) -> ListRow {
    let failure = sanitize::line(failure.0.as_bytes());
    row.put(format!("{}  {failure}", short(commit)), Foreground::Text)
}

/// The line below the last commit, unless everything was found.
pub(crate) fn looking(progress: &HistoryProgress) -> Option<String> {
    Some(match progress {
        HistoryProgress::Running(None) => "looking…".to_owned(),
        HistoryProgress::Running(Some(date)) => {
            format!("looking before {}…", relative_dates::day(*date, 0))
        }
        HistoryProgress::Failed(failure) => sanitize::line(failure.0.as_bytes()),
        HistoryProgress::Finished(false) => "older history is not looked at".to_owned(),
        HistoryProgress::Finished(true) => return None,
    })
}
