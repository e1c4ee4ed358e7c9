//! Compaction: changed lines slide to where they merge or read best.

pub(crate) mod indent_heuristic;
pub(crate) mod slide;
