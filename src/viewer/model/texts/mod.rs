//! Texts: their lines, words, encodings and colors.

pub mod encodings;
pub mod function_names;
pub mod line_map;
pub mod message_references;
pub mod names;
pub mod pattern;
pub mod syntax;
pub mod text;
pub mod word_diff;
pub mod wrap;
