//! Questions to background tasks, and their answers.

pub mod deletions;
pub mod directory;
pub mod directory_history;
pub mod directory_lines;
pub mod file_history;
pub mod line_change;
pub mod line_history;
pub mod line_outcome;
pub mod named_places;
pub mod old_lines;
pub mod origins;
pub mod parent_files;
pub mod provenance;
pub mod queries;
pub mod query;
mod query_kinds;
