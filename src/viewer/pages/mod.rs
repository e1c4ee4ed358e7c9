//! What pages are made of, for the state and for drawing.

pub(crate) mod commit_row;
pub mod list;
