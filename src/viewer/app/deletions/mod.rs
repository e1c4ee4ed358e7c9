//! The marks where lines were deleted.

pub(crate) mod deletion_actions;
pub mod deletion_marks;
