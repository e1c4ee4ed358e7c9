//! Discovery, configuration and environment of a repository.

pub mod configuration;
pub mod discovery;
pub mod environment;
mod format;
pub mod git_config;
mod gix_configuration;
pub mod grafts;
pub mod late_settings;
pub(crate) mod partial_clone;
pub mod paths;
mod validation;
