//! Compiles POSIX regular expressions with GNU extensions, as glibc does.
//!
//! Patterns are translated to the syntax of the `regex` crate. Only the start of a match is
//! reliable: POSIX specifies the longest match, `regex` takes the first alternative that matches.

use regex::bytes::RegexBuilder;

use crate::ranges::posix::{
    compiled_pattern::{BackReferencePattern, CompiledPattern},
    parser::{PatternError, PatternParser, TOO_BIG},
    syntax::RegexSyntax,
};

/// Compiles a pattern.
pub(crate) fn compile(
    pattern: &[u8],
    syntax: RegexSyntax,
) -> Result<CompiledPattern, PatternError> {
    let parsed = PatternParser::parse(pattern, syntax)?;
    if parsed.back_references {
        let utf8 = syntax.utf8 && std::str::from_utf8(pattern).is_ok();
        let wide;
        let parsed = if utf8 {
            parsed
        } else {
            let syntax = RegexSyntax {
                utf8: true,
                ..syntax
            };
            wide = BackReferencePattern::widened(pattern);
            PatternParser::parse(wide.as_bytes(), syntax)?
        };
        let compiled = BackReferencePattern::new(&parsed.out, syntax, utf8);
        return compiled.map(CompiledPattern::BackReferences).ok_or(TOO_BIG);
    }
    RegexBuilder::new(&parsed.out)
        .unicode(syntax.utf8)
        .case_insensitive(syntax.ignore_case)
        .multi_line(syntax.by_lines)
        .dot_matches_new_line(!syntax.by_lines)
        .build()
        .map(CompiledPattern::Plain)
        .map_err(|_| TOO_BIG)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranges::posix::syntax::RegexDialect;

    #[test]
    fn deep_patterns_are_refused() {
        let syntax = RegexSyntax {
            dialect: RegexDialect::Basic,
            ignore_case: false,
            by_lines: true,
            utf8: false,
        };
        let deep = "\\(".repeat(100_000);
        assert!(compile(deep.as_bytes(), syntax).is_err());
    }
}
