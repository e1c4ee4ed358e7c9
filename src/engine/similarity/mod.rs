//! Rename, move and copy detection, and fuzzy line matching.

pub(crate) mod bigrams;
pub(crate) mod candidates;
pub(crate) mod chunks;
pub(crate) mod copy_search;
pub(crate) mod fuzzy_lines;
pub(crate) mod moves;
pub(crate) mod renames;
