//! Commands that run in the background.

use std::{ffi::OsStr, process::Command, sync::OnceLock};

use crate::system::arenas::foreground_command;

/// Makes the commands of programs in the background.
type MakeCommand = fn(&OsStr) -> Command;

static MAKE: OnceLock<MakeCommand> = OnceLock::new();

/// From now on, `make` makes what [`command`] returns: the viewer has the terminal, which other
/// programs must not reach.
#[cfg(feature = "program")]
pub fn make_commands_with(make: MakeCommand) {
    // The viewer is started once.
    let _ = MAKE.set(make);
}

/// A command that runs another program, which is not to use the terminal while the viewer does.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    match MAKE.get() {
        Some(make) => make(program.as_ref()),
        None => foreground_command(program),
    }
}
