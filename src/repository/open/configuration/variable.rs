//! A variable of the configuration, and git's messages about its value.

use std::path::PathBuf;

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result, quoted},
    repository::open::configuration::{
        interpolate::expand_path,
        value::{self, NumberError},
    },
};

/// Where variables come from, in the order in which git reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The system's file.
    System,
    /// The user's files.
    Global,
    /// The repository's file.
    Local,
    /// The work tree's file.
    Worktree,
    /// `git -c` and the environment.
    Command,
}

/// A file with configuration, or the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableOrigin {
    /// Of an included file, that of the including one.
    pub scope: Scope,
    /// True if another file includes it.
    pub included: bool,
    /// The file, and its name in messages; `None` for the command line.
    pub file: Option<(PathBuf, BString)>,
}

impl VariableOrigin {
    /// The file's name in messages; `None` for the command line.
    pub(super) fn name(&self) -> Option<&BStr> {
        Some(self.file.as_ref()?.1.as_bstr())
    }
}

/// A variable as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Section and name in lower case, the subsection between them as written.
    pub key: BString,
    /// `None` for a variable without an equals sign.
    pub value: Option<BString>,
    /// Index of the origin.
    pub origin: usize,
    /// The line (1-based) at which it ends.
    pub line: usize,
}

impl Variable {
    /// The part of the key before the first dot.
    pub fn section(&self) -> &BStr {
        let end = self.key.find_byte(b'.').unwrap_or(self.key.len());
        self.key[..end].as_bstr()
    }

    /// The part of the key between the first and the last dot.
    pub fn subsection(&self) -> Option<&BStr> {
        let (first, last) = (self.key.find_byte(b'.')?, self.key.rfind_byte(b'.')?);
        (first < last).then(|| self.key[first + 1..last].as_bstr())
    }

    /// The part of the key after the last dot.
    pub fn name(&self) -> &BStr {
        let start = self.key.rfind_byte(b'.').map_or(0, |at| at + 1);
        self.key[start..].as_bstr()
    }
}

/// A variable with its origin: reads the value as git does.
#[derive(Debug, Clone, Copy)]
pub struct Located<'a> {
    /// The variable.
    pub variable: &'a Variable,
    /// Its origin.
    pub origin: &'a VariableOrigin,
}

impl<'a> Located<'a> {
    /// The key.
    pub fn key(&self) -> &'a BStr {
        self.variable.key.as_bstr()
    }

    /// The value as written.
    pub fn bytes(&self) -> Option<&'a [u8]> {
        self.variable.value.as_ref().map(|value| value.as_slice())
    }

    /// The value as text.
    ///
    /// # Errors
    ///
    /// Without a value.
    pub fn text(&self) -> Result<BString> {
        match &self.variable.value {
            Some(value) => Ok(value.clone()),
            None => Err(self.refuse(quoted("missing value for ", self.key(), ""))),
        }
    }

    /// The value as a path, expanded. One that is optional keeps its prefix `:(optional)`.
    ///
    /// # Errors
    ///
    /// Without a value, or if the user's home directory is not known.
    pub fn path(&self) -> Result<BString> {
        let text = self.text()?;
        let (prefix, path) = match text.strip_prefix(b":(optional)") {
            Some(path) => (&text[..text.len() - path.len()], path.as_bstr()),
            None => (&b""[..], text.as_bstr()),
        };
        match expand_path(path) {
            Some(path) => Ok([prefix, path.as_slice()].concat().into()),
            None => {
                let message = quoted("failed to expand user dir in: ", path, "");
                Err(Error::fatal(message))
            }
        }
    }

    /// The value as a boolean; without a value true.
    ///
    /// # Errors
    ///
    /// If it is none.
    pub fn boolean(&self) -> Result<bool> {
        let Some(value) = &self.variable.value else {
            return Ok(true);
        };
        value::boolean(value).ok_or_else(|| {
            let mut message = quoted("bad boolean config value ", value.as_bstr(), " for ");
            message.push_str(quoted("", self.key(), ""));
            Error::fatal(message)
        })
    }

    /// The value as a number.
    ///
    /// # Errors
    ///
    /// If it is none.
    pub fn int(&self) -> Result<i32> {
        value::int(self.number()).map_err(|err| self.bad_number(err))
    }

    /// The value as a number without sign.
    ///
    /// # Errors
    ///
    /// If it is none.
    pub fn unsigned_long(&self) -> Result<u64> {
        value::unsigned_long(self.number()).map_err(|err| self.bad_number(err))
    }

    fn number(&self) -> &[u8] {
        self.bytes().unwrap_or_default()
    }

    fn bad_number(&self, err: NumberError) -> Error {
        let value = self.number().as_bstr();
        let mut message = quoted("bad numeric config value ", value, " for ");
        message.push_str(quoted("", self.key(), ""));
        if let Some((_, name)) = &self.origin.file {
            message.push_str(" in file ");
            message.push_str(name);
        }
        message.push_str(": ");
        message.push_str(err.words());
        Error::fatal(message)
    }

    /// Refuses the value: `error: <reason>`, then a fatal error with the variable's place.
    pub fn refuse(&self, reason: impl AsRef<[u8]>) -> Error {
        let mut note = BString::from("error: ");
        note.push_str(reason);
        self.bad_variable().after(vec![note])
    }

    /// A fatal error with the variable's place.
    pub fn bad_variable(&self) -> Error {
        let message = match &self.origin.file {
            None => quoted("unable to parse ", self.key(), " from command-line config"),
            Some((_, name)) => {
                let mut message = quoted("bad config variable ", self.key(), " in file ");
                message.push_str(quoted("", name.as_bstr(), " at line "));
                message.push_str(self.variable.line.to_string());
                message
            }
        };
        Error::fatal(message)
    }

    /// Refuses the line: `error: <reason>`, then a fatal error as for one that cannot be parsed.
    pub fn refuse_line(&self, reason: impl AsRef<[u8]>) -> Error {
        let mut note = BString::from("error: ");
        note.push_str(reason);
        bad_line(self.origin.name(), self.variable.line).after(vec![note])
    }
}

/// A line that cannot be parsed, of a file or the command line.
pub(super) fn bad_line(file: Option<&BStr>, line: usize) -> Error {
    match file {
        None => Error::fatal("unable to parse command-line config"),
        Some(name) => {
            let mut message = format!("bad config line {line} in file ").into_bytes();
            message.push_str(name);
            Error::fatal(message)
        }
    }
}
