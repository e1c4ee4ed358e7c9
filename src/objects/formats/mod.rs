//! The formats of single objects: commits, trees, and the files of loose objects.

pub(crate) mod commit;
pub(crate) mod loose;
pub mod tree;
