//! What the formats of a patch are given.

use bstr::{BStr, BString};

use crate::objects::ObjectId;

/// Why a line of an old side is attributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OldLineRole {
    /// The patch removes or changes it.
    Removed,
    /// The patch inserts lines before or after it, and removes none there.
    Neighbour,
}

/// A line of an old side, and where it comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OldLine<'a> {
    pub(crate) role: OldLineRole,
    /// The parent (0-based) of a combined diff.
    pub(crate) parent: Option<usize>,
    /// Its line in the base (0-based).
    pub(crate) line: u32,
    /// The commit that it comes from; the null id if it is not committed.
    pub(crate) commit: ObjectId,
    /// The path of the file in that commit.
    pub(crate) original_path: &'a BStr,
    /// The line there (0-based).
    pub(crate) original_line: u32,
    /// Its bytes without the newline.
    pub(crate) text: &'a [u8],
}

/// A hunk, and what is known of its lines.
#[derive(Debug)]
pub(crate) struct AttributedHunk<'a> {
    /// The path of the file in the base of each old side.
    pub(crate) paths: &'a [Option<BString>],
    /// The header line, with its newline.
    pub(crate) header: &'a [u8],
    /// The lines as they are in the patch, each with the number of the old line that stands for it.
    pub(crate) lines: Vec<(&'a [u8], Option<usize>)>,
    /// The old lines; neighbours may be beyond the hunk.
    pub(crate) old: Vec<OldLine<'a>>,
}

/// How the base of an old side was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum BaseRule {
    /// `--base`, or the range that the patch is made of.
    Given,
    /// The patch names the contents, which the commit has.
    Contents,
    /// The patch names the contents, which are staged or were never committed.
    Uncommitted,
    /// The patch names its commit, of which this is a parent.
    Commit,
    /// Nothing else is known, for this reason: `HEAD`.
    Head(WhyHead),
}

/// Why the base is `HEAD` for lack of a better one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WhyHead {
    /// The patch names no contents.
    Unnamed,
    /// The contents that it names are not in the repository.
    NotStored,
    /// They are, and the histories of the heads do not have them at the path.
    NotInHistory,
    /// The id is that of several contents.
    Ambiguous,
}

impl WhyHead {
    /// The reason in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            WhyHead::Unnamed => "the patch does not say what it applies to",
            WhyHead::NotStored => "the contents that the patch names are not in the repository",
            WhyHead::NotInHistory => {
                "the contents that the patch names were not found in its history"
            }
            WhyHead::Ambiguous => "the id that the patch names is that of several contents",
        }
    }
}

impl BaseRule {
    /// The rule in a word, for programs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            BaseRule::Given => "given",
            BaseRule::Contents => "contents",
            BaseRule::Uncommitted => "uncommitted",
            BaseRule::Commit => "commit",
            BaseRule::Head(_) => "head",
        }
    }
}

/// The base of an old side of a file.
#[derive(Debug, Clone)]
pub(crate) struct PatchBase {
    /// The path in the base.
    pub(crate) path: BString,
    /// The parent (0-based) of a combined diff.
    pub(crate) parent: Option<usize>,
    /// The commit; that below uncommitted contents.
    pub(crate) commit: ObjectId,
    pub(crate) rule: BaseRule,
}
