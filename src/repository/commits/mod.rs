//! The parts of commits that are shown: idents, messages, mailmap, encodings.

pub mod cached_texts;
pub mod commit_parser;
pub mod commit_text;
pub mod commit_texts;
pub mod encoding;
pub(crate) mod line_counts;
pub mod mailmap;
pub mod people;
pub mod trailers;
pub mod word_wrap;
