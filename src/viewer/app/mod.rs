//! The state of the viewer, and the one function that changes it.

pub(crate) mod actions;
pub mod blame;
pub mod commit;
mod copying;
pub mod deletions;
pub mod diff_view;
pub mod display;
pub(crate) mod external_actions;
pub mod file_history;
mod filter;
pub mod guide;
pub mod history;
pub(crate) mod mouse;
pub mod old_lines;
pub mod origins;
pub(crate) mod prompt_history;
pub(crate) mod provenance;
pub(crate) mod requests;
pub mod settings;
pub mod state;
pub mod update;
