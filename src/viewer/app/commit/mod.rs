//! The selected commit: details, context, and references in its message.

pub(crate) mod context_cache;
pub mod detail_line;
pub mod details;
pub(crate) mod line_change_cache;
mod line_changes;
pub mod reference_actions;
