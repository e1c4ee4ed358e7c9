//! Background tasks.

mod batches;
pub mod blame;
pub mod convert;
pub mod deletions;
pub mod diff;
pub mod file_history;
pub mod highlight;
pub mod line_history;
pub mod origins;
pub mod provenance;
pub mod queries;
pub mod task;
pub mod task_set;
