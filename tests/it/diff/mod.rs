//! The line diff.

mod hunks;
mod text_pairs;
