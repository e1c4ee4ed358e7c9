//! Regions of two texts: common ends, tail trimming, and runs of changed lines.

pub(crate) mod changed_runs;
pub(crate) mod equal_runs;
pub(crate) mod sides;
pub(crate) mod tail_trim;
