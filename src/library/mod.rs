//! The public library: a small facade over the engine and the repository.
//!
//! Its types are re-exported at the root of the crate. Nothing of gix, and no type of the modules
//! below, appears in their signatures, so that those may change freely.

mod blame;
mod builder;
mod cancellation;
mod commit;
mod entries;
mod error;
mod repository;
mod tree;
mod tree_items;

pub use blame::{BlameSummary, FileBlame};
pub use builder::{BlameBuilder, Copies};
pub use cancellation::Cancellation;
pub use commit::{CommitId, CommitInfo, Identity, ParseCommitIdError};
pub use entries::{BlameEntry, PreviousVersion};
pub use error::{Error, ErrorKind, Result};
pub use repository::Repository;
pub use tree::{TreeBlame, TreeBuilder, TreeSummary};
pub use tree_items::{BlamedFile, LineAuthor, TreeItem, TreeNode};
