//! Saving chosen settings to the configuration file.

pub(crate) mod save_actions;
pub mod saved_settings;
