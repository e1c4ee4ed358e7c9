//! Requests for external commands, and for files outside of the repository.

use std::{ffi::OsString, path::PathBuf, sync::Arc};

use bstr::BString;

use crate::{objects::ObjectId, viewer::model::texts::text::Text};

/// A file to be opened in the editor.
#[derive(Debug, Clone)]
pub struct EditRequest {
    /// The work tree's root.
    pub root: PathBuf,
    /// The file's path in the work tree, then alternatives in case it does not exist.
    pub paths: Vec<BString>,
    /// The viewed version of the file, from which `line` is mapped to the current one.
    pub text: Arc<Text>,
    /// The line of `text` (0-based).
    pub line: u32,
    /// git's `core.editor`.
    pub configured: Option<BString>,
}

impl PartialEq for EditRequest {
    fn eq(&self, other: &Self) -> bool {
        (&self.root, &self.paths, self.line) == (&other.root, &other.paths, other.line)
    }
}

impl Eq for EditRequest {}

/// A program that runs in the terminal while the viewer is suspended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExternalCommand {
    /// Edit a file.
    Edit(EditRequest),
    /// Run a program with its arguments.
    Run(Vec<OsString>),
}

/// A commit to be appended to a list file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoreEntry {
    /// The list file.
    pub list: PathBuf,
    /// The commit's id.
    pub id: ObjectId,
    /// The commit's summary.
    pub summary: BString,
}
