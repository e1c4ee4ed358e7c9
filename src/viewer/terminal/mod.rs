//! The terminal: input, background detection and differential output.

pub mod background_query;
pub mod canvas;
pub mod control_strings;
pub(crate) mod events;
pub mod input;
pub mod screen;
pub mod terminal_screen;
