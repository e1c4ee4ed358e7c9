//! The commit-graph and the remembered history: commits without inflating them, and which paths
//! they change.

pub(crate) mod bits;
pub(crate) mod block_file;
pub(crate) mod bloom;
mod chain;
pub(crate) mod changed_paths;
pub(crate) mod commit_graph;
pub(crate) mod edges;
mod layer;
pub(crate) mod levels;
pub(crate) mod path_filter;
pub(crate) mod path_history;
mod path_records;
mod path_table;
pub(crate) mod writer;
