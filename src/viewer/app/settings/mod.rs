//! The arguments of the viewer, and the settings that it saves to the configuration file.

pub mod arguments;
pub mod environment;
pub(crate) mod save_actions;
pub mod saved_settings;
