//! The history of the visible file: the versions that are known, the steps between them, and what
//! became of a line.

pub mod known_versions;
mod outcome_actions;
mod step_actions;
mod version_requests;
pub mod version_scale;
pub mod version_step;
