//! Line ranges: resolves the arguments of `-L` against a file's contents.
//!
//! Line numbers are 1-based in the arguments and 0-based, half-open in the result.

pub(crate) mod argument;
pub(crate) mod diff_drivers;
pub(crate) mod error;
pub(crate) mod function_lines;
pub(crate) mod posix;
pub mod resolve;

pub use error::RangeError;
pub use function_lines::FunctionRule;
pub use resolve::resolve;
