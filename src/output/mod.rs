//! The output formats of `git blame`, byte for byte, and JSON.
//!
//! A format takes a finished [`Blame`](crate::engine::Blame), or the engine's events if it streams,
//! and gets commit metadata through [`CommitProvider`], which `repository_commits` implements. It
//! depends on no terminal, and writes through an [`OutputBuffer`].

pub mod abbreviation;
pub mod buffer;
pub mod color;
mod commit_columns;
pub mod commit_provider;
pub mod commit_writer;
pub(crate) mod display_width;
pub mod error;
pub mod history;
pub mod incremental;
pub mod json;
pub mod list_row;
pub(crate) mod patch;
pub mod people;
pub mod places;
pub mod plain;
pub mod porcelain;
pub mod profile_report;
pub(crate) mod repository_commits;
pub mod show_stats;
pub mod stream;
pub mod tree;
pub(crate) mod why;

pub use buffer::OutputBuffer;
pub use commit_provider::{CommitProvider, ProviderError};
pub use error::OutputError;
pub use plain::options::IgnoreMarks;
pub use show_stats::write_stats;
