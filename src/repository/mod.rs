//! Access to a git repository: discovery, configuration, revisions, the work tree, ignored revisions,
//! text conversion and commit texts. Turns options into a request for the engine.

mod ancestors;
pub mod arguments;
mod attributes;
pub mod commit_texts;
pub mod conflicts;
mod contents;
mod line_ranges;
pub mod encoding;
pub mod environment;
pub mod grafts;
pub mod ident;
pub mod ignored;
pub mod mailmap;
pub mod merges;
pub mod open;
pub mod options;
pub mod paths;
mod pointers;
pub mod prepare;
mod promised;
pub mod revisions;
pub mod settings;
mod simplify;
pub mod text_conversion;
pub mod texts;
mod uncommitted;
mod unresolved;

pub use open::Repository;
