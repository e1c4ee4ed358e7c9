//! Events of the console, which take the place of signals.

use std::{
    ffi::{OsStr, OsString},
    io,
    os::windows::process::CommandExt,
    process::{Command, ExitCode},
};

use futures_util::{Stream, StreamExt, stream};
use tokio::signal::windows;

use crate::system::{SystemSignal, foreground_command};

/// The number of SIGHUP, which stands for a closed console.
const CLOSED: i32 = 1;
/// The number of SIGTERM, which stands for the end of the session.
const SHUT_DOWN: i32 = 15;
/// Of `CreateProcess`: a new process group, which does not get Ctrl-C.
const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
/// Of `CreateProcess`: a console program without a console.
const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// The events of the console that a program handles. Ctrl-C and Ctrl-Break are keys while the
/// program has the console, and belong to another program while that has it: they end nothing.
///
/// # Errors
///
/// If a handler cannot be installed.
pub fn signals() -> io::Result<impl Stream<Item = SystemSignal> + Unpin> {
    let mut interrupt = windows::ctrl_c()?;
    let mut stop = windows::ctrl_break()?;
    let mut closed = windows::ctrl_close()?;
    let mut shut_down = windows::ctrl_shutdown()?;
    let interrupts = stream::poll_fn(move |context| interrupt.poll_recv(context));
    let stops = stream::poll_fn(move |context| stop.poll_recv(context));
    let closed = stream::poll_fn(move |context| closed.poll_recv(context));
    let shut_down = stream::poll_fn(move |context| shut_down.poll_recv(context));
    Ok(stream::select_all([
        interrupts.filter_map(async |()| None).boxed_local(),
        stops.filter_map(async |()| None).boxed_local(),
        closed.map(|()| SystemSignal::End(CLOSED)).boxed_local(),
        shut_down
            .map(|()| SystemSignal::End(SHUT_DOWN))
            .boxed_local(),
    ]))
}

/// As on other systems; `end` is never called.
///
/// # Errors
///
/// None.
pub fn watch_ends(_end: impl FnMut(i32) -> bool + Send + 'static) -> io::Result<()> {
    Ok(())
}

/// As on other systems.
pub fn stop_watching_ends() {}

/// Nothing: the system has no such signal.
pub fn end_by_closed_pipe() {}

/// The signals that are handled while another program has the console: none, as the system ends all
/// programs of a console that is closed.
pub struct ForegroundSignals;

impl ForegroundSignals {
    /// As on other systems.
    ///
    /// # Errors
    ///
    /// None.
    pub fn new() -> io::Result<ForegroundSignals> {
        Ok(ForegroundSignals)
    }

    /// As on other systems; `end` is never called.
    pub fn watch(self, _end: impl Fn(i32) + Send + 'static) -> SignalWatch {
        SignalWatch
    }
}

/// As on other systems.
pub struct SignalWatch;

/// Nothing: a program of the same console gets its events itself.
pub fn forward_signal(_id: u32, _number: i32) {}

/// True if the process can be suspended: not on this system.
pub fn can_suspend() -> bool {
    false
}

/// Fails: there is no such thing on this system.
///
/// # Errors
///
/// Always.
pub fn suspend() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A command that runs a program without a console.
pub fn detached_command(program: &OsStr) -> Command {
    let mut command = foreground_command(program);
    command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW);
    command
}

/// Nothing: no program has to be started in between on this system.
pub fn run_detached(_args: &[OsString]) -> Option<ExitCode> {
    None
}

/// Nothing: threads have no niceness on this system.
pub fn lower_priority(_niceness: i32) {}
