//! What the viewer wants of a screen. The terminal is one, and a test may be another.

use std::{
    io,
    ops::{ControlFlow, Range},
};

use ratatui::{buffer::Buffer, layout::Size};

/// What is drawn on.
pub trait Screen {
    /// Columns and rows.
    ///
    /// # Errors
    /// The terminal went away; so for all of these.
    fn size(&self) -> io::Result<Size>;

    /// Draws a frame of this size. The rows in `moving` are likely to have moved together.
    ///
    /// # Errors
    /// See [`size`](Screen::size).
    fn draw(
        &mut self,
        size: Size,
        moving: Range<u16>,
        paint: &mut dyn FnMut(&mut Buffer),
    ) -> io::Result<()>;

    /// Makes the next frame write every cell.
    ///
    /// # Errors
    /// See [`size`](Screen::size).
    fn redraw(&mut self) -> io::Result<()>;

    /// Puts text on the clipboard.
    ///
    /// # Errors
    /// See [`size`](Screen::size).
    fn copy(&mut self, text: &str) -> io::Result<()>;

    /// Writes a question to the terminal, whose answer comes among the keys.
    ///
    /// # Errors
    /// See [`size`](Screen::size).
    fn ask(&mut self, question: &str) -> io::Result<()>;

    /// Whether there is a terminal still. One that is gone does not always say so: without a signal
    /// it reads as one on which nobody types.
    fn is_there(&self) -> bool;

    /// Gives the terminal back and has the process stopped, with those that run with it. Nothing may
    /// be drawn until it was continued and [`resume`](Screen::resume) is called. False if there is
    /// nobody to continue it: nothing happened then.
    ///
    /// # Errors
    /// See [`size`](Screen::size).
    fn suspend(&mut self) -> io::Result<bool>;

    /// Takes the terminal again, after the process was stopped and continued.
    ///
    /// # Errors
    /// See [`size`](Screen::size).
    fn resume(&mut self) -> io::Result<()>;

    /// Gives the terminal back while something else uses it, and for good if that breaks.
    ///
    /// # Errors
    /// See [`size`](Screen::size).
    fn lend(&mut self, errand: &mut dyn FnMut() -> ControlFlow<()>) -> io::Result<()>;
}
