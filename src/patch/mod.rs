//! Unified diffs as text: those of git, of `diff -u`, and in mails.
//!
//! [`parser`] finds files and hunks, and [`hunk`] has the lines of one. The text itself is kept as
//! it is, so that it can be written again. Nothing here knows a repository.

pub mod file;
mod headers;
pub mod hidden_lines;
pub mod hunk;
pub mod insertions;
pub mod parser;
