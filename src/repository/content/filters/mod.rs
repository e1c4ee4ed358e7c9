//! Filters: the commands of `filter.<driver>.clean`, `smudge` and `process`, which convert files of
//! the work tree to the form stored in git and back (gitattributes(5)).

mod driver;
mod packets;
mod process;

pub(crate) use driver::{Filter, FilterProcesses};
pub(crate) use process::FilterDirection;
