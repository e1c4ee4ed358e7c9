//! What the viewer knows of its environment.

use std::path::PathBuf;

use bstr::BString;

use crate::{
    objects::ObjectId,
    viewer::model::{
        switches::IgnoreRevsFile,
        web_links::{UrlTemplates, WebLinks},
    },
};

/// What the viewer knows of what is around it.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The commit that [`FileVersion::CommandLine`] is; none for what is not committed.
    pub start: Option<ObjectId>,
    /// The commit that `HEAD` is.
    pub head: Option<ObjectId>,
    /// The work tree's root, if there is a work tree.
    pub root: Option<PathBuf>,
    /// The list that commits are saved to, if there is a work tree.
    pub ignore_list: Option<PathBuf>,
    /// What the configuration of git says is the editor.
    pub editor: Option<BString>,
    /// The repository on the web.
    pub web: WebLinks,
}

impl Default for Surroundings {
    fn default() -> Self {
        Surroundings {
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
    pub around: Surroundings,
    /// The work tree's own file of ignored revisions, if it has one.
    pub ignored_file: Option<IgnoreRevsFile>,
    /// The command that `!` runs, with placeholders.
    pub(crate) command: Vec<String>,
}
