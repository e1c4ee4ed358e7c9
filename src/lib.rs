//! tblame: a terminal blame viewer for git, and the blame engine under it.
//!
//! The modules, each depending only on those before it:
//!
//! 1. [`dates`]: the calendar, date formats, reading dates.
//! 2. [`objects`]: packs, deltas, loose objects, the commit-graph, trees.
//! 3. [`diff`]: lines interned as tokens, and git's line diff on them. [`ranges`]: `-L`.
//! 4. [`engine`]: the walk that decides which commit each line comes from. Pushes into a sink.
//! 5. [`repository`]: discovery, configuration, revisions, the work tree, mailmap, commit texts.
//! 6. [`output`]: the formats of `git blame`.
//! 7. [`viewer`]: the terminal interface.
//! 8. [`cli`] and [`run`]: the command line, and one run of the program.
//!
//! The words used throughout are git's own; `docs/glossary.md` defines each once.

pub mod cli;
pub mod cpu_time;
pub mod dates;
pub mod decimal;
pub mod diff;
pub mod engine;
pub mod error;
pub mod objects;
pub mod output;
pub mod ranges;
pub mod repository;
pub mod run;
pub mod sanitize;
pub mod viewer;
