//! What surrounds a blame: the repository it happens in, revisions, the work tree, commit texts.

pub mod grafts;
pub mod open;
pub mod paths;
pub mod settings;
pub mod texts;

pub use open::Repository;
