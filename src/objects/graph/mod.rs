//! The commit-graph: commits without inflating them, and the filters of changed paths.

pub(crate) mod block_file;
pub(crate) mod bloom;
pub(crate) mod changed_paths;
pub(crate) mod commit_graph;
pub(crate) mod edges;
pub(crate) mod writer;
