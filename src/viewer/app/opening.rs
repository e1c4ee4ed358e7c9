//! What the viewer is opened with.

use std::{path::PathBuf, sync::Arc};

use bstr::BString;

use crate::viewer::{
    app::{environment::RepositoryInfo, overlays::hints::KeyHints},
    config::settings::Config,
    model::switches::{IgnoreRevsFile, Switches},
};

/// What the viewer is opened with.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The path that is blamed, from the root of the tree.
    pub path: BString,
    /// The revision, in words: `HEAD`, `work tree`, `v1.2`.
    pub revision: String,
    /// The line to select (0-based).
    pub line: Option<u32>,
    /// The time, in seconds since the epoch.
    pub now: i64,
    /// How the blame is switched.
    pub switches: Switches,
    /// The work tree's own list of commits to look through, if it has one.
    pub ignored_file: Option<IgnoreRevsFile>,
    /// What is around the viewer.
    pub repository: RepositoryInfo,
    /// It begins with the tour.
    pub tour: bool,
    /// What the foot of the screen teaches, if it does.
    pub hints: Option<KeyHints>,
    /// What is set.
    pub config: Arc<Config>,
    /// The file that it is set in, or would be.
    pub config_file: Option<PathBuf>,
}
