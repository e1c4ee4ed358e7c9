//! `--places`: who wrote the places in files that the lines of standard input name.
//!
//! One thread reads and finds the places (`input`), others blame the files (`blames`), as the queue
//! of both (`jobs`) tells them, and `resolver` puts together what belongs to each line, in order.

mod answers;
mod blames;
mod classes;
mod events;
mod files;
mod filter;
mod input;
mod jobs;
pub(super) mod operands;
mod place_file;
mod resolver;
mod revisions;
mod writer;

pub(super) use writer::PlacesRun;
