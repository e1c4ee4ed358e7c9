//! The selected commit: details, context, and references in its message.

pub mod commit_context;
pub(crate) mod commit_contexts;
pub mod detail_line;
pub mod details;
pub mod reference_actions;
pub mod word_wrap;
