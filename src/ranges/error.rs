//! Errors of `-L` arguments.

use std::{error, fmt};

use bstr::BString;

/// An invalid argument of `-L`. The messages are git's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RangeError {
    /// A syntax error: git prints the first line of its usage and exits with 129.
    Usage,
    /// The message without its `fatal: ` prefix; git exits with 128.
    Fatal(BString),
}

impl RangeError {
    /// git's exit status.
    pub fn status(&self) -> u8 {
        match self {
            RangeError::Usage => 129,
            RangeError::Fatal(_) => 128,
        }
    }
}

impl fmt::Display for RangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RangeError::Usage => write!(f, "invalid argument of -L"),
            RangeError::Fatal(message) => message.fmt(f),
        }
    }
}

impl error::Error for RangeError {}

pub(crate) fn fatal(parts: &[&[u8]]) -> RangeError {
    RangeError::Fatal(parts.concat().into())
}
