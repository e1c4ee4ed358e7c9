//! How a pattern is to be read.

/// What a pattern may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `\( \) \{ \} \+ \? \|` are operators.
    Basic,
    /// `( ) { } + ? |` are operators.
    Extended,
}

/// How a pattern is compiled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Syntax {
    pub(super) dialect: Dialect,
    pub(super) ignore_case: bool,
    /// `^` and `$` match at every line, and neither `.` nor a negated bracket matches a newline.
    pub(super) by_lines: bool,
    /// Characters are those of UTF-8, not bytes.
    pub(super) utf8: bool,
}
