//! git's line diff: Myers, minimal, patience and histogram over interned lines, followed by change
//! compaction and the indent heuristic.

pub(crate) mod compaction;
pub(crate) mod differ;
pub mod lines;
pub(crate) mod region;
pub(crate) mod search;
pub mod types;

pub use differ::{Differ, hunks_between};
pub use lines::interner::LineInterner;
pub use types::{Algorithm, DiffError, DiffOptions, Hunk, OlderDiff, Token};
