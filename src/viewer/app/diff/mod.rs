//! The view of a commit's diff.

pub(crate) mod diff_actions;
pub mod diff_header;
pub(crate) mod diff_requests;
pub mod diff_view;
