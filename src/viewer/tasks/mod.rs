//! Background tasks and external commands.

pub mod blame;
pub mod diff;
pub mod external_command;
pub mod highlight;
pub mod line_map;
pub mod metadata;
