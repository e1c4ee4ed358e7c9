//! The rows of the list of versions.

use crate::{
    engine::{RevisionChange, TextOccurrences},
    sanitize,
    text::thousands::thousands,
    viewer::{
        model::background::file_history::KnownRevision,
        pages::{
            commit_row::{author_columns_of, author_within, unreadable},
            list::ListRow,
        },
        theme::roles::Foreground,
    },
};

/// The width of the numbers of lines, in columns.
const COUNT_COLUMNS: usize = 11;

/// The width of the bar of added and removed lines.
const BAR_COLUMNS: u32 = 5;

/// The fewest columns of a row with numbers: the subject is worth more, and the bar says about as much.
const MIN_WIDTH_FOR_COUNTS: usize = 60;

/// The width of authors in narrower rows, in columns.
const NARROW_AUTHOR_COLUMNS: usize = 8;

/// Stands before the subject of the version that the blame shows.
const SHOWN_MARK: &str = "► ";

/// Date, author, numbers of lines and summary of a version, of whose authors the longest name has a
/// width, in a row of a width.
pub(super) fn version_row(
    revision: &KnownRevision,
    is_search: bool,
    is_shown: bool,
    (longest, width): (usize, usize),
) -> ListRow {
    let row = ListRow::new(" ");
    let metadata = match &revision.metadata {
        Ok(metadata) => metadata,
        Err(failure) => return unreadable(row, &revision.commit, failure),
    };
    let is_narrow = width < MIN_WIDTH_FOR_COUNTS;
    let commit = (&revision.commit, &**metadata);
    let columns = if is_narrow {
        NARROW_AUTHOR_COLUMNS
    } else {
        let numbers = COUNT_COLUMNS + BAR_COLUMNS as usize + 2;
        author_columns_of(longest, width - numbers)
    };
    let row = author_within(row, commit, Foreground::Author, columns);
    let counts = match revision.occurrences {
        Some(occurrences) if is_search => change_of(occurrences),
        _ => counts(revision),
    };
    let counts = if is_narrow {
        " ".to_owned()
    } else {
        format!("{counts:>COUNT_COLUMNS$} ")
    };
    let row = row.put(counts, Foreground::Faint);
    let (added, removed) = bar(revision.added, revision.removed);
    let rest = (BAR_COLUMNS as usize).saturating_sub(added + removed) + 1;
    let mut row = row
        .put("+".repeat(added), Foreground::Added)
        .put("-".repeat(removed), Foreground::Removed)
        .put(" ".repeat(rest), Foreground::Text);
    if is_shown {
        row = row.put(SHOWN_MARK, Foreground::Mark);
    }
    if says_merge(revision, &metadata.message) {
        row = row.put("merge ", Foreground::Mark);
    }
    if let (RevisionChange::Renamed, Some((_, path))) = (revision.change, &revision.previous) {
        let words = format!("was {} ", sanitize::line(path));
        row = row.put(words, Foreground::Mark);
    }
    row.put(sanitize::line(&metadata.summary()), Foreground::Text)
}

/// How many occurrences of a text a version adds or removes.
fn change_of(occurrences: TextOccurrences) -> String {
    let TextOccurrences {
        count, previous, ..
    } = occurrences;
    match count.checked_sub(previous) {
        Some(0) => String::new(),
        Some(added) => format!("adds {added}"),
        None => format!("removes {}", previous - count),
    }
}

/// True for a merge whose message does not begin with that word.
pub(crate) fn says_merge(revision: &KnownRevision, message: &[u8]) -> bool {
    revision.is_merge && !message.starts_with(b"Merge")
}

/// The numbers of added and removed lines in words.
pub(crate) fn counts(revision: &KnownRevision) -> String {
    format!(
        "+{} -{}",
        thousands(revision.added),
        thousands(revision.removed)
    )
}

/// How many columns of the bar stand for added and for removed lines. It is longer the more lines
/// changed, by powers of four.
fn bar(added: u32, removed: u32) -> (usize, usize) {
    let total = u64::from(added) + u64::from(removed);
    if total == 0 {
        return (0, 0);
    }
    let columns = u64::from((total.ilog2() / 2 + 1).min(BAR_COLUMNS));
    let columns = if added > 0 && removed > 0 {
        columns.max(2)
    } else {
        columns
    };
    let added_columns = (u64::from(added) * columns).div_ceil(total);
    let most = columns - u64::from(removed > 0);
    let added_columns = added_columns.min(most);
    (added_columns as usize, (columns - added_columns) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_show_how_much_changed() {
        assert_eq!(bar(0, 0), (0, 0));
        assert_eq!(bar(1, 0), (1, 0));
        assert_eq!(bar(1, 1), (1, 1));
        assert_eq!(bar(0, 9), (0, 2));
        assert_eq!(bar(100, 1), (3, 1));
        assert_eq!(bar(1, 100), (1, 3));
        assert_eq!(bar(u32::MAX, u32::MAX), (3, 2));
    }
}
