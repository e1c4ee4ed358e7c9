//! tblame: a terminal blame viewer for git, and the blame engine under it.
//!
//! The rooms, each standing only on those before it:
//!
//! 1. [`objects`]: packs, delta bases, loose objects, commit-graph, trees. Knows bytes and ids.
//! 2. [`diff`]: lines as tokens, and git's line diff on them. Knows nobody.
//! 3. [`engine`]: the walk that decides which commit each line comes from. Pushes into a sink.
//! 4. [`repository`]: what surrounds a blame: discovery, revisions, work tree, mailmap, commit texts.
//! 5. [`output`]: the formats of `git blame`.
//! 6. [`viewer`]: the terminal program.
//!
//! The words used throughout are git's own; `docs/glossary.md` defines each once.

pub mod cli;
pub mod cpu_time;
pub mod diff;
pub mod engine;
pub mod error;
pub mod objects;
pub mod output;
pub mod ranges;
pub mod repository;
pub mod library;
pub mod run;
pub mod sanitize;
pub mod viewer;

pub use library::*;
pub use run::main as program;
