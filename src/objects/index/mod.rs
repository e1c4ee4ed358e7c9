//! Looking ids up in pack indexes and multi-pack indexes.

pub(crate) mod fanout;
pub(crate) mod fine_fanout;
pub(crate) mod id_search;
pub(crate) mod multi_pack_index;
pub(crate) mod pack_index;
pub(crate) mod record_table;
pub(crate) mod sorted_ids;
