//! Regions of two texts: common ends, tail trimming, and runs of changed lines.

pub(crate) mod changed_runs;
pub(crate) mod common_ends;
pub(crate) mod diff_input;
pub(crate) mod tail_trim;
