//! The line diff.

mod chosen_pairs;
mod hunks;
mod text_pairs;
