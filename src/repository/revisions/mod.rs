//! Revision arguments: names, ranges, suffixes, reflogs, upstreams.

pub(crate) mod ancestors;
pub(crate) mod explain;
pub(crate) mod known_name;
pub mod peel;
pub(crate) mod ref_names;
pub(crate) mod ref_options;
pub(crate) mod reflog;
pub(crate) mod refs;
mod refspec;
mod remote_check;
pub mod resolver;
pub(crate) mod upstream;
