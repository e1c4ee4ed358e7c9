//! Discovery, configuration and environment of a repository.

pub mod discovery;
pub mod environment;
pub mod git_config;
pub mod grafts;
pub(crate) mod partial_clone;
pub mod paths;
