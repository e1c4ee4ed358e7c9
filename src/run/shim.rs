//! tblame in place of git: under the name `git` it answers `blame` and `annotate`, and runs the
//! installed git for everything else.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs, io,
    path::{Path, PathBuf},
    process::{self, ExitCode},
};

use bstr::{BString, ByteSlice};

use crate::{
    cli::{
        self, Command, Invocation, Output, ShimAction,
        git_options::{self, GitOptions, Grammar},
    },
    error::{Error, Result, os_message},
    system::{self, installed_git},
};

/// The exit status of a shell that does not find a command.
pub(super) const NOT_FOUND: u8 = 127;

/// A command line of git that is answered here.
pub(super) struct ShimCall {
    /// The options before the command.
    pub(super) options: GitOptions,
    /// The command and its arguments.
    pub(super) args: Vec<BString>,
    pub(super) invocation: Box<Invocation>,
}

/// Reads the arguments of `git`. `None` if the installed git must run with them: for other
/// commands, help, and whatever is refused, so that the messages are git's.
pub(super) fn read(args: &[OsString]) -> Option<ShimCall> {
    let args = cli::bytes(args.iter().cloned()).ok()?;
    let (options, at) = git_options::parse(&args, Grammar::OfGit).ok()?;
    let (command, args) = (args.get(at)?, &args[at..]);
    let (command, annotate) = match command.as_bytes() {
        b"blame" => ("git blame", false),
        b"annotate" => ("git annotate", true),
        _ => return None,
    };
    let Ok(Command::Blame(mut invocation)) = cli::parse(command, &args[1..]) else {
        return None;
    };
    // For git, `--patch` has no effect on a blame.
    if matches!(invocation.output, Output::Patch { .. }) {
        return None;
    }
    invocation.format.annotate |= annotate;
    invocation.format.annotate_command |= annotate;
    // Without a pager, git writes to the terminal.
    if invocation.viewer.is_none() && is_pager_off(|name| env::var_os(name)) {
        invocation.viewer = Some(false);
    }
    Some(ShimCall {
        options,
        args: args.to_vec(),
        invocation,
    })
}

/// True if the environment says that output is not to be paged.
fn is_pager_off(var: impl Fn(&str) -> Option<OsString>) -> bool {
    let pager = var("GIT_PAGER").or_else(|| var("PAGER"));
    pager.is_some_and(|pager| pager.is_empty() || pager == "cat")
}

/// Runs the installed git in place of this process.
pub(super) fn run_git(args: &[OsString]) -> ExitCode {
    let Some(git) = installed_git::find() else {
        eprintln!("tblame: there is no other git in PATH");
        return ExitCode::from(NOT_FOUND);
    };
    let mut command = process::Command::new(git);
    system::replace_process(command.args(args)).unwrap_or_else(|err| {
        eprintln!(
            "tblame: cannot run '{}': {}",
            git.display(),
            os_message(&err)
        );
        ExitCode::from(NOT_FOUND - 1)
    })
}

/// Runs this program again in place of this process, as `program` with `args`, and with `variables`
/// set.
pub(super) fn run_again(
    program: &OsStr,
    args: impl IntoIterator<Item = OsString>,
    variables: Vec<(&'static str, OsString)>,
) -> Result<ExitCode> {
    let fatal = |err: io::Error| {
        let reason = os_message(&err);
        Error::fatal(format!("cannot run this program again: {reason}"))
    };
    let mut command = process::Command::new(env::current_exe().map_err(fatal)?);
    system::set_program_name(&mut command, program);
    command.args(args);
    command.envs(variables);
    system::replace_process(&mut command).map_err(fatal)
}

/// Installs or removes the program under the name `git`. Returns what was done.
///
/// # Errors
///
/// As [`install`] and [`remove`].
pub(super) fn change(program: &OsStr, action: &ShimAction) -> Result<String> {
    match action {
        ShimAction::Install(directory) => install(program, &directory.to_path_lossy()),
        ShimAction::Remove(directory) => {
            let directory = directory.as_ref().map(|it| it.to_path_lossy());
            remove(program, directory.as_deref())
        }
    }
}

/// Runs `--install-shim`.
///
/// # Errors
///
/// If the directory cannot be written to, or has another program of this name. Nothing is replaced.
fn install(program: &OsStr, directory: &Path) -> Result<String> {
    let own = own_path(program)?;
    let launcher = launcher_of(&own);
    let target = if system::PASSES_PROGRAM_NAMES && launcher.is_file() {
        launcher
    } else {
        own.clone()
    };
    let shim = directory.join(system::GIT);
    let shown = shim.display();
    let failed =
        |err: io::Error| Error::fatal(format!("cannot create '{shown}': {}", os_message(&err)));
    fs::create_dir_all(directory).map_err(failed)?;
    match fs::symlink_metadata(&shim) {
        Ok(_) if system::is_same_file(&shim, &target) => {}
        // Of a version without the launcher.
        Ok(_) if system::is_same_file(&shim, &own) => {
            let replaced =
                fs::remove_file(&shim).and_then(|()| system::link_program(&target, &shim));
            replaced.map_err(failed)?;
        }
        Ok(_) => {
            return Err(Error::fatal(format!(
                "'{shown}' exists, and is another program"
            )));
        }
        Err(_) => system::link_program(&target, &shim).map_err(failed)?,
    }
    let first = env::var_os("PATH").and_then(|path| {
        let mut programs = env::split_paths(&path).map(|directory| directory.join(system::GIT));
        programs.find(|program| program.is_file())
    });
    let is_first = first.is_some_and(|first| system::is_same_file(&first, &shim));
    let mut text = format!("{shown} is {}\n", target.display());
    if !is_first {
        text.push_str(&format!(
            "It is used where {} comes before the directory of git in PATH.\n",
            directory.display()
        ));
    }
    Ok(text)
}

/// Runs `--remove-shim`, in `directory` or in those of `PATH`.
///
/// # Errors
///
/// If there is none, or it cannot be removed.
fn remove(program: &OsStr, directory: Option<&Path>) -> Result<String> {
    let own = own_path(program)?;
    let launcher = launcher_of(&own);
    let directories = match directory {
        Some(directory) => vec![directory.to_owned()],
        None => env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect(),
    };
    let mut text = String::new();
    for directory in directories {
        let shim = directory.join(system::GIT);
        // A link to a program that is gone leads to no file.
        let named = fs::read_link(&shim).ok();
        let is_stale = named.is_some_and(|to| {
            !to.exists() && [own.file_stem(), launcher.file_stem()].contains(&to.file_stem())
        });
        let is_own = |own: &PathBuf| system::is_same_file(&shim, own);
        if !is_stale && ![&own, &launcher].into_iter().any(is_own) {
            continue;
        }
        fs::remove_file(&shim).map_err(|err| {
            let reason = os_message(&err);
            Error::fatal(format!("cannot remove '{}': {reason}", shim.display()))
        })?;
        text.push_str(&format!("{} is removed\n", shim.display()));
    }
    match (text.is_empty(), directory) {
        (false, _) => Ok(text),
        (true, Some(directory)) => Err(Error::fatal(format!(
            "'{}' is not tblame, or does not exist",
            directory.join(system::GIT).display()
        ))),
        (true, None) => Err(Error::fatal(
            "no directory of PATH has tblame under the name git",
        )),
    }
}

/// The launcher that is installed with the program `own`; it may be missing.
fn launcher_of(own: &Path) -> PathBuf {
    own.with_file_name(format!(
        "{}{}",
        installed_git::LAUNCHER,
        env::consts::EXE_SUFFIX
    ))
}

/// The path by which this program was started: a package manager may replace what a link leads to.
fn own_path(program: &OsStr) -> Result<PathBuf> {
    let exe = env::current_exe()
        .map_err(|err| Error::fatal(format!("cannot find this program: {}", os_message(&err))))?;
    let named = Path::new(program);
    let found = match named.components().count() {
        1 => env::var_os("PATH").and_then(|path| {
            let mut programs = env::split_paths(&path).map(|directory| directory.join(named));
            programs.find(|program| system::is_same_file(program, &exe))
        }),
        _ => Some(named.to_owned()).filter(|program| system::is_same_file(program, &exe)),
    };
    let absolute = found.and_then(|found| std::path::absolute(found).ok());
    Ok(absolute.unwrap_or(exe))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_answered(words: &[&str]) -> bool {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        read(&words).is_some()
    }

    #[test]
    fn blame_and_annotate_are_answered() {
        for words in [
            &["blame", "f"][..],
            &["annotate", "f"],
            &["-C", "d", "--no-pager", "-c", "a.b=c", "blame", "-C", "f"],
            &["--git-dir", "d", "blame", "--porcelain", "f"],
            &[
                "--literal-pathspecs",
                "--no-literal-pathspecs",
                "blame",
                "f",
            ],
        ] {
            assert!(is_answered(words), "{words:?}");
        }
    }

    #[test]
    fn the_rest_is_left_to_git() {
        for words in [
            &[][..],
            &["status"],
            &["blam", "f"],
            &["-C", "d", "log", "blame"],
            &["--unknown", "blame", "f"],
            &["--git-dir"],
            &["--version"],
            &["--exec-path", "blame", "f"],
            &["blame", "-h"],
            &["blame", "--help"],
            &["blame", "--unknown", "f"],
            &["help", "blame"],
        ] {
            assert!(!is_answered(words), "{words:?}");
        }
    }

    #[test]
    fn the_first_pager_decides() {
        let off = |git: Option<&str>, other: Option<&str>| {
            is_pager_off(|name| match name {
                "GIT_PAGER" => git.map(OsString::from),
                _ => other.map(OsString::from),
            })
        };
        assert!(off(Some("cat"), Some("less")) && off(None, Some("")));
        assert!(!off(Some("less"), Some("cat")) && !off(None, None));
    }
}
