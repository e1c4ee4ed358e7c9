//! `--tree`: what stands in a directory, entry by entry.

pub mod json_tree;
pub mod node_order;
pub mod tree_rows;
