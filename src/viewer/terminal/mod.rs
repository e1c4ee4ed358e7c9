//! The terminal: input, background detection and differential output.

pub mod background_query;
pub mod canvas;
pub(crate) mod events;
pub mod input;
pub mod screen;
pub mod terminal_screen;
