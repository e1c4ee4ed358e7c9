//! `--deletions`: the lines that commits deleted, each written as soon as it is found.

pub mod deletion_rows;
pub mod deletion_stream;
pub mod json_deletions;
