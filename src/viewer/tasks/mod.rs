//! Background tasks and external commands.

pub mod blame;
pub mod convert;
pub mod diff;
pub mod highlight;
pub mod line_map;
pub mod queries;
pub mod run_external;
pub mod task;
pub mod task_set;
