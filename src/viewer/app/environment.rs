//! The repository and settings around the viewer.

use std::path::PathBuf;

use bstr::BString;

use crate::{
    objects::ObjectId,
    viewer::model::{
        switches::IgnoreRevsFile,
        web_links::{UrlTemplates, WebLinks},
    },
};

/// The repository and settings around the viewer.
#[derive(Debug, Clone)]
pub struct RepositoryInfo {
    /// The commit of [`FileVersion::CommandLine`](crate::viewer::model::source::FileVersion::CommandLine); `None` if it is uncommitted.
    pub start: Option<ObjectId>,
    /// The commit that `HEAD` is.
    pub head: Option<ObjectId>,
    /// The work tree's root, if there is a work tree.
    pub root: Option<PathBuf>,
    /// The ignore file, if there is a work tree.
    pub ignore_list: Option<PathBuf>,
    /// git's `core.editor`.
    pub editor: Option<BString>,
    /// Links to the repository's web pages.
    pub web: WebLinks,
}

impl Default for RepositoryInfo {
    fn default() -> Self {
        RepositoryInfo {
            start: None,
            head: None,
            root: None,
            ignore_list: None,
            editor: None,
            web: WebLinks::new(None, UrlTemplates::default()),
        }
    }
}

/// What surrounds the viewer while it runs.
#[derive(Debug)]
pub struct Environment {
    /// The repository and its surroundings.
    pub repository: RepositoryInfo,
    /// The work tree's own file of ignored revisions, if it has one.
    pub ignored_file: Option<IgnoreRevsFile>,
    /// The command that `!` runs, with placeholders.
    pub(crate) command: Vec<String>,
}
