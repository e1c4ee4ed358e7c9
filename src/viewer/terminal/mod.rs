//! The terminal: input, background colour, and the canvas that sends what differs.

pub mod background_query;
pub mod canvas;
pub mod input;
pub mod screen;
pub mod terminal_screen;
