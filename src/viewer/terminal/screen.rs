//! The screen that the viewer draws on: the terminal, or a buffer in tests.

use std::{
    io,
    ops::{ControlFlow, Range},
};

use futures_util::future::LocalBoxFuture;
use ratatui::{buffer::Buffer, layout::Size};

use crate::viewer::model::hyperlink::Hyperlink;

/// A terminal-like screen.
pub trait Screen {
    /// Columns and rows.
    ///
    /// # Errors
    /// If the terminal is gone; the same holds for every method.
    fn size(&self) -> io::Result<Size>;

    /// True if it has links. Without them, what paints a frame need not say where they are.
    fn has_hyperlinks(&self) -> bool {
        false
    }

    /// Draws a frame. `scrolling` are the rows (half-open) that may have scrolled together, and
    /// `paint` returns the links of the frame.
    ///
    /// # Errors
    /// See [`size`](Screen::size).
    fn draw(
        &mut self,
        size: Size,
        scrolling: Range<u16>,
        paint: &mut dyn FnMut(&mut Buffer) -> Vec<Hyperlink>,
    ) -> io::Result<()>;

    /// True if the last frame is written: if not, the terminal is slow or stuck, and the next one
    /// has to wait.
    fn is_written(&self) -> bool {
        true
    }

    /// Waits until the last frame is written.
    fn written(&self) -> LocalBoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Makes the next frame write every cell.
    ///
    /// # Errors
    /// See [`size`](Screen::size).
    fn redraw(&mut self) -> io::Result<()>;

    /// Copies text to the clipboard.
    ///
    /// # Errors
    /// See [`size`](Screen::size).
    fn copy(&mut self, text: &str) -> io::Result<()>;

    /// Writes a query to the terminal. The reply arrives with the keyboard input.
    ///
    /// # Errors
    /// See [`size`](Screen::size).
    fn query(&mut self, query: &str) -> io::Result<()>;

    /// True if the terminal still exists. A hangup without SIGHUP looks like a terminal without
    /// input.
    fn is_connected(&self) -> bool;

    /// Shows what was there before the viewer. The rest of the terminal's state is restored when
    /// the screen is dropped.
    fn leave(&mut self) {}

    /// Restores the terminal and stops the process group. After it was continued,
    /// [`resume`](Screen::resume) must be called before the next frame. Returns false without doing
    /// anything if there is no job-control shell to continue it.
    ///
    /// # Errors
    /// See [`size`](Screen::size).
    fn suspend(&mut self) -> io::Result<bool>;

    /// Takes the terminal over again after [`suspend`](Screen::suspend).
    ///
    /// # Errors
    /// See [`size`](Screen::size).
    fn resume(&mut self) -> io::Result<()>;

    /// Restores the terminal while `command` runs, and takes it over again unless that returns
    /// `Break`.
    ///
    /// # Errors
    /// See [`size`](Screen::size).
    fn run_external(&mut self, command: &mut dyn FnMut() -> ControlFlow<()>) -> io::Result<()>;
}
