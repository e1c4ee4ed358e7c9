//! A path that the command line names, and that is there no longer.

use bstr::BString;

use crate::{
    objects::ObjectId,
    sanitize,
    viewer::model::{abbreviation::short, relative_dates, source::Signature},
};

/// A file or directory that is not in the requested version, and the newest one that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingPath {
    /// The path from the root of the tree.
    pub path: BString,
    /// The commit that has it: the parent of the one that deleted it.
    pub version: ObjectId,
    /// True for a directory.
    pub is_directory: bool,
    /// The line (0-based) that the command line names, if any.
    pub line: Option<u32>,
    /// What became of it.
    pub fate: PathFate,
}

/// What became of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathFate {
    /// A commit deleted it.
    Deleted(PathDeletion),
    /// It is not in the work tree, but still in the index.
    Removed,
    /// It is in neither, but still in HEAD.
    Unstaged,
    /// The index has it at another path.
    RenamedInIndex(BString),
    /// It is in the index, and the work tree has it at another path, which is intended to be added.
    RenamedInWorkTree(BString),
    /// A sparse checkout leaves it out of the work tree.
    LeftOut,
}

/// The commit that deleted a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathDeletion {
    /// The commit.
    pub commit: ObjectId,
    /// Its author.
    pub author: Signature,
    /// The first line of its message.
    pub summary: BString,
    /// The path to which the commit moved it, if it did.
    pub renamed_to: Option<BString>,
}

impl MissingPath {
    /// What became of it: `deleted by Ann on 2022-03-01`.
    pub fn fate(&self) -> String {
        let deletion = match &self.fate {
            PathFate::Deleted(deletion) => deletion,
            PathFate::Removed => {
                return "removed from the work tree, but not from the index".to_owned();
            }
            PathFate::Unstaged => {
                return "removed from the work tree and the index, but not from HEAD".to_owned();
            }
            PathFate::RenamedInIndex(path) => {
                return format!("renamed to {} in the index", sanitize::line(path));
            }
            PathFate::RenamedInWorkTree(path) => {
                return format!("renamed to {} in the work tree", sanitize::line(path));
            }
            PathFate::LeftOut => {
                return "left out of the work tree by a sparse checkout".to_owned();
            }
        };
        let author = &deletion.author;
        let name = sanitize::line(&author.name);
        let day = relative_dates::day(author.time, author.offset);
        match &deletion.renamed_to {
            Some(path) => format!("renamed to {} by {name} on {day}", sanitize::line(path)),
            None => format!("deleted by {name} on {day}"),
        }
    }

    /// The deletion, if a commit deleted it.
    pub fn deletion(&self) -> Option<&PathDeletion> {
        match &self.fate {
            PathFate::Deleted(deletion) => Some(deletion),
            _ => None,
        }
    }

    /// Where it is without a commit that moved it there.
    pub fn renamed_now(&self) -> Option<&BString> {
        match &self.fate {
            PathFate::RenamedInIndex(path) | PathFate::RenamedInWorkTree(path) => Some(path),
            _ => None,
        }
    }

    /// The path to which it was moved.
    pub fn renamed_to(&self) -> Option<&BString> {
        let of_commit = self.deletion().and_then(|it| it.renamed_to.as_ref());
        of_commit.or(self.renamed_now())
    }

    /// The commit that deleted it, with its summary.
    pub fn commit(&self) -> Option<String> {
        let deletion = self.deletion()?;
        let summary = sanitize::line(&deletion.summary);
        Some(format!("{} {summary}", short(&deletion.commit)))
    }

    /// The name of the version that has it.
    pub fn revision(&self) -> String {
        match self.deletion() {
            Some(deletion) => format!("before {}", short(&deletion.commit)),
            None => "HEAD".to_owned(),
        }
    }
}
