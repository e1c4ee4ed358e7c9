//! The arguments of the viewer.

use std::{ops::Range, path::PathBuf, sync::Arc};

use bstr::BString;

use crate::viewer::{
    app::{guide::hints::KeyHints, settings::environment::RepositoryInfo},
    config::settings::Config,
    model::{
        missing_path::MissingPath,
        source::FileVersion,
        toggled_options::{IgnoreRevsFile, ToggledOptions},
    },
};

/// The arguments of the viewer.
#[derive(Debug, Clone)]
pub struct ViewerArguments {
    /// The path of the file, from the root of the tree.
    pub path: BString,
    /// Opens this directory instead of a file.
    pub directory: Option<FileVersion>,
    /// With `directory`: opens the list of the places that an input names, in place of the directory.
    pub places: bool,
    /// Which of these places are listed, in words; empty for all of them.
    pub place_filter: String,
    /// With `directory`: a path that is not there, and the version that has it.
    pub missing: Option<MissingPath>,
    /// The name of the revision for the header: `HEAD`, `work tree`, `v1.2`.
    pub revision: String,
    /// The line to select (0-based).
    pub line: Option<u32>,
    /// The blamed lines (0-based), if not all are (`-L`).
    pub ranges: Option<Vec<Range<u32>>>,
    /// True if the blame goes forward (`--reverse`).
    pub is_reversed: bool,
    /// The current time, in seconds since the epoch.
    pub now: i64,
    /// The blame options that can be switched in the viewer.
    pub options: ToggledOptions,
    /// The work tree's `.git-blame-ignore-revs`, if it has one.
    pub ignore_revs_file: Option<IgnoreRevsFile>,
    /// The bytes that views which were left may have together, before some of them are dropped.
    pub max_len: usize,
    /// The repository.
    pub repository: RepositoryInfo,
    /// What the status line says at first.
    pub notice: Option<String>,
    /// Start with the tour.
    pub tour: bool,
    /// The key hints in the status line, if they are on.
    pub hints: Option<KeyHints>,
    /// The configuration.
    pub config: Arc<Config>,
    /// The path of the configuration file, which need not exist.
    pub config_file: Option<PathBuf>,
}
