//! Read access to the objects of one repository.
//!
//! A [`Store`] holds what all readers share: packs, mapped indexes, the commit-graph and the
//! delta-base cache. A [`Reader`] belongs to one thread and holds its inflater and its windows onto packs.

mod along;
mod bits;
mod blocks;
mod bloom;
mod cache;
mod changed_paths;
mod changes;
mod commit;
mod decoder;
pub mod delta;
mod error;
mod fan;
mod few;
mod graph;
mod heads;
mod huffman;
mod inflate;
mod lengths;
mod links;
mod loose;
#[cfg(test)]
mod noise;
mod pack;
mod path;
mod positioned;
mod projection;
mod reader;
mod search;
mod sorted;
mod starts;
mod store;
pub mod tree;
mod types;
mod windows;

pub(crate) use along::Along;
pub use changed_paths::PathFilter;
pub use commit::author_time;
pub use error::Error;
pub use gix_hash::{Kind as HashKind, ObjectId, oid};
pub(crate) use reader::Form;
pub use reader::Reader;
pub use store::{Promisor, Store, StoreOptions};
pub use types::{
    Change, CommitHead, GraphPosition, Object, ObjectKind, PackPosition, PathChain, StoreStats,
    Stored, TreeEntry,
};
