//! The integration tests: one binary, a module for each area.

#[path = "../fuzz/mod.rs"]
mod fuzz;
#[path = "../harness/mod.rs"]
mod harness;

mod architecture;
mod blame;
mod cache;
mod command_line;
mod concurrency;
mod dates;
mod deletions;
mod diff;
mod documents;
mod file_history;
mod generated;
mod git_compat;
mod json;
mod last_commits;
mod line_history;
mod mutated_inputs;
mod objects;
mod packaging;
mod patches;
mod places;
mod provenance;
mod ranges;
mod remembered_history;
mod shim;
mod syntaxes;
mod tree_blames;
mod viewer;
mod why;
mod written_files;
