//! The command line.
//!
//! [`options`] and [`inherited`] are the tables of options; [`parser`] reads arguments by them as git
//! does, and [`help`] writes the usage and the help.

pub mod help;
mod inherited;
mod integers;
mod invocation;
mod lookup;
mod options;
#[cfg(test)]
mod options_doc;
mod parser;
mod values;

use std::ffi::OsString;

use bstr::{BString, ByteVec};

use crate::error::Error;

pub use invocation::{CacheAction, Command, Invocation, OutputFormat};
pub use parser::ParseError;

/// Parses the arguments `args`, without the program's name. `command` is the command in usage texts.
///
/// # Errors
///
/// The error of git's option parsers.
pub fn parse(
    command: &'static str,
    args: impl IntoIterator<Item = OsString>,
) -> Result<Command, Box<ParseError>> {
    let args: Result<Vec<BString>, OsString> = args
        .into_iter()
        .map(|arg| Vec::from_os_string(arg).map(BString::from))
        .collect();
    let args = args.map_err(|_| ParseError {
        error: Error::fatal("an argument is not valid Unicode"),
        inherited: Vec::new(),
    })?;
    parser::parse(command, &args)
}
