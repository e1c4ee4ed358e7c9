//! Change compaction: slides groups of changed lines.

pub(crate) mod indent_heuristic;
pub(crate) mod slide;
