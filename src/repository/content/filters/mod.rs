//! Clean filters: the commands of `filter.<driver>.clean` and `filter.<driver>.process`, which convert
//! files of the work tree to the form stored in git (gitattributes(5)).

mod clean;
mod command;
mod packets;
mod process;

pub(crate) use clean::CleanFilter;
pub(crate) use command::needs_shell;
