//! The launcher of tblame: the program `git-tblame`, which `git tblame` runs and `--install-shim`
//! installs as `git`.
//!
//! It is another program than tblame because most of what runs in place of git is the installed
//! git. Before tblame's `main`, 300 KiB of pointers are relocated, which takes longer than all that
//! the launcher does.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::PathBuf,
    process::{self, ExitCode},
};

use bstr::{BString, ByteSlice};

use crate::{
    cli::{
        self,
        git_options::{self, GitOptions, Grammar},
    },
    error::{Result, os_message},
    run::{program_name, report, shim},
    system::{self, installed_git},
};

/// The launcher's `main`.
pub fn main() -> ExitCode {
    let mut args = env::args_os();
    let name = args.next().unwrap_or_default();
    let args: Vec<OsString> = args.collect();
    let tblame = || installed_git::own_path(installed_git::TBLAME).filter(|it| it.is_file());
    if program_name(&name) != "git" {
        // git found this program in `PATH`, so the other one may be there too.
        let program = tblame().unwrap_or_else(|| installed_git::TBLAME.into());
        let mut command = named(program, &name);
        command.args(args);
        return run(command);
    }
    match blame_of(&args).and_then(|blame| Some((blame, tblame()?))) {
        Some(((options, args), tblame)) => report(answer(named(tblame, &name), &options, &args)),
        None => shim::run_git(&args),
    }
}

/// The options of git before `blame` or `annotate`, and this command with its arguments; `None` for
/// other commands.
fn blame_of(args: &[OsString]) -> Option<(GitOptions, Vec<BString>)> {
    // Under its own name, tblame would not answer as git.
    if !system::PASSES_PROGRAM_NAMES {
        return None;
    }
    let mut args = cli::bytes(args.iter().cloned()).ok()?;
    let (options, at) = git_options::parse(&args, Grammar::OfGit).ok()?;
    let args = args.split_off(at);
    let is_blame = matches!(args.first()?.as_bytes(), b"blame" | b"annotate");
    is_blame.then_some((options, args))
}

/// Lets `tblame` answer the command `args`.
fn answer(
    mut tblame: process::Command,
    options: &GitOptions,
    args: &[BString],
) -> Result<ExitCode> {
    tblame.envs(options.apply()?);
    tblame.args(cli::os_strings(args));
    Ok(run(tblame))
}

/// The command `program`, started as `name`.
fn named(program: PathBuf, name: &OsStr) -> process::Command {
    let mut command = process::Command::new(program);
    system::set_program_name(&mut command, name);
    command
}

fn run(mut command: process::Command) -> ExitCode {
    system::replace_process(&mut command).unwrap_or_else(|err| {
        let program = command.get_program().display();
        eprintln!("tblame: cannot run '{program}': {}", os_message(&err));
        ExitCode::from(shim::NOT_FOUND)
    })
}
