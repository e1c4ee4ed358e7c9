//! Syntax options of POSIX regular expressions.

/// The syntax variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RegexDialect {
    /// `\( \) \{ \} \+ \? \|` are operators.
    Basic,
    /// `( ) { } + ? |` are operators.
    Extended,
}

/// Compilation options (`cflags` of `regcomp`) and the locale.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RegexSyntax {
    pub(crate) dialect: RegexDialect,
    pub(crate) ignore_case: bool,
    /// `REG_NEWLINE`: `^` and `$` match at line boundaries, and neither `.` nor a negated bracket
    /// expression matches a newline.
    pub(crate) by_lines: bool,
    /// Characters are UTF-8 sequences instead of bytes.
    pub(crate) utf8: bool,
}
