//! `--line-history`, `--file-history` and `--deletions`: each record is written as soon as it is
//! found.

pub mod json;
pub mod rows;
pub mod stream;
