//! Revision arguments: names, ranges, suffixes, reflogs, upstreams.

pub(crate) mod ancestors;
pub mod arguments;
pub(crate) mod beyond;
pub(crate) mod merge_bases;
mod paths;
pub mod peel;
pub(crate) mod ref_names;
pub(crate) mod ref_options;
pub(crate) mod reflog;
pub(crate) mod refs;
mod refspec;
mod remote_branch;
pub mod resolver;
pub(crate) mod upstream;
