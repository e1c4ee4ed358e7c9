//! Access to a git repository: discovery, configuration, revisions, the work tree, ignored
//! revisions, text conversion and commit texts. Turns options into a request for the engine.

pub mod agents;
pub(crate) mod charsets;
pub mod commits;
pub mod content;
pub mod open;
pub mod places;
pub mod provenance;
pub(crate) mod references;
pub mod request;
pub mod revisions;
pub mod tree;

pub use open::{
    partial_clone::{FetchEvent, FetchObserver},
    repository::Repository,
};
