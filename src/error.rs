//! Errors with git's messages and exit statuses.

use std::{
    io::{self, Write},
    panic::Location,
};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{sanitize, system::run_log};

/// A result with an [`Error`] for the user.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The status that shells show for a process that was ended by SIGPIPE.
pub const CLOSED_PIPE_STATUS: u8 = 128 + 13;

/// The kind of an error: determines the prefix of the message and the exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `fatal: …`, status 128.
    Fatal,
    /// As [`Kind::Fatal`]: there is no repository.
    NoRepository,
    /// As [`Kind::Fatal`]: the path is not a file in the final commit.
    NoSuchPath,
    /// As [`Kind::Fatal`]: an object is missing or corrupt.
    Object,
    /// As [`Kind::Fatal`]: the command of a text conversion failed.
    Conversion,
    /// `error: …`, status 129: an invalid option.
    Option,
    /// `usage: …`, status 129: invalid arguments. The command line module adds the usage text.
    Usage,
    /// Like [`Kind::Usage`], with only the first line of the usage text.
    ShortUsage,
    /// The reader of the output closed the pipe: silent. The process is to end by the signal for
    /// that.
    BrokenPipe,
    /// The viewer was terminated by this signal: silent, status 128 + the signal number.
    Signal(u8),
}

/// An error for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
    /// Where it was made: for a log, which may not have the message.
    place: &'static Location<'static>,
    /// What is wrong, without names, for a log.
    cause: Option<Box<str>>,
    /// Without the prefix; empty if only the usage is shown.
    message: BString,
    /// Lines printed before the message: warnings, and errors that git does not stop at.
    notes: Vec<BString>,
    /// Printed verbatim after the message.
    usage: Option<String>,
    /// The usage is printed on standard output.
    usage_on_stdout: bool,
    /// A hint that git does not print; shown on terminals only, so that scripts see git's bytes.
    hint: Option<Box<str>>,
}

impl Error {
    /// A fatal error: `fatal: MESSAGE`, status 128.
    #[track_caller]
    pub fn fatal(message: impl Into<BString>) -> Error {
        Error::of_kind(Kind::Fatal, message.into())
    }

    /// [`Error::fatal`] for want of a repository.
    #[track_caller]
    pub fn no_repository(message: impl Into<BString>) -> Error {
        Error::of_kind(Kind::NoRepository, message.into())
    }

    /// [`Error::fatal`] for a path that is not a file in the final commit.
    #[track_caller]
    pub fn no_such_path(message: impl Into<BString>) -> Error {
        Error::of_kind(Kind::NoSuchPath, message.into())
    }

    /// [`Error::fatal`] for an object that is missing or corrupt.
    #[track_caller]
    pub fn object(message: impl Into<BString>) -> Error {
        Error::of_kind(Kind::Object, message.into())
    }

    /// [`Error::fatal`] for a text conversion that failed.
    #[track_caller]
    pub fn conversion(message: impl Into<BString>) -> Error {
        Error::of_kind(Kind::Conversion, message.into())
    }

    /// An invalid option: `error: MESSAGE`, status 129.
    #[track_caller]
    pub fn option(message: impl Into<BString>) -> Error {
        Error::of_kind(Kind::Option, message.into())
    }

    /// Prints the full usage, status 129.
    #[track_caller]
    pub fn usage() -> Error {
        Error::of_kind(Kind::Usage, BString::default())
    }

    /// Prints the first line of the usage, status 129.
    #[track_caller]
    pub fn short_usage() -> Error {
        Error::of_kind(Kind::ShortUsage, BString::default())
    }

    /// The viewer was terminated by a signal.
    #[track_caller]
    pub fn signal(number: i32) -> Error {
        let number = u8::try_from(number).unwrap_or(u8::MAX);
        Error::of_kind(Kind::Signal(number), BString::default())
    }

    #[track_caller]
    fn of_kind(kind: Kind, message: BString) -> Error {
        Error {
            kind,
            place: Location::caller(),
            cause: None,
            message,
            notes: Vec::new(),
            usage: None,
            usage_on_stdout: false,
            hint: None,
        }
    }

    /// The [`Error`] that a text conversion boxed for the engine; any other error becomes fatal.
    pub fn from_conversion(err: Box<dyn std::error::Error + Send + Sync>) -> Error {
        match err.downcast() {
            Ok(err) => *err,
            Err(err) => Error::fatal(err.to_string()),
        }
    }

    /// A failed write to standard output, or that its pager cannot be started; a closed pipe is not reported.
    #[track_caller]
    pub fn write(err: &io::Error) -> Error {
        let of_pager = err
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<Error>());
        if let Some(err) = of_pager {
            return err.clone();
        }
        if err.kind() == io::ErrorKind::BrokenPipe {
            return Error::of_kind(Kind::BrokenPipe, BString::default());
        }
        Error::fatal(format!(
            "write failure on standard output: {}",
            os_message(err)
        ))
    }

    /// Adds what is wrong, without names.
    pub fn with_cause(mut self, cause: impl Into<String>) -> Error {
        self.cause = Some(cause.into().into());
        self
    }

    /// Adds a usage text, printed after the message.
    pub fn with_usage(mut self, usage: impl Into<String>) -> Error {
        self.usage = Some(usage.into());
        self
    }

    /// Adds a usage text that is printed on standard output, as git does for ambiguous options.
    pub fn with_usage_on_stdout(mut self, usage: impl Into<String>) -> Error {
        self.usage_on_stdout = true;
        self.with_usage(usage)
    }

    /// The usage text, if it goes to standard output.
    pub fn stdout(&self) -> Option<&str> {
        self.usage.as_deref().filter(|_| self.usage_on_stdout)
    }

    /// Adds a hint, printed on terminals only.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into().into());
        self
    }

    /// As [`with_hint`](Self::with_hint), if there is one.
    pub fn with_hint_if(self, hint: Option<&str>) -> Error {
        match hint {
            Some(hint) => self.with_hint(hint),
            None => self,
        }
    }

    /// The hint.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// As [`with_hint`](Self::with_hint), unless it has one.
    pub fn or_hint(self, hint: impl Into<String>) -> Error {
        if self.hint.is_some() {
            return self;
        }
        self.with_hint(hint)
    }

    /// Prepends `notes`, lines without newline that are printed before the message.
    pub fn after(mut self, mut notes: Vec<BString>) -> Error {
        notes.append(&mut self.notes);
        self.notes = notes;
        self
    }

    /// The kind of the error.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What it is, without names: its kind, where it was made, and the cause where that is known.
    pub fn without_names(&self) -> String {
        let (kind, place) = (self.kind, run_log::place(self.place));
        let cause = self.cause.as_ref();
        let cause = cause.map_or_else(String::new, |cause| format!(": {cause}"));
        format!("{kind:?}, made at {place}{cause}")
    }

    /// The message without its prefix.
    pub fn message(&self) -> &BStr {
        self.message.as_ref()
    }

    /// The lines printed before the message.
    pub fn notes(&self) -> &[BString] {
        &self.notes
    }

    /// The exit status: 128, 129, or 128 + signal number.
    pub fn exit_status(&self) -> u8 {
        match self.kind {
            Kind::Fatal
            | Kind::NoRepository
            | Kind::NoSuchPath
            | Kind::Object
            | Kind::Conversion => 128,
            Kind::Option | Kind::Usage | Kind::ShortUsage => 129,
            Kind::BrokenPipe => CLOSED_PIPE_STATUS,
            Kind::Signal(number) => 128u8.saturating_add(number),
        }
    }

    /// Prints the error. `terminal`: whether `out` is one.
    pub fn report(&self, out: &mut dyn Write, terminal: bool) -> io::Result<()> {
        let mut text = Vec::new();
        for note in &self.notes {
            text.push_str(note);
            text.push(b'\n');
        }
        // On a terminal, what is wrong would scroll away above the list of all options.
        let hint = self.hint.as_deref().filter(|_| terminal);
        let usage = self.usage.as_deref().filter(|_| !self.usage_on_stdout);
        let (hint, usage) = match (hint, usage) {
            (Some(hint), Some(usage)) if self.message.is_empty() => {
                text.push_str(format!("fatal: {hint}\n"));
                (None, usage.split_inclusive('\n').next())
            }
            (Some(hint), Some(_)) => (Some(hint), None),
            both => both,
        };
        if !self.message.is_empty() {
            text.push_str(match self.kind {
                Kind::Option => "error: ",
                _ => "fatal: ",
            });
            text.push_str(&self.message);
            text.push(b'\n');
        }
        text.push_str(usage.unwrap_or_default());
        if let Some(hint) = hint {
            text.push_str(format!("hint: {hint}\n"));
        }
        out.write_all(&printable(&text, terminal))
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.usage {
            Some(usage) if self.message.is_empty() => f.write_str(usage.trim_end()),
            _ => write!(f, "{}", self.message),
        }
    }
}

impl std::error::Error for Error {}

/// A line that is printed later: a warning, or an error that git does not stop at. Where it was made is
/// known to the log, as of an [`Error`].
#[track_caller]
pub fn noted(line: BString) -> BString {
    if run_log::is_open() {
        let (at, text) = (run_log::place(Location::caller()), run_log::message(&line));
        run_log::note("warning", format_args!("made at {at}: {text}"));
    }
    line
}

/// The message of an operating system error as in `strerror`, without Rust's `(os error 2)`.
pub fn os_message(err: &io::Error) -> String {
    let text = err.to_string();
    match text.rfind(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// Replaces control characters by `?`, as git does in its messages: names come from repositories
/// and must not control the terminal. Unlike git, on a `terminal` others than those of ASCII too.
pub(crate) fn printable(text: &[u8], terminal: bool) -> Vec<u8> {
    let replaced = |&byte: &u8| match byte {
        b'\n' | b'\t' => byte,
        0..=0x1f | 0x7f => b'?',
        _ => byte,
    };
    let text: Vec<u8> = text.iter().map(replaced).collect();
    if !terminal || text.is_ascii() {
        return text;
    }
    let lines = text.split(|&byte| byte == b'\n');
    lines
        .map(sanitize::line)
        .collect::<Vec<_>>()
        .join("\n")
        .into()
}

/// Concatenates `before`, `name` in single quotes, and `after`: the form of most git messages.
pub fn quoted(before: &str, name: &BStr, after: &str) -> Vec<u8> {
    let mut text = before.as_bytes().to_vec();
    text.push(b'\'');
    text.push_str(name);
    text.push(b'\'');
    text.push_str(after);
    text
}

/// The part of `text` that C prints, which git takes for a string: nothing from the first NUL on.
pub(crate) fn until_nul(text: &[u8]) -> &[u8] {
    &text[..text.find_byte(0).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(err: &Error, terminal: bool) -> String {
        let mut out = Vec::new();
        err.report(&mut out, terminal).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn names_do_not_control_the_terminal() {
        let name = "a\u{9b}31m\u{202e}é\x1b[35m";
        let err = Error::fatal(name).after(vec![name.into()]);
        assert_eq!(
            printed(&err, false),
            "a\u{9b}31m\u{202e}é?[35m\nfatal: a\u{9b}31m\u{202e}é?[35m\n"
        );
        let shown = printed(&err, true);
        assert!(!shown.contains(['\u{9b}', '\u{202e}', '\x1b']), "{shown}");
        assert!(
            shown.contains("é?[35m\nfatal: a") && shown.ends_with("é?[35m\n"),
            "{shown}"
        );
    }

    #[test]
    fn notes_come_first_and_hints_only_on_terminals() {
        let err = Error::fatal("bad revision 'x'")
            .with_hint("try HEAD")
            .after(vec!["warning: w".into()]);
        assert_eq!(
            printed(&err, false),
            "warning: w\nfatal: bad revision 'x'\n"
        );
        assert_eq!(
            printed(&err, true),
            "warning: w\nfatal: bad revision 'x'\nhint: try HEAD\n"
        );
        assert_eq!(err.exit_status(), 128);
    }

    #[test]
    fn on_terminals_the_hint_takes_the_place_of_the_usage() {
        let usage = "usage: x\n  -a\n";
        let err = Error::option("unknown option `--b'").with_usage(usage);
        let shown = printed(&err.with_hint("did you mean --c?"), true);
        assert_eq!(
            shown,
            "error: unknown option `--b'\nhint: did you mean --c?\n"
        );
        let err = Error::usage().with_usage(usage).with_hint("no FILE");
        assert_eq!(printed(&err, true), "fatal: no FILE\nusage: x\n");
        assert_eq!(printed(&err, false), usage);
    }

    #[test]
    fn usage_alone_has_no_prefix() {
        let err = Error::usage().with_usage("usage: x\n");
        assert_eq!(printed(&err, true), "usage: x\n");
        assert_eq!(err.exit_status(), 129);
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(
            printed(&Error::fatal("a\x1b[2Jb"), false),
            "fatal: a?[2Jb\n"
        );
    }

    #[test]
    fn a_closed_pipe_is_silent() {
        let err = Error::write(&io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(printed(&err, true), "");
        assert_eq!(err.exit_status(), 141);
    }
}
