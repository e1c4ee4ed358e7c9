//! `--line-history`: the commits that changed lines, each written as soon as it is found.

pub mod change_stream;
pub mod json_changes;
pub mod rows;
