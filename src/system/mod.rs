//! What differs between operating systems, behind one interface.
//!
//! `unix.rs` and `windows.rs` define the same items, as do `unix_signals.rs` and `windows_signals.rs`, which only the
//! program needs.

#[cfg(unix)]
mod unix;
#[cfg(all(unix, feature = "program"))]
mod unix_signals;
#[cfg(windows)]
mod windows;
#[cfg(all(windows, feature = "program"))]
mod windows_signals;

#[cfg(unix)]
pub use unix::*;
#[cfg(all(unix, feature = "program"))]
pub use unix_signals::*;
#[cfg(windows)]
pub use windows::*;
#[cfg(all(windows, feature = "program"))]
pub use windows_signals::*;

/// What the system asks of a program in a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemSignal {
    /// To end; the number of the signal.
    End(i32),
    /// To suspend.
    Suspend,
    /// To go on after it was suspended.
    Resumed,
}
