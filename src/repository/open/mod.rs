//! Discovery, configuration and environment of a repository.

pub mod discovery;
pub mod environment;
pub mod grafts;
pub mod paths;
pub(crate) mod promised;
pub mod settings;
