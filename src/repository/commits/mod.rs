//! What is shown of commits: idents, messages, mailmap, encodings.

pub mod commit_reader;
pub mod commit_text;
pub mod encoding;
pub mod ident;
pub mod mailmap;
pub mod merged_by;
