//! The versions of a file, as `git log --follow` lists its commits.
//!
//! - A commit made a version if its file differs from that of every parent, in contents, mode or
//!   path; also if no parent has the file, where the history ends.
//! - If the file of a parent is the same, the first such parent alone is followed, as
//!   `git log -- FILE` simplifies history. Otherwise every parent that has the file is followed.
//! - Each version is followed under its own path, where `git log --follow` has one path for all
//!   branches at a time. Renames are those of a blame: the most similar file of the parent that the
//!   commit lacks.

pub(crate) mod file_walk;
mod occurrences;
pub(crate) mod parent_files;
pub(crate) mod revisions;
pub(crate) mod version_visitor;
