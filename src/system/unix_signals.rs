//! Signals, and the process group in which they arrive.

use std::{fs, io, process::Command, sync::OnceLock, thread};

use futures_util::{Stream, StreamExt, stream};
use rustix::process::{Pid, Signal, getpgrp, getsid, kill_current_process_group, kill_process};
use signal_hook::{
    consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGSTOP, SIGTERM, SIGTSTP},
    iterator::{Handle, Signals},
};
use tokio::signal::unix::{SignalKind, signal};

use crate::system::SystemSignal;

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

    /// Passes the numbers of signals that end a program to `end`, on a thread, until the result is dropped. A request to
    /// suspend stops this process, as it stops the others in the foreground.
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

/// What ends the watch of [`watch_ends`].
static END_WATCH: OnceLock<Handle> = OnceLock::new();

/// Calls `end` on a thread with the number of a signal that ends programs, then ends the process by it if `end` returns true.
/// Signals that the process was started to ignore stay so. To be called once.
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
            match end(number) {
                // It does not return.
                true => drop(signal_hook::low_level::emulate_default_handler(number)),
                false => left.push(number),
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

/// Ends the watch of [`watch_ends`]. Signals that it left alone are sent again: they may have arrived before others handled them.
pub fn stop_watching_ends() {
    if let Some(watch) = END_WATCH.get() {
        watch.close();
    }
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

/// Whether the process can be suspended: the process group of the session leader has no shell with job control
/// to continue it.
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

/// Lets `command` not get the signals of the terminal.
pub fn detach_from_terminal(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Lets the calling thread run after others, where threads have a priority of their own.
pub fn lower_priority(niceness: i32) {
    // Elsewhere it is the priority of the process. Failure is harmless.
    if cfg!(target_os = "linux") {
        rustix::process::setpriority_process(None, niceness).ok();
    }
}
