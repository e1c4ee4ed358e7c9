//! What a report of a fault needs: `--report`, and the log of a run.

mod command_line;
mod program;
mod repository;

pub(super) use program::terminal_size;

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    time::Instant,
};

use bstr::{BString, ByteSlice};

use crate::{
    cli::{Command, Invocation},
    error::{Error, Result, os_message},
    repository::{Repository, open::git_config::GitConfig, request::prepare::PreparedRequest},
    run::{cache, git_compat::GitCompat},
    system::run_log,
};

/// The file of the log, if `--log` names none.
const LOG: &str = "TBLAME_LOG";

/// If it is set, the log has names.
const NAMES: &str = "TBLAME_LOG_NAMES";

/// Something that a report says.
#[derive(Debug)]
struct Fact {
    /// What it is about, in one word.
    subject: &'static str,
    text: String,
}

impl Fact {
    fn new(subject: &'static str, text: impl Into<String>) -> Fact {
        let text = text.into();
        Fact { subject, text }
    }
}

/// The text of `--report`: what this program, its surroundings and the repository of the current
/// directory are, without names. `repository` is an error if there is none.
pub(super) fn report(
    program: &OsStr,
    invocation: &Invocation,
    repository: &Result<Repository>,
) -> Result<String> {
    let mut facts = program::facts(program);
    let default = GitConfig::default();
    let config = repository.as_ref().map_or(&default, Repository::config);
    let compat = GitCompat::new(invocation, config)?;
    facts.push(Fact::new("git", compat.described()));
    let repository = repository.as_ref();
    let cache = cache::described(invocation, repository.ok());
    facts.push(Fact::new("cache", cache));
    match repository {
        Ok(repository) => facts.extend(repository::facts(repository)),
        Err(err) => facts.push(Fact::new("repository", format!("none: {:?}", err.kind()))),
    }
    let mut text = "```text\n".to_owned();
    for Fact {
        subject,
        text: fact,
    } in facts
    {
        text.push_str(&format!("{subject:<11}{fact}\n"));
    }
    text.push_str("```\n");
    Ok(text)
}

/// Opens the log if the command line or the environment names a file, and notes what is known before
/// a repository is.
///
/// # Errors
///
/// If the file cannot be written to.
pub(super) fn open_log(program: &OsStr, parsed: &Result<Command>, began: Instant) -> Result<()> {
    let named = match parsed {
        Ok(Command::Print(_) | Command::Help | Command::NoDocument(_)) => return Ok(()),
        Ok(Command::Blame(invocation)) => invocation.log.as_ref(),
        Err(_) => None,
    };
    let path = match named {
        Some(path) => path.to_path_lossy().into_owned(),
        None => match env::var_os(LOG).filter(|path| !path.is_empty()) {
            Some(path) => PathBuf::from(path),
            None => return Ok(()),
        },
    };
    if path == Path::new("-") {
        return Err(Error::fatal("the log is a file: its name cannot be '-'"));
    }
    let has_names = env::var_os(NAMES).is_some_and(|value| !value.is_empty());
    let words: Vec<OsString> = env::args_os().skip(1).collect();
    run_log::open(&path, began, has_names).map_err(|err| {
        let (path, reason) = (path.display(), os_message(&err));
        Error::fatal(format!("cannot write the log '{path}': {reason}"))
    })?;
    let names = if has_names { "with" } else { "without" };
    run_log::note("log", format_args!("{names} names; times are in ms"));
    note(program::facts(program));
    let words = command_line::described(&words, has_names);
    run_log::note("command", format_args!("{words}"));
    Ok(())
}

fn note(facts: Vec<Fact>) {
    for Fact { subject, text } in facts {
        run_log::note(subject, format_args!("{text}"));
    }
}

/// Notes the repository and what was decided by its configuration.
pub(super) fn note_repository(
    repository: &Repository,
    invocation: &Invocation,
    compat: &GitCompat,
) {
    if run_log::is_open() {
        note(repository::facts(repository));
        run_log::note("git", format_args!("{}", compat.described()));
        let cache = cache::described(invocation, Some(repository));
        run_log::note("cache", format_args!("{cache}"));
    }
}

/// Notes what is blamed.
pub(super) fn note_request(invocation: &Invocation, prepared: &PreparedRequest) {
    if run_log::is_open() {
        let text = repository::described(invocation, prepared);
        run_log::note("request", format_args!("{text}"));
    }
}

/// Notes warnings that are printed.
pub(super) fn note_warnings(warnings: &[BString]) {
    for warning in warnings {
        let warning = run_log::message(warning);
        run_log::note("warning", format_args!("printed: {warning}"));
    }
}

/// Notes how the run ended.
pub(super) fn note_end(result: &Result<()>) {
    match result {
        Ok(()) => run_log::note("end", format_args!("status 0")),
        Err(err) => {
            note_warnings(err.notes());
            let (status, what) = (err.exit_status(), err.without_names());
            let message = run_log::message(err.message().as_bytes());
            run_log::note("end", format_args!("status {status}, {what}; {message}"));
        }
    }
}
