//! From options and arguments to the request that the engine is given.

pub mod arguments;
mod commit_bounds;
pub(crate) mod history_limiting;
pub mod ignored_revisions;
pub(crate) mod line_ranges;
mod named_commits;
pub mod options;
pub mod prepare;
