//! What the tests, the benchmarks and the pictures share: repositories, random and hand-written
//! histories, the comparison with git, and the program in a pseudo-terminal.
//!
//! Every target includes it with `#[path = "…/harness/mod.rs"] mod harness;`.

#![allow(dead_code, reason = "each target uses a part of it")]

pub mod clients;
pub mod command_lines;
pub mod compare;
pub mod deletions;
pub mod fast_import;
pub mod faults;
pub mod fifo;
pub mod file_versions;
pub mod git;
pub mod last_commits;
pub mod line_outcome;
pub mod linear_history;
pub mod named_history;
pub mod odd_objects;
pub mod option_sets;
pub mod program;
pub mod provenance;
pub mod random_directories;
pub mod random_history;
pub mod random_text;
pub mod repository;
pub mod rewriting;
pub mod rng;
pub mod session;
pub mod source;
pub mod stored_history;
pub mod string_search;
pub mod tree_answers;
