//! Versions of a file as tokens, derived from each other the way the pack stores them.

pub(crate) mod builder;
pub(crate) mod pending_lines;
pub(crate) mod poor_deltas;
pub(crate) mod version;
pub(crate) mod version_cache;
