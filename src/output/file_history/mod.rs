//! `--file-history`: the commits that made versions of a file, each written as soon as it is found.

pub mod json_revisions;
pub mod revision_rows;
pub mod revision_stream;
