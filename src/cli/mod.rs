//! The command line.
//!
//! [`options`] and [`inherited`] are the tables of options; [`parser`] reads arguments by them as
//! git does, and [`help`] writes the usage and the help. [`git_options`] reads the options of git
//! before them.

#[cfg(test)]
mod generate;
mod generated;
pub mod git_options;
pub mod help;
mod inherited;
mod invocation;
mod lookup;
#[cfg(test)]
mod man_page;
mod options;
#[cfg(test)]
mod options_doc;
mod output;
mod parser;
mod places;
mod values;
mod written_option;

use std::ffi::OsString;

use bstr::{BString, ByteSlice, ByteVec};

use crate::error::{Error, Result};

pub use invocation::{CacheAction, Command, Invocation, OutputFormat, ShimAction};
pub use lookup::split_option;
pub use output::{HistoryKind, Output};
pub use places::{PlaceFilter, PlacesOutput};

/// Parses the arguments `args`, without the program's name. `command` is the command in usage
/// texts.
///
/// # Errors
///
/// The error of git's option parsers.
pub fn parse(command: &'static str, args: &[BString]) -> Result<Command> {
    parser::parse(command, args)
}

/// Arguments as bytes.
///
/// # Errors
///
/// If one is not valid Unicode, on systems where that matters.
pub fn bytes(args: impl IntoIterator<Item = OsString>) -> Result<Vec<BString>> {
    let args = args.into_iter();
    let args: Result<_, OsString> = args
        .map(|arg| Vec::from_os_string(arg).map(BString::from))
        .collect();
    args.map_err(|_| Error::fatal("an argument is not valid Unicode"))
}

/// Arguments for a program, of those that [`bytes`] returned.
pub fn os_strings(args: &[BString]) -> impl Iterator<Item = OsString> {
    args.iter().map(|arg| arg.to_os_str_lossy().into_owned())
}
