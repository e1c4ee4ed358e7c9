//! What surrounds a blame: the repository it happens in, revisions, the work tree, commit texts.

pub mod arguments;
pub mod grafts;
pub mod ignored;
pub mod open;
pub mod options;
pub mod paths;
pub mod revisions;
pub mod settings;
pub mod texts;

pub use open::Repository;
