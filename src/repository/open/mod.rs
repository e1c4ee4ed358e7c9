//! Discovery, configuration and environment of a repository.

pub mod configuration;
pub mod discovery;
pub mod environment;
mod format;
pub mod git_config;
pub mod grafts;
pub(crate) mod index_file;
pub(crate) mod jj_workspace;
pub(crate) mod layout;
pub(crate) mod optional_file;
pub(crate) mod partial_clone;
pub mod paths;
pub mod promisor_remotes;
pub(crate) mod remotes;
mod replacements;
pub mod repository;
mod safety;
pub mod search;
