//! The configuration file and what is kept beside it.

pub mod columns;
pub mod edit;
pub mod hint_history;
pub(crate) mod keys;
pub mod section;
pub mod settings;
