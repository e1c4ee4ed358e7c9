//! The public interface of the engine: request, sink, result, errors and profile.

pub(crate) mod blame;
pub(crate) mod blame_cache;
pub(crate) mod deletions;
pub(crate) mod directory_history;
pub(crate) mod error;
pub(crate) mod file_history;
pub(crate) mod last_commits;
pub(crate) mod line_history;
pub(crate) mod profile;
pub(crate) mod request;
pub(crate) mod tree;
