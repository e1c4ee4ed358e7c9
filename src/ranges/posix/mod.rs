//! POSIX regular expressions.

pub(crate) mod bracket_expression;
pub(crate) mod compiled_pattern;
pub(crate) mod parser;
pub(crate) mod regex;
pub(crate) mod syntax;
