//! Which lines were recorded as written by an AI agent: in notes, by authors, and in the trailers
//! of commits.

pub mod agent;
pub mod finder;
mod known_agent;
mod note;
mod note_tree;
pub mod signature;
