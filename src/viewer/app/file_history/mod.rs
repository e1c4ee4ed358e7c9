//! The history of the visible file: the page that lists its versions, the steps between them, and what became of a line.

pub mod known_versions;
mod outcome_actions;
mod step_actions;
mod version_requests;
pub mod version_scale;
pub mod version_step;
