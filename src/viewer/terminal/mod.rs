//! The terminal: input, background detection and differential output.

pub(crate) mod ascii;
pub mod canvas;
mod cell_writer;
pub(crate) mod events;
pub(crate) mod hyperlinks;
pub mod input;
pub(crate) mod modes;
pub mod reply_filter;
pub mod screen;
pub(crate) mod terminal_output;
pub mod terminal_queries;
pub mod terminal_screen;
pub mod watcher;
