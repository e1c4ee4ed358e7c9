//! The view of a commit's diff.

pub(crate) mod diff_actions;
pub mod diff_header;
pub(crate) mod diff_keys;
pub mod diff_view;
