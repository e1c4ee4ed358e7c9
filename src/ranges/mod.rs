//! Line ranges: resolves the arguments of `-L` against a file's contents.
//!
//! Line numbers are 1-based in the arguments and 0-based, half-open in the result.

pub(crate) mod bracket;
pub(crate) mod drivers;
pub(crate) mod error;
pub(crate) mod functions;
pub(crate) mod parse;
pub(crate) mod pattern;
pub(crate) mod posix;
pub mod resolve;
pub(crate) mod syntax;
pub(crate) mod text;

pub use error::RangeError;
pub use functions::FunctionRule;
pub use resolve::{check_pattern, resolve};
