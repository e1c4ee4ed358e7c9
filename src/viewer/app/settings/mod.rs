//! What the viewer is told when it starts, and what of it is saved to the configuration file.

pub mod arguments;
pub mod environment;
pub(crate) mod save_actions;
pub mod saved_settings;
