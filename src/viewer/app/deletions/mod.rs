//! The marks where lines were deleted.

mod deletion_actions;
pub mod deletion_marks;
