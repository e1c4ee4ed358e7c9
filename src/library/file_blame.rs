//! What the library returns of a blamed file.

use std::sync::Arc;

use super::{edits::EditedFile, entries::BlameEntry, file_text::FileText};

/// A blame of one file. Iterate over it for the entries.
#[derive(Debug, Clone)]
pub struct FileBlame {
    pub(super) text: FileText,
    pub(super) entries: Arc<Vec<BlameEntry>>,
    pub(super) is_complete: bool,
    pub(super) warnings: Vec<String>,
    pub(super) edited: Arc<EditedFile>,
}

impl FileBlame {
    /// The entries in the order of their lines. They cover every line, or the lines asked for,
    /// once; if the blame is not [complete](FileBlame::is_complete), some of them.
    pub fn entries(&self) -> &[BlameEntry] {
        &self.entries
    }

    /// The entry of a line (0-based), if it was blamed.
    pub fn entry_at(&self, line: u32) -> Option<&BlameEntry> {
        let after = self
            .entries
            .partition_point(|entry| entry.lines().end <= line);
        let entry = self.entries.get(after)?;
        entry.lines().contains(&line).then_some(entry)
    }

    /// The text that was blamed, and its lines.
    pub fn text(&self) -> &FileText {
        &self.text
    }

    /// False if the callback of [`stream`](crate::BlameBuilder::stream) stopped the blame.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Warnings and errors that did not end the blame, in git's words.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl IntoIterator for FileBlame {
    type Item = BlameEntry;
    type IntoIter = std::vec::IntoIter<BlameEntry>;

    fn into_iter(self) -> Self::IntoIter {
        Arc::unwrap_or_clone(self.entries).into_iter()
    }
}

impl<'a> IntoIterator for &'a FileBlame {
    type Item = &'a BlameEntry;
    type IntoIter = std::slice::Iter<'a, BlameEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

/// What is found of a file while it is blamed.
#[derive(Debug)]
#[non_exhaustive]
pub enum BlameItem {
    /// The text whose lines are blamed. It comes first. If the repository turns out to be damaged
    /// before the first entry, the blame begins anew, and a text that differs comes again.
    Text(FileText),
    /// Lines whose origin is found.
    Entry(BlameEntry),
    /// The committer's date of the commit that the blame has come to, in seconds since 1970-01-01
    /// 00:00 UTC: lines that are still open are about as old or older. It comes often.
    Frontier(i64),
}
