//! The options of `git` itself, which stand before a command: `git -C DIR --no-pager blame …`.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result, os_message},
    text::shell_quotes::push_quoted,
};

/// Which options are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grammar {
    /// All of git's before its command.
    OfGit,
    /// Those that are no options of `git blame` too. `-C` must be followed by a word that only a
    /// directory can be, and `-c` by a setting.
    WithoutCommand,
}

/// Options of git, not yet applied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitOptions {
    steps: Vec<Step>,
}

/// The effect of one option.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// `-C`: changes the directory, unless the name is empty.
    Directory(BString),
    /// Sets a variable for this program and those that it starts.
    Variable(&'static str, BString),
    /// `-c`: a variable of the configuration; no value means true.
    Setting(BString, Option<BString>),
    /// `--config-env`: a variable of the configuration, with the value of one of the environment.
    SettingFrom(BString),
    /// `--bare`.
    Bare,
}

/// Options that set a variable to a fixed value.
const FLAGS: &[(&str, &str, &str)] = &[
    ("--no-pager", "GIT_PAGER", "cat"),
    ("--no-replace-objects", "GIT_NO_REPLACE_OBJECTS", "1"),
    ("--no-lazy-fetch", "GIT_NO_LAZY_FETCH", "1"),
    ("--no-optional-locks", "GIT_OPTIONAL_LOCKS", "0"),
    ("--no-advice", "GIT_ADVICE", "0"),
    ("--literal-pathspecs", "GIT_LITERAL_PATHSPECS", "1"),
    ("--no-literal-pathspecs", "GIT_LITERAL_PATHSPECS", "0"),
    ("--glob-pathspecs", "GIT_GLOB_PATHSPECS", "1"),
    ("--noglob-pathspecs", "GIT_NOGLOB_PATHSPECS", "1"),
    ("--icase-pathspecs", "GIT_ICASE_PATHSPECS", "1"),
];

/// Options that set a variable to their value, and what git says if there is none.
const VALUES: &[(&str, &str, &str)] = &[
    (
        "--git-dir",
        "GIT_DIR",
        "no directory given for '--git-dir' option",
    ),
    (
        "--work-tree",
        "GIT_WORK_TREE",
        "no directory given for '--work-tree' option",
    ),
    (
        "--namespace",
        "GIT_NAMESPACE",
        "no namespace given for --namespace",
    ),
    (
        "--attr-source",
        "GIT_ATTR_SOURCE",
        "no attribute source given for --attr-source",
    ),
];

/// True if git has this long option before its commands.
pub(super) fn is_long_option(name: &str) -> bool {
    let names = FLAGS.iter().chain(VALUES).map(|(name, ..)| &name[2..]);
    let others = ["config-env", "bare", "paginate", "exec-path"];
    names.chain(others).any(|known| known == name)
}

/// Reads options from the beginning of `args`; returns them with the number of words. Other options
/// of git, which print something, are left where they are.
///
/// # Errors
///
/// In git's words, if a value is missing. The caller adds the usage.
pub fn parse(args: &[BString], grammar: Grammar) -> Result<(GitOptions, usize)> {
    let mut options = GitOptions::default();
    let mut at = 0;
    while let Some((step, count)) = next(&args[at..], grammar)? {
        options.steps.extend(step);
        at += count;
    }
    Ok((options, at))
}

/// The option that `args` begins with, and the number of its words.
fn next(args: &[BString], grammar: Grammar) -> Result<Option<(Option<Step>, usize)>> {
    let Some((word, rest)) = args.split_first() else {
        return Ok(None);
    };
    let word = word.as_bstr();
    let of_git = grammar == Grammar::OfGit;
    if let Some((_, variable, value)) = FLAGS.iter().find(|(name, ..)| word == name) {
        return Ok(Some((Some(Step::Variable(variable, (*value).into())), 1)));
    }
    for (name, variable, missing) in VALUES {
        if let Some((value, count)) = value_of(name, word, rest, missing)? {
            return Ok(Some((Some(Step::Variable(variable, value)), count)));
        }
    }
    if let Some((value, count)) = value_of(
        "--config-env",
        word,
        rest,
        "no config key given for --config-env",
    )? {
        return Ok(Some((Some(Step::SettingFrom(value)), count)));
    }
    let step = match (word.as_bytes(), rest.first()) {
        (b"--bare", _) => (Some(Step::Bare), 1),
        (b"--paginate", _) => (None, 1),
        (b"-p", _) if of_git => (None, 1),
        (b"-P", _) if of_git => (Some(Step::Variable("GIT_PAGER", "cat".into())), 1),
        (b"-C", Some(directory)) if of_git || is_directory(directory.as_bstr()) => {
            (Some(Step::Directory(directory.clone())), 2)
        }
        (b"-c", Some(setting)) if of_git || is_setting(setting.as_bstr()) => {
            (Some(Step::setting(setting.as_bstr())), 2)
        }
        (b"-C", None) if of_git => return Err(missing("no directory given for '-C' option")),
        (b"-c", None) if of_git => return Err(missing("-c expects a configuration string")),
        (word, _) => match word.strip_prefix(b"--exec-path=") {
            Some(path) => (Some(Step::Variable("GIT_EXEC_PATH", path.into())), 1),
            None => return Ok(None),
        },
    };
    Ok(Some(step))
}

/// The value of the option `name`, attached to `word` or next, and the number of words; `None` if
/// `word` is another option.
fn value_of(
    name: &str,
    word: &BStr,
    rest: &[BString],
    what_is_missing: &str,
) -> Result<Option<(BString, usize)>> {
    let Some(attached) = word.strip_prefix(name.as_bytes()) else {
        return Ok(None);
    };
    match (attached.strip_prefix(b"="), rest.first()) {
        (Some(value), _) => Ok(Some((value.into(), 1))),
        (None, _) if !attached.is_empty() => Ok(None),
        (None, Some(value)) => Ok(Some((value.clone(), 2))),
        (None, None) => Err(missing(what_is_missing)),
    }
}

fn missing(what: &str) -> Error {
    Error::usage().after(vec![what.into()])
}

/// True if `word` can be neither a revision nor a file for `git blame`: it names a directory by its
/// form, or is an absolute path of one.
fn is_directory(word: &BStr) -> bool {
    let last = word.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    // `:/text/` is a revision.
    let by_form =
        !word.is_empty() && !word.contains(&b':') && [&b""[..], b".", b".."].contains(&last);
    let path = word.to_path_lossy();
    by_form || path.is_absolute() && path.is_dir()
}

/// True if `word` has the form of a setting, and is no file.
fn is_setting(word: &BStr) -> bool {
    let Some((key, _)) = word.split_once_str("=") else {
        return false;
    };
    let is_word = |text: &[u8]| {
        let mut bytes = text.iter();
        !text.is_empty() && bytes.all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    };
    let (Some(first), Some(last)) = (key.find_byte(b'.'), key.rfind_byte(b'.')) else {
        return false;
    };
    is_word(&key[..first])
        && is_word(&key[last + 1..])
        && word.to_path_lossy().symlink_metadata().is_err()
}

impl Step {
    fn setting(text: &BStr) -> Step {
        match text.split_once_str("=") {
            Some((key, value)) => Step::Setting(key.into(), Some(value.into())),
            None => Step::Setting(text.to_owned(), None),
        }
    }
}

impl GitOptions {
    /// Changes the directory of this process as the options say, and returns the variables to be
    /// set, with their values. Several have one name if options were repeated: the last counts.
    ///
    /// # Errors
    ///
    /// In git's words.
    pub fn apply(&self) -> Result<Vec<(&'static str, OsString)>> {
        let mut variables = Vec::new();
        let mut settings = Vec::new();
        let mut has_repository = env::var_os("GIT_DIR").is_some();
        for step in &self.steps {
            match step {
                Step::Directory(name) => change_directory(name.as_bstr())?,
                Step::Variable(name, value) => {
                    has_repository |= *name == "GIT_DIR";
                    variables.push((*name, value.to_os_str_lossy().into_owned()));
                }
                Step::Setting(key, value) => settings.push((key.clone(), value.clone())),
                Step::SettingFrom(text) => settings.push(from_environment(text.as_bstr())?),
                Step::Bare => {
                    if !has_repository {
                        variables.push(("GIT_DIR", current_directory()?.into_os_string()));
                        has_repository = true;
                    }
                    variables.push(("GIT_IMPLICIT_WORK_TREE", "0".into()));
                }
            }
        }
        if !settings.is_empty() {
            let quoted = quoted_settings(&settings);
            variables.push((
                "GIT_CONFIG_PARAMETERS",
                quoted.to_os_str_lossy().into_owned(),
            ));
        }
        Ok(variables)
    }
}

fn current_directory() -> Result<PathBuf> {
    env::current_dir().map_err(|err| {
        let reason = os_message(&err);
        Error::fatal(format!("unable to get current working directory: {reason}"))
    })
}

fn change_directory(name: &BStr) -> Result<()> {
    if name.is_empty() {
        return Ok(());
    }
    env::set_current_dir::<&Path>(name.to_path_lossy().as_ref()).map_err(|err| {
        let mut message = b"cannot change to '".to_vec();
        message.push_str(name);
        message.push_str(format!("': {}", os_message(&err)));
        Error::fatal(message)
    })
}

/// The setting of `--config-env=KEY=VARIABLE`.
fn from_environment(text: &BStr) -> Result<(BString, Option<BString>)> {
    let fatal = |parts: [&[u8]; 3]| Err(Error::fatal(parts.concat()));
    let Some((key, name)) = text.rsplit_once_str("=") else {
        return fatal([b"invalid config format: ", text, b""]);
    };
    if name.is_empty() {
        return fatal([
            b"missing environment variable name for configuration '",
            key,
            b"'",
        ]);
    }
    let value = env::var_os(name.to_os_str_lossy());
    let Some(value) = value.and_then(|value| Vec::from_os_string(value).ok()) else {
        let start = [b"missing environment variable '", name].concat();
        return fatal([&start, b"' for configuration '", &[key, b"'"].concat()]);
    };
    Ok((key.into(), Some(value.into())))
}

/// `GIT_CONFIG_PARAMETERS` with the settings after those that it has.
fn quoted_settings(settings: &[(BString, Option<BString>)]) -> BString {
    let before = env::var_os("GIT_CONFIG_PARAMETERS");
    let mut text = before
        .and_then(|before| Vec::from_os_string(before).ok())
        .unwrap_or_default();
    for (key, value) in settings {
        if !text.is_empty() {
            text.push(b' ');
        }
        push_quoted(&mut text, key);
        text.push(b'=');
        if let Some(value) = value {
            push_quoted(&mut text, value);
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<BString> {
        words.iter().map(|&word| word.into()).collect()
    }

    /// How many words are git's options.
    fn length(args: &[&str], grammar: Grammar) -> usize {
        parse(&words(args), grammar).unwrap().1
    }

    #[test]
    fn options_of_git_end_at_the_command() {
        let args = [
            "-C",
            "x",
            "--no-pager",
            "-p",
            "-c",
            "a.b",
            "--git-dir",
            "d",
            "--git-dir=d",
            "blame",
            "-C",
        ];
        assert_eq!(length(&args, Grammar::OfGit), 9);
        for stop in [
            "--version",
            "-h",
            "--exec-path",
            "--html-path",
            "--git-dirs=x",
            "--bare=1",
            "-Cx",
        ] {
            assert_eq!(length(&["--bare", stop, "x"], Grammar::OfGit), 1, "{stop}");
        }
        let missing = parse(&words(&["--bare", "--work-tree"]), Grammar::OfGit).unwrap_err();
        assert_eq!(
            missing.notes(),
            ["no directory given for '--work-tree' option"]
        );
    }

    #[test]
    fn options_of_blame_stay_options_of_blame() {
        let own = |args: &[&str]| length(args, Grammar::WithoutCommand);
        for args in [
            &["-C", "src", "f"][..],
            &["-C", "/no/such/directory", "f"],
            &["-C"],
            &["-C", ""],
            &["-C", "HEAD", "f"],
            &["-C", "..main", "f"],
            &["-C", ":/text/", "f"],
            &["-c", "f"],
            &["-c", "a=b", "f"],
            &["-c", "a.b", "f"],
            &["-p", "f"],
            &["-P", "f"],
            &["-s", "-C", ".", "f"],
            &["-C5", ".", "f"],
        ] {
            assert_eq!(own(args), 0, "{args:?}");
        }
        for args in [
            &["-C", "."][..],
            &["-C", ".."],
            &["-C", "src/"],
            &["-C", "a/.."],
            &["-C", "/"],
            &["-c", "core.quotePath=false"],
            &["-c", "a.b c.d="],
            &["--git-dir=x", "--no-pager"],
        ] {
            assert_eq!(own(&[args, &["f"]].concat()), args.len(), "{args:?}");
        }
    }

    #[test]
    fn settings_are_quoted_as_by_git() {
        let setting = |key: &str, value: Option<&str>| (key.into(), value.map(Into::into));
        let quoted = quoted_settings(&[
            setting("alias.e", Some("!env")),
            setting("a.b", None),
            setting("a.c", Some("'")),
        ]);
        assert_eq!(quoted, r"'alias.e'=''\!'env' 'a.b'= 'a.c'=''\'''");
    }
}
