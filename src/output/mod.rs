//! The output formats of `git blame`, byte for byte, and JSON.
//!
//! A format takes a finished [`Blame`](crate::engine::Blame), or the engine's events if it streams,
//! and gets commit metadata through [`CommitProvider`]. It depends on neither a repository nor a terminal,
//! and writes through an [`OutputBuffer`].

pub mod abbreviation;
pub mod buffer;
pub mod color;
pub mod common;
pub(crate) mod display_width;
#[cfg(test)]
pub(crate) mod fixture;
pub mod incremental;
pub mod json;
pub mod plain;
pub mod porcelain;
pub mod profile_report;
pub mod stream;

pub use buffer::OutputBuffer;
pub use common::{CommitProvider, IgnoreMarks, OutputError, ProviderError, write_stats};
