//! The diff of two versions of a file, or of all files of a commit, as rows.

use std::sync::Arc;

use bstr::BString;

use crate::{
    objects::ObjectId,
    viewer::model::{
        file_version::{Failure, FileChange, FileVersion},
        texts::{text::Text, word_diff},
    },
};

/// The two versions of a file that are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionPair {
    /// The old version; `None` if the file was added.
    pub old: Option<(ObjectId, Arc<BString>)>,
    /// The new version; `None` if the file was deleted.
    pub new: Option<FileVersion>,
}

impl VersionPair {
    /// The versions of a file that a commit changed, compared with its parent.
    pub(crate) fn new(file: &FileChange, commit: &ObjectId, parent: Option<ObjectId>) -> Self {
        let old = file.old.as_ref().zip(parent);
        VersionPair {
            old: old.map(|((path, _), parent)| (parent, path.clone())),
            new: file.new.as_ref().map(|(path, _)| FileVersion::Commit {
                commit: *commit,
                path: path.clone(),
            }),
        }
    }
}

/// Most files that are compared together.
pub const MAX_PARTS: usize = 500;

/// One of several files that are compared together: the versions in [`Comparison`] are those of all
/// files, one after the other.
#[derive(Debug, Clone)]
pub struct FilePart {
    /// Its index among the files of the commit.
    pub index: usize,
    /// The file, and how it changed.
    pub file: FileChange,
    /// Its versions.
    pub versions: VersionPair,
    /// Their texts.
    pub texts: [Arc<Text>; 2],
    /// The lines of the old and of the new version before this file's.
    pub start: (u32, u32),
    /// Its row, a [`DiffRow::File`].
    pub row: usize,
    /// Why there is no diff of it, if so.
    pub failure: Option<Failure>,
}

/// Two versions of a file and their diff, or those of all files of a commit.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The files, if there may be several.
    pub parts: Vec<FilePart>,
    /// The number of further files, which are not shown.
    pub omitted_files: usize,
    /// The old version.
    pub old: Arc<Text>,
    /// The new version.
    pub new: Arc<Text>,
    /// The rows of the diff.
    pub rows: Vec<DiffRow>,
    /// For each row its counterpart on the other side, if the line may have been rewritten.
    pub counterparts: Vec<Option<u32>>,
    /// Their file modes, if known.
    pub modes: (Option<u32>, Option<u32>),
    /// Similarity in percent of a rename or copy.
    pub similarity: Option<u8>,
    /// True if it is a copy.
    pub copied: bool,
}

/// The name of a function: a part of the line of the old version that starts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionName {
    /// The line (0-based).
    pub line: u32,
    /// The first byte of the name in the line.
    pub start: u32,
    /// The end of the name in the line, in bytes.
    pub end: u32,
}

/// A row of a diff, with 0-based line numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffRow {
    /// The start of a file, by its index in [`Comparison::parts`].
    File(u32),
    /// The start of a hunk after omitted lines.
    HunkHeader {
        /// The next line of the old version.
        old: u32,
        /// The next line of the new version.
        new: u32,
        /// The function that the hunk is in.
        function: Option<FunctionName>,
    },
    /// The end of the files, below which there are others that are not shown.
    OmittedFiles,
    /// A line of both versions.
    Context {
        /// Its number in the old one.
        old: u32,
        /// Its number in the new one.
        new: u32,
    },
    /// A line of the old version.
    Removed(u32),
    /// A line of the new version.
    Added(u32),
}

impl DiffRow {
    /// True if it shows no line of a file.
    pub fn is_heading(self) -> bool {
        matches!(
            self,
            DiffRow::File(_) | DiffRow::HunkHeader { .. } | DiffRow::OmittedFiles
        )
    }

    /// The line of the old version; for a hunk header, the first line after it. `None` for added
    /// lines.
    pub fn old_line(self) -> Option<u32> {
        match self {
            DiffRow::HunkHeader { old, .. }
            | DiffRow::Context { old, .. }
            | DiffRow::Removed(old) => Some(old),
            DiffRow::Added(_) | DiffRow::File(_) | DiffRow::OmittedFiles => None,
        }
    }

    /// The line of the new version; for a hunk header, the first line after it. `None` for removed
    /// lines.
    pub fn new_line(self) -> Option<u32> {
        match self {
            DiffRow::HunkHeader { new, .. }
            | DiffRow::Context { new, .. }
            | DiffRow::Added(new) => Some(new),
            DiffRow::Removed(_) | DiffRow::File(_) | DiffRow::OmittedFiles => None,
        }
    }

    /// The row with its line numbers lowered by those before each side.
    pub(crate) fn minus(self, (old, new): (u32, u32)) -> DiffRow {
        self.numbered(
            |line| line.saturating_sub(old),
            |line| line.saturating_sub(new),
        )
    }

    /// The row with its line numbers raised by those before each side.
    pub(crate) fn plus(self, (old, new): (u32, u32)) -> DiffRow {
        self.numbered(
            |line| line.saturating_add(old),
            |line| line.saturating_add(new),
        )
    }

    /// The row with other line numbers on each side.
    fn numbered(self, of_old: impl Fn(u32) -> u32, of_new: impl Fn(u32) -> u32) -> DiffRow {
        match self {
            DiffRow::File(_) | DiffRow::OmittedFiles => self,
            DiffRow::HunkHeader { old, new, function } => DiffRow::HunkHeader {
                old: of_old(old),
                new: of_new(new),
                function: function.map(|name| FunctionName {
                    line: of_old(name.line),
                    ..name
                }),
            },
            DiffRow::Context { old, new } => DiffRow::Context {
                old: of_old(old),
                new: of_new(new),
            },
            DiffRow::Removed(line) => DiffRow::Removed(of_old(line)),
            DiffRow::Added(line) => DiffRow::Added(of_new(line)),
        }
    }
}

/// Most pairs of lines of a change, and of all changes of a diff, that are compared for what they share.
const MAX_PAIRS: usize = 256;
const MAX_PAIRS_OF_DIFF: usize = 4096;

/// Pairs removed with added rows: first those that differ only in white space. Of as many lines between
/// them, the n-th removed row belongs to the n-th added one; of others, those that have most in common, in
/// order. For each row, the index of its counterpart. `text` is that of a row, by index.
pub(crate) fn counterparts<T: AsRef<[u8]>>(
    rows: &[DiffRow],
    text: impl Fn(usize) -> T,
) -> Vec<Option<u32>> {
    let mut counterparts = vec![None; rows.len()];
    let (mut start, mut compared) = (0, 0);
    while start < rows.len() {
        let count = |from: usize, is: fn(&DiffRow) -> bool| {
            rows[from..].iter().take_while(|row| is(row)).count()
        };
        let removed = count(start, |row| matches!(row, DiffRow::Removed(_)));
        let added = count(start + removed, |row| matches!(row, DiffRow::Added(_)));
        let first_added = start + removed;
        let (olds, news) = (start..first_added, first_added..first_added + added);
        let mut pair = |old: usize, new: usize| {
            counterparts[old] = u32::try_from(new).ok();
            counterparts[new] = u32::try_from(old).ok();
        };
        let same = if olds.is_empty() || news.is_empty() {
            Vec::new()
        } else {
            word_diff::reindented(olds.clone().map(&text), news.clone().map(&text))
        };
        let (mut old, mut new) = (olds.start, news.start);
        // What follows the last of them ends the change.
        for (same_old, same_new, len) in same.into_iter().chain([(removed, added, 0)]) {
            let (olds, news) = (old..olds.start + same_old, new..news.start + same_new);
            let pairs = olds.len().saturating_mul(news.len());
            let most = MAX_PAIRS.min(MAX_PAIRS_OF_DIFF - compared);
            let in_order = if olds.len() == news.len() || pairs > most {
                (0..olds.len().min(news.len())).map(|at| (at, at)).collect()
            } else {
                compared += pairs;
                let common = |old: usize, new: usize| {
                    let (old, new) = (text(olds.start + old), text(news.start + new));
                    word_diff::common_len(old.as_ref(), new.as_ref())
                };
                pairs_in_order(olds.len(), news.len(), common)
            };
            in_order
                .iter()
                .for_each(|(old, new)| pair(olds.start + old, news.start + new));
            (0..len).for_each(|at| pair(olds.end + at, news.end + at));
            (old, new) = (olds.end + len, news.end + len);
        }
        start += (removed + added).max(1);
    }
    counterparts
}

/// Pairs of old and new lines, both in order, that have most in common taken together.
fn pairs_in_order(
    removed: usize,
    added: usize,
    common: impl Fn(usize, usize) -> usize,
) -> Vec<(usize, usize)> {
    // By old and new line: what the pairs from there on have in common at most.
    let mut most = vec![vec![0; added + 1]; removed + 1];
    let mut is_pair = vec![vec![false; added]; removed];
    for old in (0..removed).rev() {
        for new in (0..added).rev() {
            let both = common(old, new);
            let without = most[old + 1][new].max(most[old][new + 1]);
            let with = most[old + 1][new + 1] + both;
            is_pair[old][new] = both > 0 && with >= without;
            most[old][new] = with.max(without);
        }
    }
    let (mut old, mut new) = (0, 0);
    let mut pairs = Vec::new();
    while old < removed && new < added {
        if is_pair[old][new] {
            pairs.push((old, new));
            (old, new) = (old + 1, new + 1);
        } else if most[old + 1][new] >= most[old][new + 1] {
            old += 1;
        } else {
            new += 1;
        }
    }
    pairs
}
