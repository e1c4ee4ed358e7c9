//! The integration tests: one binary, a module per concern.

mod compare;
mod diff;
mod diff_pairs;
mod history;
mod id_width;
mod import;
mod objects;
mod option_sets;
mod options;
mod program;
mod rng;
mod scratch;
mod text;
