//! Blames kept between runs, in the user's cache directory.
//!
//! One file holds the blame of one version of a file with one set of options, or those of all files
//! of a directory, and what the output formats print of its commits. Any doubt about a file is a miss: it is never an error, and never
//! an answer. The files are trusted as much as the repository itself is: both belong to the user.

pub mod blames;
pub mod directory;
pub mod eviction;
mod fingerprint;
pub mod history;
mod kept_text;
mod record;
pub mod settings;
mod tree_encoder;
mod tree_files;
mod tree_record;
pub mod trees;
mod warming;

pub use blames::{BlameFiles, RequestCache};
pub use directory::{CacheDirectory, RepositoryDirectory};
pub use history::HistoryFile;
pub use kept_text::KeptText;
pub use settings::CacheSettings;
pub use trees::TreeBlames;
pub use warming::{HistorySource, PlannedHistory, WarmedHistory, Warming};
