//! git's line diff: Myers, minimal, patience and histogram over interned lines, followed by change
//! compaction and the indent heuristic.

pub(crate) mod compaction;
pub(crate) mod compared_text;
pub(crate) mod differ;
pub mod lines;
pub(crate) mod region;
pub(crate) mod search;
pub mod types;

pub use compared_text::ComparedText;
pub use differ::Differ;
pub use lines::interner::LineInterner;
pub use types::{Algorithm, DiffError, DiffOptions, Hunk, OlderDiff, Token};
