//! Compiles POSIX regular expressions with GNU extensions, as glibc does.
//!
//! Patterns are translated to the syntax of the `regex` crate. Only the start of a match is reliable:
//! POSIX specifies the longest match, `regex` takes the first alternative that matches.

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
    use crate::ranges::posix::{parser::*, syntax::RegexDialect};

    const BASIC: RegexSyntax = RegexSyntax {
        dialect: RegexDialect::Basic,
        ignore_case: false,
        by_lines: true,
        utf8: false,
    };
    const EXTENDED: RegexSyntax = RegexSyntax {
        dialect: RegexDialect::Extended,
        by_lines: false,
        ..BASIC
    };

    fn found(pattern: &str, text: &str, syntax: RegexSyntax) -> Option<usize> {
        let regex = compile(pattern.as_bytes(), syntax).expect(pattern);
        regex.find(text.as_bytes()).map(|found| found.start)
    }

    #[test]
    fn basic() {
        for (pattern, text, at) in [
            ("o\\|w", "two", Some(1)),
            ("*", "x*", Some(1)),
            ("\\(*x\\)", "x*x", Some(1)),
            ("^*", "a\n*", Some(2)),
            ("^**", "a", Some(0)),
            ("^^int", "int", None),
            ("a\\+", "+aa", Some(1)),
            ("\\+", "a+", Some(1)),
            ("r$b", "$r$b", Some(1)),
            ("o^b", "o^b", Some(0)),
            ("e$", "ex\ne\n", Some(3)),
            ("\\(^b\\)", "a\nb", Some(2)),
            ("a\\{,2\\}b", "aab", Some(0)),
            ("(a)", "a(a)", Some(1)),
            ("[]x]", "a]", Some(1)),
            ("[^]]", "]a", Some(1)),
            ("[^a]", "a\nb", Some(2)),
            ("a.b", "a\nb", None),
            ("[\\n]", "a\\", Some(1)),
            ("[[.x.]]", "ax", Some(1)),
            ("[[:digit:]a-]", "b-", Some(1)),
            ("\\n", "an", Some(1)),
            ("\\<ret", "xret ret", Some(5)),
            ("\\}", "}", Some(0)),
            ("a\\|", "b", Some(0)),
            ("\\b*", "a*", Some(1)),
        ] {
            assert_eq!(found(pattern, text, BASIC), at, "{pattern} in {text}");
        }
    }

    #[test]
    fn extended() {
        for (pattern, text, at) in [
            ("^(a|b)+$", "ab", Some(0)),
            ("^[^#]", "#", None),
            ("a)", "a)", Some(0)),
            ("a{2}", "aaa", Some(0)),
            ("x+?y", "y", Some(0)),
            ("\\(", "a(", Some(1)),
            ("a^b", "a^b", None),
            ("()x", "x", Some(0)),
        ] {
            assert_eq!(found(pattern, text, EXTENDED), at, "{pattern} in {text}");
        }
        let any_case = RegexSyntax {
            ignore_case: true,
            ..EXTENDED
        };
        assert_eq!(found("[[:lower:]]b", "AB", any_case), Some(0));
        assert_eq!(found("[^a]", "Ab", any_case), Some(1));
    }

    #[test]
    fn utf8_characters() {
        let utf8 = RegexSyntax {
            utf8: true,
            ..BASIC
        };
        assert_eq!(found("[é]x", "éx", utf8), Some(0));
        assert_eq!(found("^.x", "éx", utf8), Some(0));
        assert_eq!(found("^.x", "éx", BASIC), None);
        assert_eq!(found("^\\wx", "éx", utf8), Some(0));
        assert_eq!(found("é*x", "ééx", utf8), Some(0));
        let regex = compile(b"\xff", utf8).expect("a byte is a pattern");
        assert_eq!(regex.find(b"a\xff").map(|found| found.start), Some(1));
    }

    #[test]
    fn errors() {
        for (pattern, error) in [
            ("[", BAD_PATTERN),
            ("[^", BAD_PATTERN),
            ("[]", OPEN_BRACKET),
            ("[a-", OPEN_BRACKET),
            ("[z-a]", BAD_RANGE),
            ("[a-c-e]", BAD_RANGE),
            ("[[:alpha:]-z]", BAD_RANGE),
            ("[a-[:digit:]]", BAD_RANGE),
            ("[[:foo:]]", BAD_CLASS),
            ("[[:alpha:", OPEN_BRACKET),
            ("[[.space.]]", BAD_COLLATION),
            ("\\(", OPEN_PAREN),
            ("\\)", OPEN_PAREN),
            ("a\\{", OPEN_BRACE),
            ("a\\{1,", OPEN_BRACE),
            ("a\\{x", OPEN_BRACE),
            ("a\\{,x", OPEN_BRACE),
            ("a\\{x\\\\}", OPEN_BRACE),
            ("a\\{x,", BAD_REPEAT),
            ("a\\{1,2,", BAD_REPEAT),
            ("a\\{2,1\\}", BAD_REPEAT),
            ("a\\{x\\}", BAD_REPEAT),
            ("a\\{\\}", BAD_REPEAT),
            ("a\\{40000\\}", TOO_BIG),
            ("\\{1\\}", NOTHING_TO_REPEAT),
            ("a**", NOTHING_TO_REPEAT),
            ("\\1", BAD_BACK_REFERENCE),
            ("a\\", TRAILING_BACKSLASH),
        ] {
            assert_eq!(
                compile(pattern.as_bytes(), BASIC).unwrap_err(),
                error,
                "{pattern}"
            );
        }
        for pattern in ["*", "a|*b", "(+)", "^*", "a{", "a{x}", "(", "{1}"] {
            assert!(compile(pattern.as_bytes(), EXTENDED).is_err(), "{pattern}");
        }
        let deep = "\\(".repeat(100_000);
        assert!(compile(deep.as_bytes(), BASIC).is_err());
    }
}
