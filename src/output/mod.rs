//! The formats of `git blame`, byte for byte.
//!
//! Each format takes a finished [`Blame`](crate::engine::Blame) (or, for `--incremental`, the
//! engine's events) and what it needs of commits through [`Commits`]. Nothing here knows a
//! repository or a terminal; everything is written through one large [`Buffer`].

pub mod buffer;
pub mod color;
pub mod common;
pub(crate) mod display_width;
#[cfg(test)]
pub(crate) mod fixture;
pub mod id_width;
pub mod incremental;
pub mod json;
pub mod plain;
pub mod porcelain;
pub mod profile_report;
pub mod stream;

pub use buffer::Buffer;
pub use common::{Commits, Error, Marks, ProviderError, write_stats};
