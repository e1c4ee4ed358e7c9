//! The watcher: a process that restores the terminal if the viewer ends without doing so.
//!
//! KILL ends a process, and so does the allocator when memory runs out, and no code of the process
//! runs after that. The watcher is this program, started once more. It reads a pipe until the
//! viewer's end closes, and then knows by the last byte whether the viewer had the terminal.

use std::{
    env,
    ffi::{OsStr, OsString},
    io::{self, Read, Write},
    process::{ChildStdin, Command, ExitCode, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::{
    system::{self, TerminalModes},
    viewer::terminal::modes,
};

/// The argument that makes this program the watcher. The modes of the terminal follow.
const ARGUMENT: &str = "--watch-terminal";

/// The pipe to the watcher.
static PIPE: Mutex<Option<ChildStdin>> = Mutex::new(None);

/// True if the viewer has changed the terminal's modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TerminalState {
    /// It has, or is about to.
    Taken,
    /// It has not, or has given them back.
    Restored,
}

impl TerminalState {
    fn byte(self) -> u8 {
        match self {
            TerminalState::Taken => b'+',
            TerminalState::Restored => b'-',
        }
    }
}

/// Starts the watcher, before the modes of the terminal are changed. Without one, the viewer works
/// as well.
pub(crate) fn start() {
    let Some(modes) = TerminalModes::read() else {
        return;
    };
    let Ok(program) = env::current_exe() else {
        return;
    };
    let mut command = Command::new(program);
    system::set_program_name(&mut command, OsStr::new("tblame"));
    command.arg(ARGUMENT).args(modes.to_words());
    // It keeps no directory busy.
    command.current_dir("/").stdin(Stdio::piped());
    if let Ok(mut watcher) = command.spawn() {
        *pipe() = watcher.stdin.take();
    }
}

/// Tells the watcher what it has to restore.
pub(crate) fn tell(state: TerminalState) {
    if let Some(pipe) = &mut *pipe() {
        // A watcher that was killed is done without.
        let _ = pipe.write_all(&[state.byte()]);
    }
}

fn pipe() -> MutexGuard<'static, Option<ChildStdin>> {
    PIPE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the watcher if the arguments ask for it. They are this program's own: a user has no reason
/// to give them.
pub fn run(args: &[OsString]) -> Option<ExitCode> {
    let (first, modes) = args.split_first()?;
    if first != ARGUMENT {
        return None;
    }
    let modes = TerminalModes::from_words(modes.iter().filter_map(|word| word.to_str()))?;
    let is_left = watch(&mut io::stdin().lock());
    if is_left {
        modes.restore();
        let mut out = io::stdout().lock();
        let shown = out.write_all(&modes::leaving()).and_then(|()| out.flush());
        let message = "fatal: the viewer was killed, or ran out of memory\n";
        if shown.is_ok() {
            // There is nowhere left to report an error.
            let _ = io::stderr().write_all(message.as_bytes());
        }
    }
    Some(ExitCode::SUCCESS)
}

/// Reads until the viewer ends. Returns whether it had the terminal then.
fn watch(states: &mut impl Read) -> bool {
    let mut last = TerminalState::Restored.byte();
    let mut byte = [0];
    loop {
        match states.read(&mut byte) {
            Ok(1..) => [last] = byte,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => return last == TerminalState::Taken.byte(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_state_counts() {
        for (states, is_left) in [("", false), ("+", true), ("+-", false), ("+-+", true)] {
            assert_eq!(watch(&mut states.as_bytes()), is_left, "{states}");
        }
    }

    #[test]
    fn other_arguments_are_not_for_the_watcher() {
        for args in [
            vec![],
            vec!["--watch-terminal"],
            vec!["file", "--watch-terminal"],
        ] {
            let args: Vec<OsString> = args.into_iter().map(OsString::from).collect();
            assert!(run(&args).is_none(), "{args:?}");
        }
    }
}
