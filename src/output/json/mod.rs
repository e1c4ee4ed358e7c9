//! The JSON outputs.

pub mod lines;
pub mod records;
pub(crate) mod values;
