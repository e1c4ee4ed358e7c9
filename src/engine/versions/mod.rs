//! Versions of files as tokens, derived from each other along the pack's delta chains.

pub(crate) mod builder;
pub(crate) mod pending_lines;
pub(crate) mod poor_deltas;
pub(crate) mod version;
pub(crate) mod version_cache;
