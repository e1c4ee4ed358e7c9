//! Packs: entries, deltas, the page cache and the delta-base cache.

pub mod delta;
pub(crate) mod delta_base_cache;
pub(crate) mod entry_reader;
pub(crate) mod pack_file;
pub(crate) mod pack_order;
pub(crate) mod page_cache;
