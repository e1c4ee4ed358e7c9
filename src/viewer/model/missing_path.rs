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
    /// How it was deleted; `None` if it was only removed from the work tree.
    pub deletion: Option<PathDeletion>,
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
        let Some(deletion) = &self.deletion else {
            return "removed from the work tree, but not from HEAD".to_owned();
        };
        let author = &deletion.author;
        let name = sanitize::line(&author.name);
        let day = relative_dates::day(author.time, author.offset);
        match &deletion.renamed_to {
            Some(path) => format!("renamed to {} by {name} on {day}", sanitize::line(path)),
            None => format!("deleted by {name} on {day}"),
        }
    }

    /// The commit that deleted it, with its summary.
    pub fn commit(&self) -> Option<String> {
        let deletion = self.deletion.as_ref()?;
        let summary = sanitize::line(&deletion.summary);
        Some(format!("{} {summary}", short(&deletion.commit)))
    }

    /// The name of the version that has it.
    pub fn revision(&self) -> String {
        match &self.deletion {
            Some(deletion) => format!("before {}", short(&deletion.commit)),
            None => "HEAD".to_owned(),
        }
    }
}
