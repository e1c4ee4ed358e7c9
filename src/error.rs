//! What can go wrong, in git's words, with git's exit statuses.

use std::io::{self, Write};

use bstr::{BStr, BString, ByteVec};

/// The result of everything that can fail with a message for the user.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// How a run fails: decides the prefix of the message and the exit status.
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
    /// `error: …`, status 129: an option is not understood.
    Option,
    /// `usage: …`, status 129: the arguments do not make a command. Which command, the command
    /// line knows; it adds the text.
    Usage,
    /// As [`Kind::Usage`], the first line of the text being enough.
    ShortUsage,
    /// Whoever reads the output went away: quiet, status 0.
    BrokenPipe,
    /// A signal of this number asked the viewer to end: quiet, status 128 and the number.
    Signal(u8),
}

/// An error as it is shown to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
    /// Without the prefix; empty where only the usage is shown.
    message: BString,
    /// Whole lines said before the message: warnings, and errors that git goes on after.
    notes: Vec<BString>,
    /// Shown after the message, as it is.
    usage: Option<String>,
    /// Advice of our own, shown on terminals only so that scripts read git's bytes.
    hint: Option<String>,
}

impl Error {
    /// git would die with `message`.
    pub fn fatal(message: impl Into<BString>) -> Error {
        Error::of_kind(Kind::Fatal, message.into())
    }

    /// [`Error::fatal`] for want of a repository.
    pub fn no_repository(message: impl Into<BString>) -> Error {
        Error::of_kind(Kind::NoRepository, message.into())
    }

    /// [`Error::fatal`] for a path that is not a file in the final commit.
    pub fn no_such_path(message: impl Into<BString>) -> Error {
        Error::of_kind(Kind::NoSuchPath, message.into())
    }

    /// [`Error::fatal`] for an object that is missing or corrupt.
    pub fn object(message: impl Into<BString>) -> Error {
        Error::of_kind(Kind::Object, message.into())
    }

    /// git's option parser would refuse with `message`.
    pub fn option(message: impl Into<BString>) -> Error {
        Error::of_kind(Kind::Option, message.into())
    }

    /// git would show how it is called, with all options.
    pub fn usage() -> Error {
        Error::of_kind(Kind::Usage, BString::default())
    }

    /// git would show how it is called in one line.
    pub fn short_usage() -> Error {
        Error::of_kind(Kind::ShortUsage, BString::default())
    }

    /// A signal ended the viewer.
    pub fn signal(number: i32) -> Error {
        let number = u8::try_from(number).unwrap_or(u8::MAX);
        Error::of_kind(Kind::Signal(number), BString::default())
    }

    fn of_kind(kind: Kind, message: BString) -> Error {
        Error {
            kind,
            message,
            notes: Vec::new(),
            usage: None,
            hint: None,
        }
    }

    /// What kept a file from being made text of.
    pub fn from_conversion(err: Box<dyn std::error::Error + Send + Sync>) -> Error {
        match err.downcast() {
            Ok(err) => *err,
            Err(err) => Error::fatal(err.to_string()),
        }
    }

    /// The failed write of `err` to standard output, or its reader's going away.
    pub fn write(err: &io::Error) -> Error {
        if err.kind() == io::ErrorKind::BrokenPipe {
            return Error::of_kind(Kind::BrokenPipe, BString::default());
        }
        Error::fatal(format!(
            "write failure on standard output: {}",
            os_message(err)
        ))
    }

    /// Show `usage` after the message.
    pub fn with_usage(mut self, usage: impl Into<String>) -> Error {
        self.usage = Some(usage.into());
        self
    }

    /// Advise the user, on terminals only.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }

    /// Say `notes` (whole lines, without their newline) before everything said so far.
    pub fn after(mut self, mut notes: Vec<BString>) -> Error {
        notes.append(&mut self.notes);
        self.notes = notes;
        self
    }

    /// What kind of failure this is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The message without its prefix.
    pub fn message(&self) -> &BStr {
        self.message.as_ref()
    }

    /// Whole lines that are said before the message.
    pub fn notes(&self) -> &[BString] {
        &self.notes
    }

    /// The exit status of a program that fails with this: 128, 129, or 0 for a closed pipe.
    pub fn exit_status(&self) -> u8 {
        match self.kind {
            Kind::Fatal | Kind::NoRepository | Kind::NoSuchPath | Kind::Object => 128,
            Kind::Option | Kind::Usage | Kind::ShortUsage => 129,
            Kind::BrokenPipe => 0,
            Kind::Signal(number) => 128u8.saturating_add(number),
        }
    }

    /// Write what the user is to read. `terminal` says whether somebody reads it right away.
    pub fn report(&self, out: &mut dyn Write, terminal: bool) -> io::Result<()> {
        let mut text = Vec::new();
        for note in &self.notes {
            text.push_str(note);
            text.push(b'\n');
        }
        if !self.message.is_empty() {
            text.push_str(match self.kind {
                Kind::Option => "error: ",
                _ => "fatal: ",
            });
            text.push_str(&self.message);
            text.push(b'\n');
        }
        if let Some(usage) = &self.usage {
            text.push_str(usage);
        }
        if let (true, Some(hint)) = (terminal, &self.hint) {
            text.push_str("hint: ");
            text.push_str(hint);
            text.push(b'\n');
        }
        out.write_all(&printable(&text))
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

/// The C library's words for an operating system's error, without Rust's `(os error 2)`.
pub fn os_message(err: &io::Error) -> String {
    let text = err.to_string();
    match text.rfind(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// Control characters replaced by `?`, as git does in its messages: names come from repositories
/// and must not drive a terminal.
pub(crate) fn printable(text: &[u8]) -> Vec<u8> {
    text.iter()
        .map(|&byte| match byte {
            b'\n' | b'\t' => byte,
            0..=0x1f | 0x7f => b'?',
            _ => byte,
        })
        .collect()
}

/// `before`, a name or a value in quotes, and `after`: as most of git's messages are made.
pub fn quoted(before: &str, name: &BStr, after: &str) -> Vec<u8> {
    let mut text = before.as_bytes().to_vec();
    text.push(b'\'');
    text.push_str(name);
    text.push(b'\'');
    text.push_str(after);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(err: &Error, terminal: bool) -> String {
        let mut out = Vec::new();
        err.report(&mut out, terminal).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn notes_come_first_and_hints_only_on_terminals() {
        let err = Error::fatal("bad revision 'x'")
            .with_hint("try HEAD")
            .after(vec!["warning: w".into()]);
        assert_eq!(said(&err, false), "warning: w\nfatal: bad revision 'x'\n");
        assert_eq!(
            said(&err, true),
            "warning: w\nfatal: bad revision 'x'\nhint: try HEAD\n"
        );
        assert_eq!(err.exit_status(), 128);
    }

    #[test]
    fn usage_alone_has_no_prefix() {
        let err = Error::usage().with_usage("usage: x\n");
        assert_eq!(said(&err, true), "usage: x\n");
        assert_eq!(err.exit_status(), 129);
    }

    #[test]
    fn control_bytes_do_not_reach_the_terminal() {
        assert_eq!(said(&Error::fatal("a\x1b[2Jb"), false), "fatal: a?[2Jb\n");
    }

    #[test]
    fn a_closed_pipe_is_quiet() {
        let err = Error::write(&io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(said(&err, true), "");
        assert_eq!(err.exit_status(), 0);
    }
}
