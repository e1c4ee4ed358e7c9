//! What stands in a directory, entry by entry, with the lines of its files.

pub mod node;
pub mod tree_nodes;
