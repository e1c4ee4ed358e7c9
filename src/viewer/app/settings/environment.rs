//! The repository's properties and settings that the viewer needs.

use std::{ops::Range, path::PathBuf};

use bstr::BString;

use crate::{
    objects::ObjectId,
    viewer::model::{
        toggled_options::IgnoreRevsFile,
        web_links::{UrlTemplates, WebLinks},
    },
};

/// The repository's properties that the viewer needs, read at the start.
#[derive(Debug, Clone)]
pub struct RepositoryInfo {
    /// The commit of
    /// [`FileVersion::CommandLine`](crate::viewer::model::source::FileVersion::CommandLine); `None`
    /// if it is uncommitted.
    pub command_line_commit: Option<ObjectId>,
    /// True if that version can change: it is the work tree, or `HEAD` by a name.
    pub command_line_changes: bool,
    /// The root of the work tree, if there is one.
    pub root: Option<PathBuf>,
    /// The file that
    /// [`Action::SaveIgnored`](crate::viewer::model::keys::bindings::Action::SaveIgnored) appends
    /// to: the last `blame.ignoreRevsFile`, or `.git-blame-ignore-revs`; `None` without a work
    /// tree.
    pub ignore_revs_target: Option<PathBuf>,
    /// git's `core.editor`.
    pub editor: Option<BString>,
    /// Links to the repository's web pages.
    pub web: WebLinks,
}

impl Default for RepositoryInfo {
    fn default() -> Self {
        RepositoryInfo {
            command_line_commit: None,
            command_line_changes: false,
            root: None,
            ignore_revs_target: None,
            editor: None,
            web: WebLinks::new(None, UrlTemplates::default()),
        }
    }
}

/// The repository, and the settings that do not change while the viewer runs.
#[derive(Debug)]
pub struct Environment {
    /// The repository.
    pub repository: RepositoryInfo,
    /// The work tree's `.git-blame-ignore-revs`, if it has one.
    pub ignore_revs_file: Option<IgnoreRevsFile>,
    /// The configured command of `!`, with placeholders.
    pub(crate) command: Vec<String>,
    /// The lines (0-based) of the command line's version that are blamed, if not all are (`-L`).
    pub(crate) ranges: Option<Vec<Range<u32>>>,
    /// True if the command line's blame goes forward (`--reverse`).
    pub(crate) is_reversed: bool,
}
