//! Revision syntax and references.

pub(crate) mod ancestors;
pub(crate) mod explain;
pub(crate) mod refs;
pub mod resolver;
