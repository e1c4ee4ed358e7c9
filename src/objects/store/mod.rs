//! The object store of a repository, and the readers on top of it.

pub(crate) mod alternates;
mod careful;
pub(crate) mod commit_heads;
pub(crate) mod fetching;
mod ids;
mod locating;
pub(crate) mod lookup_cache;
pub(crate) mod object_store;
pub(crate) mod pack_list;
pub(crate) mod projection;
pub(crate) mod reader;
pub(crate) mod tree_diff;
pub(crate) mod tree_lookup;
