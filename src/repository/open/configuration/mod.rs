//! git's configuration: the syntax of its files, the values, and where they come from.

mod command_line;
mod condition;
pub mod interpolate;
mod reader;
pub mod sources;
pub(super) mod syntax;
pub mod value;
pub mod variable;
