//! The source of the viewer on a git repository.

pub mod commit_files;
pub mod git_history;
pub mod git_source;
pub(crate) mod places;
