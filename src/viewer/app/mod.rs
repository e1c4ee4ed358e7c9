//! The state of the viewer, and the one function that changes it.

pub(crate) mod actions;
pub mod blame;
pub mod commit;
pub mod diff;
pub mod display;
pub mod external_actions;
pub(crate) mod mouse;
pub mod overlays;
pub mod state;
