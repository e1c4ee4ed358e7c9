//! The regions of two texts that a search looks at: what is equal at their ends, and runs of changed lines.

pub(crate) mod changed_runs;
pub(crate) mod equal_runs;
pub(crate) mod sides;
pub(crate) mod tail_trim;
