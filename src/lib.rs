//! Exact and fast `git blame` as a library.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/library/example.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = example_repository();
//! # let path = directory.path();
//! let repository = tblame::Repository::discover(path)?;
//! for entry in repository.blame("src/main.rs").at("v1.0").lines(0..20).run()? {
//!     let commit = entry.commit();
//!     println!("{:?} {} {}", entry.lines(), entry.commit_id(), commit.author().name());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! - [`Repository`] opens a repository, keeps caches warm over many blames, and can be shared
//!   between threads.
//! - [`BlameBuilder`] has the options, and runs the blame: [`run`](BlameBuilder::run) returns all
//!   [entries](BlameEntry), [`stream`](BlameBuilder::stream) passes each on as soon as it is found,
//!   and [`line_history`](BlameBuilder::line_history) follows the lines instead.
//! - [`FileBlame::with_contents`] blames an editor's buffer after each edit.
//! - [`TreeBuilder`] blames all files of a directory in one walk, and sums up their lines.
//! - [`Cancellation`] ends a blame from another thread.
//!
//! The results are those of `git blame` with the same options, to the last line; the test suite
//! compares them. Disable the default features to build the library without the program's
//! dependencies. `docs/library.md` has more, with the policy for versions, and `tests/library/examples`
//! has whole programs.

// Documentation is required of the public API, which the modules of the implementation are not.
#![cfg_attr(feature = "internals", allow(missing_docs))]
// Some items are for the program, its tests or benches alone; their build has everything.
#![cfg_attr(
    not(all(feature = "program", feature = "internals")),
    allow(dead_code, unused_imports)
)]

// The modules of the implementation, each depending only on those before it.
mod error;
mod sanitize;
mod sorting;
mod text;

mod system;

mod dates;
mod objects;
mod reftable;

mod diff;
mod patch;
mod ranges;

mod engine;
mod repository;

mod cache;
mod library;

#[cfg(feature = "program")]
mod cli;
#[cfg(feature = "program")]
mod output;
#[cfg(feature = "program")]
mod run;
#[cfg(feature = "program")]
mod viewer;

pub use diff::Algorithm;
pub use engine::CommitOrder;
pub use library::*;
pub use repository::tree::node::NodeKind;

#[cfg(feature = "program")]
#[doc(hidden)]
pub use run::main as program;

#[cfg(feature = "program")]
#[doc(hidden)]
pub use run::launcher::main as launcher;

/// The implementation, for the tests and benches of this package.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
