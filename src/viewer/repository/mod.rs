//! The source of the viewer on a git repository.

pub mod commit_files;
mod counted_tree;
mod deletions;
mod directory;
pub(crate) mod directory_history;
mod directory_lines;
mod file_history;
mod file_names;
pub mod git_history;
pub mod git_source;
mod idle_history;
mod line_changes;
mod line_history;
mod line_outcome;
pub mod named_places;
pub(crate) mod places;
mod provenance;
mod untracked;
mod versions;
pub mod walks;
