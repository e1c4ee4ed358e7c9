//! The repository room.

pub mod texts;
