//! Which lines were recorded as written by an AI agent: in notes, and in the trailers of commits.

pub mod agent;
pub mod finder;
mod json;
mod note;
mod note_tree;
pub mod trailer;
