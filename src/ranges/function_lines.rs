//! Function lines: git's `funcname` and `xfuncname` rules.

use std::ops::Range;

use bstr::{BStr, BString, ByteSlice};

use crate::{
    ranges::{
        diff_drivers,
        error::{RangeError, fatal},
        posix::{
            compiled_pattern::CompiledPattern,
            regex,
            syntax::{RegexDialect, RegexSyntax},
        },
    },
    system::git_version::GitVersion,
};

/// The rule that decides which lines start a function.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum FunctionRule {
    /// A line that starts with a letter, `_` or `$`.
    #[default]
    Default,
    /// Newline-separated patterns; the first that matches decides, negatively if it starts with
    /// `!`.
    Patterns {
        /// The patterns.
        patterns: BString,
        /// Extended regular expressions (`xfuncname`) instead of basic ones (`funcname`).
        extended: bool,
        /// Match case-insensitively.
        ignore_case: bool,
    },
}

impl FunctionRule {
    /// The rule of a built-in diff driver in a version of git; the default rule for other names.
    pub fn of_driver(driver: &BStr, git: GitVersion) -> Self {
        match diff_drivers::find_driver(driver, git) {
            Some(driver) => FunctionRule::Patterns {
                patterns: driver.named_patterns().into(),
                extended: true,
                ignore_case: driver.ignore_case,
            },
            None => FunctionRule::Default,
        }
    }

    /// The function lines of a text (0-based). `utf8` is as for
    /// [`resolve`](crate::ranges::resolve::resolve).
    ///
    /// # Errors
    ///
    /// If a pattern is invalid.
    pub fn function_lines(&self, contents: &[u8], utf8: bool) -> Result<Vec<u32>, RangeError> {
        let functions = self.compile(utf8)?;
        let lines = contents.lines_with_terminator().zip(0..);
        let lines = lines.filter(|(line, _)| functions.is_function_line(line));
        Ok(lines.map(|(_, number)| number).collect())
    }

    /// Compiles the patterns. `utf8` is as for [`resolve`](crate::ranges::resolve::resolve).
    ///
    /// # Errors
    ///
    /// If a pattern is invalid.
    pub(crate) fn compile(&self, utf8: bool) -> Result<FunctionMatcher, RangeError> {
        let FunctionRule::Patterns {
            patterns,
            extended,
            ignore_case,
        } = self
        else {
            return Ok(FunctionMatcher { patterns: None });
        };
        let syntax = RegexSyntax {
            dialect: if *extended {
                RegexDialect::Extended
            } else {
                RegexDialect::Basic
            },
            ignore_case: *ignore_case,
            by_lines: false,
            utf8,
        };
        let lines: Vec<&[u8]> = patterns.split_str("\n").collect();
        let mut rules = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let (negated, pattern) = match line {
                [b'!', pattern @ ..] => (true, pattern),
                pattern => (false, *pattern),
            };
            if negated && at + 1 == lines.len() {
                return Err(fatal(&[b"Last expression must not be negated: ", line]));
            }
            let compiled = regex::compile(pattern, syntax)
                .map_err(|_| fatal(&[b"Invalid regexp to look for hunk header: ", pattern]))?;
            rules.push((negated, compiled));
        }
        Ok(FunctionMatcher {
            patterns: Some(rules),
        })
    }
}

/// A compiled [`FunctionRule`].
pub(crate) struct FunctionMatcher {
    /// Each pattern with whether it is negated; `None` for the default rule.
    patterns: Option<Vec<(bool, CompiledPattern)>>,
}

impl FunctionMatcher {
    /// True if a line (with or without its newline) starts a function.
    pub(crate) fn is_function_line(&self, line: &[u8]) -> bool {
        match &self.patterns {
            Some(patterns) => decisive_pattern(patterns, without_newline(line)).is_some(),
            None => starts_with_letter(line),
        }
    }

    /// The part of a line (with or without its newline) that names the function that it starts:
    /// without the blanks at its end, what the first group of the pattern matches.
    pub(crate) fn function_name(&self, line: &[u8]) -> Option<Range<usize>> {
        let line = without_newline(line);
        let name = match &self.patterns {
            Some(patterns) => decisive_pattern(patterns, line)?.find_first_group(line)?,
            None => starts_with_letter(line).then_some(0..line.len())?,
        };
        let len = line[name.clone()].trim_ascii_end().len();
        Some(name.start..name.start + len)
    }
}

/// The first pattern that matches a line, unless it is negated.
fn decisive_pattern<'p>(
    patterns: &'p [(bool, CompiledPattern)],
    line: &[u8],
) -> Option<&'p CompiledPattern> {
    let (negated, pattern) = patterns
        .iter()
        .find(|(_, compiled)| compiled.is_match(line))?;
    (!negated).then_some(pattern)
}

fn starts_with_letter(line: &[u8]) -> bool {
    line.first()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$'))
}

fn without_newline(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r\n")
        .or_else(|| line.strip_suffix(b"\n"))
        .unwrap_or(line)
}
