//! The selected commit: details, context, and references in its message.

pub(crate) mod context_cache;
pub mod detail_line;
pub mod details;
pub mod reference_actions;
