//! The history of the visible file: the page that lists its versions, the steps between them, and what became of a line.

mod file_history_actions;
pub mod file_history_page;
pub mod known_versions;
mod outcome_actions;
mod step_actions;
pub mod version_scale;
pub mod version_step;
