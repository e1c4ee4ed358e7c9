//! The modes that the viewer sets in the terminal, but for raw mode: alternate screen, mouse,
//! paste, focus, cursor.

use std::{
    fmt,
    io::{self, Write},
};

use crossterm::{
    Command, cursor, event, execute,
    terminal::{self, EndSynchronizedUpdate},
};

/// Enables reports of buttons, wheel and drags, but not of plain movement, which would only wake
/// the program.
struct MouseOn;

impl Command for MouseOn {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        f.write_str("\x1b[?1000h\x1b[?1002h\x1b[?1006h")
    }

    #[cfg(windows)]
    fn execute_winapi(&self) -> io::Result<()> {
        event::EnableMouseCapture.execute_winapi()
    }

    #[cfg(windows)]
    fn is_ansi_code_supported(&self) -> bool {
        false
    }
}

struct MouseOff;

impl Command for MouseOff {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        f.write_str("\x1b[?1006l\x1b[?1002l\x1b[?1000l")
    }

    #[cfg(windows)]
    fn execute_winapi(&self) -> io::Result<()> {
        event::DisableMouseCapture.execute_winapi()
    }

    #[cfg(windows)]
    fn is_ansi_code_supported(&self) -> bool {
        false
    }
}

/// Sets the modes, with reports of the mouse if wanted.
///
/// # Errors
///
/// Those of `out`.
pub(crate) fn enter(out: &mut impl Write, mouse: bool) -> io::Result<()> {
    execute!(
        out,
        terminal::EnterAlternateScreen,
        event::EnableBracketedPaste,
        event::EnableFocusChange,
        cursor::Hide
    )?;
    if mouse {
        execute!(out, MouseOn)
    } else {
        Ok(())
    }
}

/// The bytes that give all modes back.
pub(crate) fn leaving() -> Vec<u8> {
    let mut bytes = Vec::new();
    let written = execute!(
        bytes,
        EndSynchronizedUpdate,
        MouseOff,
        event::DisableFocusChange,
        event::DisableBracketedPaste,
        cursor::Show,
        terminal::LeaveAlternateScreen
    );
    // Writing to memory cannot fail.
    debug_assert!(written.is_ok());
    bytes
}
