//! Syntax options of POSIX regular expressions.

/// The syntax variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `\( \) \{ \} \+ \? \|` are operators.
    Basic,
    /// `( ) { } + ? |` are operators.
    Extended,
}

/// Compilation options (`cflags` of `regcomp`) and the locale.
#[derive(Debug, Clone, Copy)]
pub(super) struct Syntax {
    pub(super) dialect: Dialect,
    pub(super) ignore_case: bool,
    /// `REG_NEWLINE`: `^` and `$` match at line boundaries, and neither `.` nor a negated bracket
    /// expression matches a newline.
    pub(super) by_lines: bool,
    /// Characters are UTF-8 sequences instead of bytes.
    pub(super) utf8: bool,
}
