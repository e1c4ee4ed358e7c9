//! Looking ids up in pack indexes and multi-pack indexes.

pub(crate) mod fanout;
pub(crate) mod fine_fanout;
pub(crate) mod id_search;
pub(crate) mod pread_lookup;
pub(crate) mod sorted_ids;
