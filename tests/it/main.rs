//! The integration tests: one binary, a module per concern.

mod compare;
mod dates;
mod diff;
mod diff_pairs;
mod errors;
mod fixture;
mod history;
mod id_width;
mod ignored;
mod import;
mod messages;
mod movement;
mod objects;
mod option_sets;
mod options;
mod program;
mod ranges;
mod renames;
mod rng;
mod scratch;
mod screen;
mod start;
mod text;
mod viewer;
mod walk;
mod work_tree;
