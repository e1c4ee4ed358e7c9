//! Signals, and the process group in which they arrive.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    io::{self, Write},
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, ExitCode},
    sync::OnceLock,
    thread,
};

use futures_util::{Stream, StreamExt, stream};
use rustix::process::{Pid, Signal, getpgrp, getsid, kill_current_process_group, kill_process};
use signal_hook::{
    consts::{SIGCONT, SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGSTOP, SIGTERM, SIGTSTP},
    iterator::{Handle, Signals},
};
use tokio::signal::unix::{SignalKind, signal};

use crate::system::{SystemSignal, foreground_command};

/// The signals that a program in a terminal handles.
///
/// # Errors
///
/// If a handler cannot be installed.
pub fn signals() -> io::Result<impl Stream<Item = SystemSignal> + Unpin> {
    let mut all = Vec::new();
    for number in [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT] {
        let mut signal = signal(SignalKind::from_raw(number))?;
        let meaning = match number {
            SIGTSTP => SystemSignal::Suspend,
            SIGCONT => SystemSignal::Resumed,
            number => SystemSignal::End(number),
        };
        let signals = stream::poll_fn(move |context| {
            let received = signal.poll_recv(context);
            received.map(|_| Some(meaning))
        });
        all.push(signals.boxed_local());
    }
    Ok(stream::select_all(all))
}

/// The signals that are handled while another program has the terminal.
pub struct ForegroundSignals(Signals);

impl ForegroundSignals {
    /// Begins to handle them; to be called before the program starts.
    ///
    /// # Errors
    ///
    /// If a handler cannot be installed.
    pub fn new() -> io::Result<ForegroundSignals> {
        Signals::new([SIGTERM, SIGHUP, SIGTSTP]).map(ForegroundSignals)
    }

    /// Passes the numbers of signals that end a program to `end`, on a thread, until the result is
    /// dropped. A request to suspend stops this process, as it stops the others in the foreground.
    pub fn watch(self, end: impl Fn(i32) + Send + 'static) -> SignalWatch {
        let ForegroundSignals(mut signals) = self;
        let handle = signals.handle();
        thread::spawn(move || {
            for number in signals.forever() {
                match number {
                    SIGTSTP => drop(signal_hook::low_level::raise(SIGSTOP)),
                    number => end(number),
                }
            }
        });
        SignalWatch(handle)
    }
}

/// Watches signals until it is dropped.
pub struct SignalWatch(Handle);

impl Drop for SignalWatch {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The handle that ends the watch of [`watch_ends`].
static END_WATCH: OnceLock<Handle> = OnceLock::new();

/// Calls `end` on a thread with the number of a signal that ends programs, then ends the process by
/// it if `end` returns true. Signals that the process was started to ignore stay so. To be called
/// once.
///
/// # Errors
///
/// If a handler cannot be installed.
pub fn watch_ends(mut end: impl FnMut(i32) -> bool + Send + 'static) -> io::Result<()> {
    let watched = match ignored_signals() {
        Some(ignored) => {
            let mut all = vec![SIGTERM, SIGINT, SIGHUP, SIGQUIT];
            all.retain(|number| (ignored >> (number - 1)) & 1 == 0);
            all
        }
        // nohup and shells let programs ignore the others.
        None => vec![SIGTERM],
    };
    let mut signals = Signals::new(watched)?;
    END_WATCH.set(signals.handle()).ok();
    let watch = move || {
        let mut left = Vec::new();
        for number in signals.forever() {
            if end(number) {
                // It does not return.
                drop(signal_hook::low_level::emulate_default_handler(number))
            } else {
                left.push(number)
            }
        }
        // The end of the watch keeps what has just arrived.
        left.extend(signals.pending());
        drop(signals);
        for number in left {
            signal_hook::low_level::raise(number).ok();
        }
    };
    let thread = thread::Builder::new().name("tblame-signals".to_owned());
    thread.spawn(watch).map(drop)
}

/// Ends the watch of [`watch_ends`]. Signals that it left alone are sent again: they may have
/// arrived before others handled them.
pub fn stop_watching_ends() {
    if let Some(watch) = END_WATCH.get() {
        watch.close();
    }
}

/// Ends the process by the signal for writing to a pipe that nobody reads, which Rust's runtime
/// ignores. Does not return unless the system refuses.
pub fn end_by_closed_pipe() {
    let _ = signal_hook::low_level::emulate_default_handler(SIGPIPE);
}

/// The signals that the process ignores, a bit for each, where that can be asked.
fn ignored_signals() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let bits = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(bits.trim(), 16).ok()
}

/// Passes a signal on to the process `id`, which may have ended already.
pub fn forward_signal(id: u32, number: i32) {
    let id = i32::try_from(id).ok().and_then(Pid::from_raw);
    if let (Some(id), Some(signal)) = (id, Signal::from_named_raw(number)) {
        kill_process(id, signal).ok();
    }
}

/// True if the process can be suspended: the process group of the session leader has no shell with
/// job control to continue it.
pub fn can_suspend() -> bool {
    !getsid(None).is_ok_and(|session| session == getpgrp())
}

/// Stops the process and its group.
///
/// # Errors
///
/// As those of the system.
pub fn suspend() -> io::Result<()> {
    // One signal must stop the whole group. The shell waits for the group and may send SIGCONT as
    // soon as the others have stopped; a SIGSTOP that this process sent itself afterwards could
    // arrive after that and would never be continued.
    Ok(kill_current_process_group(Signal::STOP)?)
}

/// The argument that makes this program run another one without a terminal. Its name and arguments
/// follow.
const DETACHED: &str = "--without-terminal";

/// The error of a file that is neither a program nor a script that names its interpreter.
const NO_FORMAT: i32 = 8;

/// The exit status of a program that cannot be run, as in a shell.
const NOT_RUN: u8 = 127;

/// A command that runs a program without a terminal: it gets no signals from it, and cannot open it
/// to ask for a password. That takes a session of its own, which only the process itself can begin,
/// so this program is started in between.
pub fn detached_command(program: &OsStr) -> Command {
    let Ok(own) = env::current_exe() else {
        return foreground_command(program);
    };
    let mut command = foreground_command(if cfg!(target_os = "linux") {
        // Also leads to a file that was replaced since.
        Path::new("/proc/self/exe")
    } else {
        &own
    });
    command.arg(DETACHED).arg(program);
    command
}

/// Runs another program without a terminal, if the arguments are those of [`detached_command`].
pub fn run_detached(args: &[OsString]) -> Option<ExitCode> {
    let (first, rest) = args.split_first()?;
    let (program, rest) = rest.split_first().filter(|_| first == DETACHED)?;
    // It fails only for the leader of a process group, which this is not.
    rustix::process::setsid().ok();
    let mut error = Command::new(program).args(rest).exec();
    if error.raw_os_error() == Some(NO_FORMAT) {
        error = Command::new("sh").arg(program).args(rest).exec();
    }
    let message = format!("cannot run {}: {error}\n", program.to_string_lossy());
    // There is nowhere left to report an error.
    io::stderr().write_all(message.as_bytes()).ok();
    Some(ExitCode::from(NOT_RUN))
}

/// Lets the calling thread run after others, where threads have a priority of their own.
pub fn lower_priority(niceness: i32) {
    // Elsewhere it is the priority of the process. Failure is harmless.
    if cfg!(target_os = "linux") {
        rustix::process::setpriority_process(None, niceness).ok();
    }
}
