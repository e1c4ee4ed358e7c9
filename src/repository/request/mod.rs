//! From options and arguments to the request that the engine is given.

pub mod arguments;
pub(crate) mod history_limiting;
pub mod ignored_revisions;
pub mod option_conflicts;
pub mod options;
pub mod prepare;
