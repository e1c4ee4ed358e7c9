//! What other programs, or files beside the repository, are wanted for.

use std::{ffi::OsString, path::PathBuf, sync::Arc};

use bstr::BString;

use crate::{objects::ObjectId, viewer::model::text::Text};

/// A file to be opened in the editor.
#[derive(Debug, Clone)]
pub struct Edit {
    /// The work tree's root.
    pub root: PathBuf,
    /// The file's path in the work tree, and others to be tried if it is gone.
    pub paths: Vec<BString>,
    /// The text whose line is meant; the file may have changed since.
    pub text: Arc<Text>,
    /// The line of the text (0-based).
    pub line: u32,
    /// What the configuration of git says is the editor.
    pub configured: Option<BString>,
}

impl PartialEq for Edit {
    fn eq(&self, other: &Self) -> bool {
        (&self.root, &self.paths, self.line) == (&other.root, &other.paths, other.line)
    }
}

impl Eq for Edit {}

/// Something for which the terminal is handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Errand {
    /// Edit a file.
    Edit(Edit),
    /// Run a program with its arguments.
    Run(Vec<OsString>),
}

/// A commit to be saved to a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Save {
    /// The list.
    pub list: PathBuf,
    /// The commit.
    pub id: ObjectId,
    /// Its subject.
    pub subject: BString,
}
