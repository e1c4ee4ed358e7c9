//! The public library: a small facade over the engine and the repository.
//!
//! Its types are re-exported at the root of the crate. Nothing of gix, and no type of the modules
//! below, appears in their signatures, so that those may change freely.

mod blame;
mod blamed_text;
mod builder;
mod cancellation;
mod commit;
mod entries;
mod error;
mod file_blame;
mod kept_blames;
mod line_history;
mod repository;
mod stream_summary;
mod tree;
mod tree_items;

pub use blame::BlameItem;
pub use blamed_text::BlamedText;
pub use builder::{BlameBuilder, Copies};
pub use cancellation::Cancellation;
pub use commit::{CommitId, CommitInfo, Identity, ParseCommitIdError};
pub use entries::{BlameEntry, PreviousVersion};
pub use error::{Error, ErrorKind, Result};
pub use file_blame::FileBlame;
pub use line_history::{ChangedLines, LineHistoryItem};
pub use repository::Repository;
pub use stream_summary::StreamSummary;
pub use tree::{TreeBlame, TreeBuilder};
pub use tree_items::{BlamedFile, LineAuthor, TreeItem, TreeNode};

/// All of it can be sent to other threads and shared between them.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Repository>();
    is_shared::<BlameBuilder>();
    is_shared::<TreeBuilder>();
    is_shared::<FileBlame>();
    is_shared::<BlameItem>();
    is_shared::<LineHistoryItem>();
    is_shared::<TreeBlame>();
    is_shared::<TreeItem>();
    is_shared::<StreamSummary>();
    is_shared::<Cancellation>();
    is_shared::<Error>();
};
