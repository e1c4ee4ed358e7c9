//! What a patch says about one file.

use bstr::{BStr, BString};

use crate::patch::hunk::PatchHunk;

/// A file of a patch, with its hunks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PatchedFile {
    /// Its name on each old side, in the order of the parents; one, unless the diff is combined.
    /// Without a name there is no file.
    pub old: Vec<Option<PatchName>>,
    /// Its name on the new side.
    pub new: Option<PatchName>,
    /// The abbreviated ids of the contents on each old side, from an `index` line.
    pub old_blobs: Vec<BString>,
    /// The commit that the patch is of, in hexadecimal, from a line of `git show` or of a mail.
    pub commit: Option<BString>,
    /// The parent that it is compared with, where that line names it.
    pub parent: Option<BString>,
    /// The contents are binary, so that there are no hunks.
    pub is_binary: bool,
    /// The file was renamed or copied.
    pub is_renamed: bool,
    /// The lines of the patch end in CR LF, those of its headers included.
    pub has_crlf: bool,
    /// The hunks, in order.
    pub hunks: Vec<PatchHunk>,
}

impl PatchedFile {
    /// The abbreviated id of the contents on an old side, if the patch names it.
    pub fn old_blob(&self, parent: usize) -> Option<&BStr> {
        let blob = self.old_blobs.get(parent)?;
        (!is_null(blob)).then_some(blob.as_ref())
    }

    /// True if the patch says that an old side has no such file.
    pub fn is_absent(&self, parent: usize) -> bool {
        let is_unnamed = self.old.get(parent).is_none_or(Option::is_none);
        is_unnamed || self.old_blobs.get(parent).is_some_and(|blob| is_null(blob))
    }
}

/// True for the id that stands for no contents.
fn is_null(id: &[u8]) -> bool {
    id.iter().all(|&digit| digit == b'0')
}

/// A name in a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchName {
    /// As written, unquoted.
    pub path: BString,
    /// How many leading directories are not part of the path: the `a/` and `b/` of git.
    pub prefix: PrefixUse,
}

/// What is known about the first directory of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrefixUse {
    /// It belongs to the path.
    None,
    /// It is one such as `a/`.
    First,
    /// Either; the files that there are have to tell.
    Unknown,
}
