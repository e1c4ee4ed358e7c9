//! The pager that output on a terminal goes through, by git's rules.

use std::{
    env,
    ffi::{OsStr, OsString},
    io::{self, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, atomic::AtomicBool},
};

use bstr::ByteSlice;
use signal_hook::{SigId, consts::SIGINT, flag, low_level};

use crate::{
    error::{Error, Result, os_message},
    repository::open::git_config::{CommandPager, GitConfig},
    run::signals,
};

/// The pager where neither the environment nor the configuration names one.
const DEFAULT: &str = "less";

/// Variables of the pager, unless the user has set them, as in git.
const VARIABLES: [(&str, &str); 2] = [("LESS", "FRX"), ("LV", "-c")];

/// Characters that make git run a pager through the shell.
const SHELL_CHARACTERS: &[u8] = b"|&;<>()$`\\\"' \t\n*?[#~=%";

/// The command line of the pager: `GIT_PAGER`, `pager.<command>`, `core.pager`, `PAGER` or `less`.
/// `None` if output is not to be paged. `annotate` tells whether `pager.annotate` counts, or
/// `pager.blame`.
///
/// In contrast to git, `less` does not run unasked on a terminal without cursor movement, where it
/// complains about that.
pub(super) fn command(
    config: &GitConfig,
    annotate: bool,
    var: impl Fn(&str) -> Option<OsString>,
) -> Option<OsString> {
    let of_command = if annotate {
        &config.annotate_pager
    } else {
        &config.blame_pager
    };
    let configured = match of_command {
        Some(CommandPager::Wanted(false)) => return None,
        Some(CommandPager::Program(program)) => Some(program),
        Some(CommandPager::Wanted(true)) | None => config.pager.as_ref(),
    };
    let configured = || configured.map(|it| it.to_os_str_lossy().into_owned());
    let pager = var("GIT_PAGER")
        .or_else(configured)
        .or_else(|| var("PAGER"))
        .or_else(|| (!is_dumb_terminal(&var)).then(|| DEFAULT.into()))?;
    (!pager.is_empty() && pager != "cat").then_some(pager)
}

/// True if `TERM` says that the terminal has no cursor movement. Windows does not use the variable.
pub(super) fn is_dumb_terminal(var: impl Fn(&str) -> Option<OsString>) -> bool {
    let term = var("TERM").unwrap_or_default();
    term == "dumb" || (cfg!(unix) && term.is_empty())
}

/// A running pager. When it is dropped, its input ends, and its end is awaited.
#[derive(Debug)]
pub(super) struct OutputPager {
    child: Child,
    /// `None` once the output has ended.
    input: Option<ChildStdin>,
    /// While the pager runs, `^C` is meant for it.
    interrupt: Option<SigId>,
}

impl OutputPager {
    /// Starts the pager with a command line.
    ///
    /// # Errors
    ///
    /// If it cannot be run; git does not go on without it either.
    pub(super) fn start(line: &OsStr) -> Result<OutputPager> {
        let words = line.as_encoded_bytes();
        let mut command = match words.find_byteset(SHELL_CHARACTERS) {
            Some(_) => {
                let mut shell = Command::new("sh");
                shell.arg("-c").arg(line);
                shell
            }
            None => Command::new(line),
        };
        for (name, value) in VARIABLES {
            if env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        let mut child = command.stdin(Stdio::piped()).spawn().map_err(|err| {
            let line = line.to_string_lossy();
            let note = format!("error: cannot run {line}: {}", os_message(&err));
            Error::fatal(format!("unable to execute pager '{line}'")).after(vec![note.into()])
        })?;
        signals::set_paged(true);
        Ok(OutputPager {
            input: child.stdin.take(),
            child,
            interrupt: flag::register(SIGINT, Arc::new(AtomicBool::new(false))).ok(),
        })
    }
}

impl Write for OutputPager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.input {
            Some(input) => input.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for OutputPager {
    fn drop(&mut self) {
        self.input = None;
        // What the pager makes of the output is not known to git either.
        let _ = self.child.wait();
        if let Some(interrupt) = self.interrupt {
            low_level::unregister(interrupt);
        }
        signals::set_paged(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pager_is_chosen_as_by_git() {
        let with = |pager: &str, of_blame: Option<CommandPager>, variables: &[(&str, &str)]| {
            let config = GitConfig {
                pager: (!pager.is_empty()).then(|| pager.into()),
                blame_pager: of_blame,
                annotate_pager: Some(CommandPager::Wanted(false)),
                ..GitConfig::default()
            };
            let var = |name: &str| {
                let found = variables.iter().find(|(other, _)| *other == name);
                found.map(|(_, value)| OsString::from(value))
            };
            assert_eq!(command(&config, true, var), None);
            command(&config, false, var).map(|it| it.to_string_lossy().into_owned())
        };
        let some = |text: &str| Some(text.to_owned());
        let program = |text: &str| Some(CommandPager::Program(text.into()));
        assert_eq!(with("", None, &[("TERM", "xterm")]), some("less"));
        assert_eq!(with("", None, &[("TERM", "dumb")]), None);
        assert_eq!(
            with("", None, &[("TERM", "dumb"), ("PAGER", "more")]),
            some("more")
        );
        assert_eq!(with("most", None, &[("PAGER", "more")]), some("most"));
        assert_eq!(with("most", program("head"), &[]), some("head"));
        let wanted = Some(CommandPager::Wanted(true));
        assert_eq!(with("most", wanted, &[]), some("most"));
        let all = [("GIT_PAGER", "less -S"), ("PAGER", "more")];
        assert_eq!(with("most", program("head"), &all), some("less -S"));
        let unwanted = Some(CommandPager::Wanted(false));
        assert_eq!(with("most", unwanted, &all), None);
        assert_eq!(with("most", None, &[("GIT_PAGER", "")]), None);
        assert_eq!(with("cat", None, &[("PAGER", "more")]), None);
    }
}
