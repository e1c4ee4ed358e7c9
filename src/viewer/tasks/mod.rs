//! Background tasks.

mod batches;
pub mod blame;
pub mod diff;
pub mod highlight;
pub mod idle;
pub mod line_changes;
pub mod old_lines;
pub mod origins;
pub mod queries;
pub mod task;
pub mod task_set;
