//! Read access to the objects of one repository.
//!
//! A [`Store`] is shared by all threads: packs, mapped indexes, the commit-graph and the delta-base
//! cache. A [`Reader`] belongs to one thread: it has an inflater and a page cache for packs.

mod chunk_table;
pub(crate) mod error;
mod file_checksum;
pub mod formats;
pub(crate) mod graph;
pub(crate) mod index;
pub(crate) mod inflate;
pub mod pack;
pub(crate) mod positioned_file;
pub(crate) mod store;
#[cfg(test)]
pub(crate) mod test_rng;
pub(crate) mod types;

pub use error::{Error, without_directories};
pub(crate) use file_checksum::object_id;
pub(crate) use formats::commit::HeadParts;
pub use formats::commit::author_time;
pub use gix_hash::{Kind as HashKind, ObjectId, oid};
pub(crate) use graph::{bits::BitSet, bloom::BloomKey, levels::levels};
pub use graph::{changed_paths::ChangedPaths, path_history::PathHistory, writer::GraphFile};
pub use inflate::inflate_exact;
pub(crate) use store::alternates::alternate_paths;
pub use store::{
    object_store::{Begun, FetchedTrees, Promisor, Store, StoreOptions},
    projection::{LookupResult, find_in_tree, project},
    reader::Reader,
    tree_diff::ListedEntry,
};
pub use types::{
    CommitHead, CommitList, CommitRecord, CommitTable, GraphPosition, Object, ObjectKind,
    PackPosition, PathChain, StoreStats, StoredObject, TreeChange, TreeEntry, file_type,
    is_submodule,
};

pub(crate) use pack::{pack_file::ResolvedEntryType, pack_order::PackOrder};
