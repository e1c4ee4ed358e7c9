//! Errors of the public library.

use std::fmt;

use crate::{engine, error};

/// The result of everything in the library that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a repository could not be opened or a file not be blamed.
///
/// [`Display`](fmt::Display) shows git's message, where git has one. Decide by
/// [`kind`](Error::kind).
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is no repository at the path or above it.
    NoRepository,
    /// The repository cannot be opened: another user owns it, its configuration is invalid, or its
    /// format is not supported.
    Open,
    /// The path is not a file in the commit to blame; for uncommitted contents, neither in `HEAD`
    /// nor in the index.
    NoSuchPath,
    /// The request is invalid: an unknown revision, a line range beyond the end of the file, or
    /// options that cannot be combined.
    Request,
    /// An object is missing or corrupt.
    Object,
    /// The command of a text conversion failed.
    TextConversion,
    /// The blame was cancelled by its [`Cancellation`](crate::Cancellation).
    Cancelled,
}

impl Error {
    /// The kind of an error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    pub(super) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error {
            kind,
            message: message.into(),
        }
    }

    pub(super) fn cancelled() -> Error {
        Error::new(ErrorKind::Cancelled, "the blame was cancelled")
    }

    /// A sign of damage appeared after entries had been passed on.
    pub(super) fn of_damage(sign: &str) -> Error {
        Error::new(
            ErrorKind::Object,
            format!("the repository is damaged: {sign}"),
        )
    }

    /// An error while the repository was opened.
    pub(super) fn of_open(error: error::Error) -> Error {
        Error::of_run(error, ErrorKind::Open)
    }

    /// An error while the request was resolved.
    pub(super) fn of_request(error: error::Error) -> Error {
        Error::of_run(error, ErrorKind::Request)
    }

    /// An error while a commit's text was read.
    pub(super) fn of_commit(error: error::Error) -> Error {
        Error::of_run(error, ErrorKind::Object)
    }

    /// `otherwise` is the kind unless the error itself says more.
    fn of_run(error: error::Error, otherwise: ErrorKind) -> Error {
        let kind = match error.kind() {
            error::Kind::NoRepository => ErrorKind::NoRepository,
            error::Kind::NoSuchPath => ErrorKind::NoSuchPath,
            error::Kind::Object => ErrorKind::Object,
            error::Kind::Conversion => ErrorKind::TextConversion,
            _ => otherwise,
        };
        let message = match error.kind() {
            error::Kind::Usage | error::Kind::ShortUsage => "invalid arguments".to_owned(),
            _ => String::from_utf8_lossy(error.message()).into_owned(),
        };
        Error { kind, message }
    }
}

impl From<engine::Error> for Error {
    fn from(error: engine::Error) -> Error {
        let kind = match &error {
            engine::Error::NoSuchPath { .. } => ErrorKind::NoSuchPath,
            engine::Error::Conversion(_) => ErrorKind::TextConversion,
            engine::Error::NotAChain => ErrorKind::Request,
            _ => ErrorKind::Object,
        };
        Error::new(kind, error.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
