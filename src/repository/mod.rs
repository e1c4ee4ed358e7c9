//! What surrounds a blame: the repository it happens in, revisions, the work tree, commit texts.

pub mod commits;
pub mod content;
pub mod open;
pub mod request;
pub mod revisions;

pub use open::discovery::Repository;
