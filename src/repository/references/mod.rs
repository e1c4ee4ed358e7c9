//! References and their logs, wherever the repository keeps them.

pub(crate) mod files;
pub(crate) mod log;
pub(crate) mod names;
pub(crate) mod packed;
pub(crate) mod store;
pub(crate) mod target;

pub(crate) use log::ReflogEntry;
pub(crate) use store::{End, References};
