//! The terminal as a screen: raw mode and alternate screen, restored on every exit and on panic.

use std::{
    io::{self, Write},
    ops::{ControlFlow, Range},
    panic,
    sync::{
        Mutex, MutexGuard, Once, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crossterm::{
    cursor, execute, queue,
    terminal::{self, BeginSynchronizedUpdate, EndSynchronizedUpdate},
};
use futures_util::future::LocalBoxFuture;
use ratatui::{buffer::Buffer, layout::Size};

use crate::{
    system::{self, run_log},
    text::base64,
    viewer::{
        external::run_external,
        model::hyperlink::Hyperlink,
        terminal::{
            canvas::{Canvas, has_scroll_regions},
            events::is_reader,
            hyperlinks, modes,
            screen::Screen,
            terminal_output::{self, TerminalOutput},
            watcher::{self, TerminalState},
        },
    },
};

/// How long raw mode stays on after the last output: while it is on, `^C` is a key. Otherwise the
/// kernel interrupts the program and discards what the terminal has not read yet, and the alternate
/// screen would stay. With no such time 5 of 1,170 storms of signals, keys and `^C` on a busy
/// machine ended so.
const READ_TIME: Duration = Duration::from_millis(10);

/// True if the terminal is on the alternate screen.
static ACTIVE: AtomicBool = AtomicBool::new(false);

/// When the terminal was told to leave the alternate screen, while it is still in raw mode.
static LEFT: Mutex<Option<Instant>> = Mutex::new(None);

/// The thread that reads the terminal has panicked.
static READER_FAILED: AtomicBool = AtomicBool::new(false);

/// The terminal reads nothing, so that nothing more can be written to it.
static STUCK: AtomicBool = AtomicBool::new(false);

/// True if the terminal reads nothing: what is written to it, errors too, would be waited for
/// without end.
pub(crate) fn is_stuck() -> bool {
    STUCK.load(Ordering::SeqCst)
}

/// The controlling terminal, restored when this is dropped.
#[derive(Debug)]
pub struct TerminalScreen {
    canvas: Canvas<TerminalOutput>,
    mouse: bool,
    has_hyperlinks: bool,
}

impl TerminalScreen {
    /// Enters raw mode and the alternate screen, hides the cursor, and captures the mouse if
    /// wanted. Installs a panic hook that restores the terminal before the panic is reported.
    ///
    /// # Errors
    /// If standard output is not a terminal.
    pub fn enter(mouse: bool) -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let report = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                if is_reader() {
                    READER_FAILED.store(true, Ordering::SeqCst);
                }
                if !is_fatal(thread::current().name()) {
                    // What was installed before notes the others.
                    run_log::note_panic(info);
                    return;
                }
                restore();
                report(info);
            }));
        });
        let mut out = TerminalOutput::new()?;
        watcher::start();
        enter(&mut out, mouse)?;
        let term = std::env::var("TERM").unwrap_or_default();
        Ok(TerminalScreen {
            canvas: Canvas::new(out, has_scroll_regions(&term)),
            mouse,
            has_hyperlinks: hyperlinks::are_known(|name| std::env::var(name).ok()),
        })
    }
}

impl TerminalScreen {
    /// Shows marks and lines in ASCII.
    pub(crate) fn set_ascii(&mut self) {
        self.canvas.set_ascii();
    }

    /// True if the terminal shows a line two columns wide: asks where the cursor is behind one.
    /// Must be called before anything reads the terminal's input.
    ///
    /// # Errors
    /// See [`size`](Screen::size).
    pub(crate) async fn shows_lines_wide(&mut self) -> io::Result<bool> {
        self.query("\x1b[H─")?;
        // The question takes another way to the terminal.
        self.written().await;
        // A terminal that does not answer is waited for two seconds.
        let asked = Instant::now();
        let at = cursor::position();
        let (reply, elapsed) = (at.as_ref().ok(), asked.elapsed());
        run_log::note(
            "reply",
            format_args!("to the question for the cursor: {reply:?}, in {elapsed:.1?}"),
        );
        self.query("\x1b[H\x1b[K")?;
        Ok(at.is_ok_and(|(column, _)| column == 2))
    }
}

/// True if a panic of the thread with this name ends the viewer. Background tasks catch theirs, and
/// the viewer shows them; a blame goes on without its second thread.
fn is_fatal(thread: Option<&str>) -> bool {
    thread == Some("main")
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        restore();
    }
}

fn enter(out: &mut TerminalOutput, mouse: bool) -> io::Result<()> {
    watcher::tell(TerminalState::Taken);
    *left() = None;
    terminal::enable_raw_mode()?;
    ACTIVE.store(true, Ordering::SeqCst);
    modes::enter(out, mouse).inspect_err(|_| restore())
}

/// Restores the terminal, once. Errors are ignored: there is nowhere left to report them.
fn restore() {
    leave();
    let Some(at) = left().take() else {
        return;
    };
    if !is_stuck() {
        thread::sleep(READ_TIME.saturating_sub(at.elapsed()));
    }
    terminal::disable_raw_mode().ok();
    watcher::tell(TerminalState::Restored);
}

/// Leaves the alternate screen, once. The terminal stays in raw mode.
fn leave() {
    if !ACTIVE.swap(false, Ordering::SeqCst) {
        return;
    }
    STUCK.store(
        !terminal_output::finish(&modes::leaving()),
        Ordering::SeqCst,
    );
    *left() = Some(Instant::now());
}

fn left() -> MutexGuard<'static, Option<Instant>> {
    LEFT.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Screen for TerminalScreen {
    fn size(&self) -> io::Result<Size> {
        let (width, height) = terminal::size()?;
        Ok(Size::new(width, height))
    }

    fn has_hyperlinks(&self) -> bool {
        self.has_hyperlinks
    }

    fn draw(
        &mut self,
        size: Size,
        scrolling: Range<u16>,
        paint: &mut dyn FnMut(&mut Buffer) -> Vec<Hyperlink>,
    ) -> io::Result<()> {
        // Synchronized output (mode 2026) avoids tearing; terminals without it ignore the sequence.
        queue!(self.canvas.out(), BeginSynchronizedUpdate)?;
        self.canvas.draw(size, scrolling, paint)?;
        execute!(self.canvas.out(), EndSynchronizedUpdate)
    }

    fn is_written(&self) -> bool {
        self.canvas.output().is_idle()
    }

    fn written(&self) -> LocalBoxFuture<'static, ()> {
        self.canvas.output().written()
    }

    fn redraw(&mut self) -> io::Result<()> {
        self.canvas.invalidate();
        Ok(())
    }

    fn copy(&mut self, text: &str) -> io::Result<()> {
        run_external::copy(text);
        let encoded = base64::encoded(text.as_bytes());
        let out = self.canvas.out();
        write!(out, "\x1b]52;c;{encoded}\x07")?;
        out.flush()
    }

    fn query(&mut self, query: &str) -> io::Result<()> {
        let out = self.canvas.out();
        out.write_all(query.as_bytes())?;
        out.flush()
    }

    fn run_external(&mut self, command: &mut dyn FnMut() -> ControlFlow<()>) -> io::Result<()> {
        restore();
        match command() {
            ControlFlow::Continue(()) => self.resume(),
            ControlFlow::Break(()) => Ok(()),
        }
    }

    fn is_connected(&self) -> bool {
        !READER_FAILED.load(Ordering::SeqCst) && system::has_terminal()
    }

    fn leave(&mut self) {
        leave();
    }

    fn suspend(&mut self) -> io::Result<bool> {
        if !system::can_suspend() {
            return Ok(false);
        }
        restore();
        system::suspend()?;
        Ok(true)
    }

    fn resume(&mut self) -> io::Result<()> {
        enter(self.canvas.out(), self.mouse)?;
        self.redraw()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_another_thread_leaves_the_screen_alone() {
        assert!(is_fatal(Some("main")));
        for name in [None, Some("tblame-task"), Some("tblame-clipboard")] {
            assert!(!is_fatal(name), "{name:?}");
        }
    }
}
