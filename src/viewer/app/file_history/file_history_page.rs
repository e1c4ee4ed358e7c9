//! The page that lists the versions of a file.

use crate::{
    engine::{RevisionChange, TextOccurrences},
    sanitize,
    viewer::{
        app::file_history::known_versions::KnownVersions,
        model::{
            abbreviation::short,
            file_history::{KnownRevision, RevisionList},
        },
        pages::{
            commit_row::{author_columns, looking},
            list::{ItemList, Items, KeyHelp, ListRow},
        },
        theme::roles::Foreground,
    },
};

/// The width of the numbers of lines, in columns.
const COUNT_COLUMNS: usize = 11;
/// The width of the bar of added and removed lines.
const BAR_COLUMNS: u32 = 5;

/// The keys of the page.
const KEYS: &[KeyHelp] = &[
    ("{close}  {file-history}", "close"),
    ("{down}  {older-version}", "older"),
    ("{up}  {newer-version}", "newer"),
    (
        "{diff}  {blame-commit}",
        "go there: a step to this version from the visible one",
    ),
    ("{commit-diff}", "whole commit: the diff of all its files"),
    ("{help}", "keys"),
    (
        "{blame-parent}",
        "before: go to the version before this one",
    ),
    ("{copy-id}", "copy id: that of the commit"),
];

/// The page. The versions are the known ones of the history.
#[derive(Debug, Clone, Default)]
pub struct FileHistoryPage {
    /// The list.
    pub list: ItemList,
    /// Whether the rows are the versions that a search found, not all versions.
    pub is_search: bool,
}

impl FileHistoryPage {
    /// The number of rows.
    pub fn row_count(&self, list: &RevisionList) -> usize {
        match self.is_search {
            true => list.found().len(),
            false => list.revisions().len(),
        }
    }

    /// The position of the version in a row.
    pub fn version_in(&self, row: usize, list: &RevisionList) -> Option<usize> {
        match self.is_search {
            true => list.found().get(row).copied(),
            false => (row < list.revisions().len()).then_some(row),
        }
    }
}

/// The versions as a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VersionRows<'a> {
    pub(crate) page: &'a FileHistoryPage,
    pub(crate) known: &'a KnownVersions,
    /// The position of the visible version.
    pub(crate) visible: Option<usize>,
}

impl Items for VersionRows<'_> {
    fn count(&self) -> usize {
        self.page.row_count(&self.known.list)
    }

    fn rows(&self, at: usize, _width: usize) -> Vec<ListRow> {
        let version = self.page.version_in(at, &self.known.list);
        let revision = version.and_then(|at| self.known.list.get(at));
        let mark = match version.is_some() && version == self.visible {
            true => "►",
            false => " ",
        };
        let row = revision.map(|revision| version_row(revision, self.page.is_search, mark));
        row.into_iter().collect()
    }

    fn ending(&self) -> String {
        let list = &self.known.list;
        if let Some(words) = looking(&self.known.progress) {
            return words;
        }
        match (self.page.is_search, list.revisions().last()) {
            (true, _) if list.found().is_empty() => {
                "no version added or removed this text".to_owned()
            }
            (true, _) => String::new(),
            (false, Some(last)) => format!("added in {}", short(&last.commit)),
            (false, None) => "there are no versions".to_owned(),
        }
    }

    fn help(&self) -> (&'static str, &'static [KeyHelp]) {
        ("Versions of the file", KEYS)
    }
}

/// Date, author, numbers of lines and summary of a version.
fn version_row(revision: &KnownRevision, is_search: bool, mark: &'static str) -> ListRow {
    let row = ListRow::new(mark);
    let metadata = match &revision.metadata {
        Ok(metadata) => metadata,
        Err(failure) => {
            let words = format!("{}  {failure}", short(&revision.commit));
            return row.put(words, Foreground::Text);
        }
    };
    let row = author_columns(row, metadata, Foreground::Text);
    let counts = match revision.occurrences {
        Some(occurrences) if is_search => change_of(occurrences),
        _ => counts(revision),
    };
    let row = row.put(format!("{counts:>COUNT_COLUMNS$} "), Foreground::Faint);
    let (added, removed) = bar(revision.added, revision.removed);
    let rest = (BAR_COLUMNS as usize).saturating_sub(added + removed) + 1;
    let mut row = row
        .put("+".repeat(added), Foreground::Added)
        .put("-".repeat(removed), Foreground::Removed)
        .put(" ".repeat(rest), Foreground::Text);
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
    format!("+{} -{}", revision.added, revision.removed)
}

/// How many columns of the bar stand for added and for removed lines. It is longer the more lines changed, by powers of
/// four.
fn bar(added: u32, removed: u32) -> (usize, usize) {
    let total = u64::from(added) + u64::from(removed);
    if total == 0 {
        return (0, 0);
    }
    let columns = u64::from((total.ilog2() / 2 + 1).min(BAR_COLUMNS));
    let columns = match added > 0 && removed > 0 {
        true => columns.max(2),
        false => columns,
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
