//! Parses and resolves one argument of `-L`.

use bstr::BStr;

use crate::{
    ranges::{
        error::{RangeError, fatal},
        function_lines::{FunctionMatcher, FunctionRule},
        posix::{
            regex,
            syntax::{RegexDialect, RegexSyntax},
        },
    },
    text::line_offsets::LineOffsets,
};

/// Resolves one argument.
pub(super) struct ArgumentResolver<'a> {
    pub(super) lines: &'a LineOffsets<'a>,
    /// The line at which pattern searches start (1-based).
    pub(super) anchor: i64,
    pub(super) rule: &'a FunctionRule,
    /// The rule, compiled at its first use.
    pub(super) compiled: &'a mut Option<FunctionMatcher>,
    pub(super) utf8: bool,
}

/// Which end of a range is parsed: decides its syntax and where a pattern search starts.
enum Endpoint {
    Start,
    /// Holds the start line, 0 if that is open.
    End(i64),
}

impl ArgumentResolver<'_> {
    /// First and last line (1-based, inclusive); 0 is an open end.
    pub(super) fn resolve(&mut self, spec: &BStr) -> Result<(i64, i64), RangeError> {
        if spec.starts_with(b":") {
            return self.function(&spec[1..], self.anchor);
        }
        if spec.starts_with(b"^:") {
            return self.function(&spec[2..], 1);
        }
        let (start, rest) = self.endpoint(spec, Endpoint::Start)?;
        let mut start = start.unwrap_or(0);
        let mut end = 0;
        let rest = match rest {
            [b',', rest @ ..] => {
                let (line, rest) = self.endpoint(rest, Endpoint::End(start))?;
                end = line.unwrap_or(0);
                rest
            }
            rest => rest,
        };
        if !rest.is_empty() {
            return Err(RangeError::Usage);
        }
        if start != 0 && end != 0 && end < start {
            std::mem::swap(&mut start, &mut end);
        }
        Ok((start, end))
    }

    /// Parses a number, an offset or a pattern; also returns the rest of `spec`.
    fn endpoint<'s>(
        &self,
        spec: &'s [u8],
        endpoint: Endpoint,
    ) -> Result<(Option<i64>, &'s [u8]), RangeError> {
        if let Endpoint::End(start) = endpoint
            && let [sign @ (b'+' | b'-'), rest @ ..] = spec
            && let Some((count, rest)) = number(rest)
        {
            return Ok((Some(offset(start, *sign == b'-', count)?), rest));
        }
        if let Some((line, rest)) = number(spec) {
            if line <= 0 {
                let message = format!("-L invalid line number: {line}");
                return Err(fatal(&[message.as_bytes()]));
            }
            return Ok((Some(line), rest));
        }
        let (from, spec) = match (endpoint, spec) {
            (Endpoint::Start, [b'^', rest @ ..]) => (1, rest),
            (Endpoint::Start, spec) => (self.anchor, spec),
            (Endpoint::End(start), spec) => (start.saturating_add(1), spec),
        };
        let Some(pattern_len) = pattern_len(spec) else {
            return Ok((None, spec));
        };
        let line = self.search(&spec[1..=pattern_len], from)?;
        Ok((Some(line), &spec[pattern_len + 2..]))
    }

    /// The line (1-based) in which the first match at or after line `from` begins.
    fn search(&self, pattern: &[u8], from: i64) -> Result<i64, RangeError> {
        let failed = |reason: &str| {
            let suffix = format!("' starting at line {from}: {reason}");
            fatal(&[b"-L parameter '", pattern, suffix.as_bytes()])
        };
        let compiled = regex::compile(pattern, basic_syntax(self.utf8)).map_err(failed)?;
        let count = self.lines.count() as i64;
        // Beyond the end, git reads an unset offset and searches the whole file. If there is a
        // match, the error is that the start is too large.
        let start = if from - 1 > count {
            0
        } else {
            self.lines.start(usize::try_from(from - 1).unwrap_or(0))
        };
        let found = compiled.find(c_string_at(self.lines.contents(), start));
        let at = start + found.ok_or_else(|| failed("No match"))?.start;
        // A match at the end of the file is on the line after the last.
        let line = self.lines.bounds().partition_point(|bound| *bound <= at) as i64;
        Ok(line.min(count + 1).max(from))
    }

    /// Resolves `:PATTERN`: the first function at or after line `anchor` whose first line matches.
    fn function(&mut self, spec: &[u8], anchor: i64) -> Result<(i64, i64), RangeError> {
        let len = unescaped(spec, b':').unwrap_or(spec.len());
        let (pattern, rest) = spec.split_at(len);
        if pattern.is_empty() {
            return Err(RangeError::Usage);
        }
        let failed = |suffix: &str| fatal(&[b"-L parameter '", pattern, suffix.as_bytes()]);
        let functions = match self.compiled {
            Some(functions) => functions,
            None => self.compiled.insert(self.rule.compile(self.utf8)?),
        };
        let syntax = basic_syntax(self.utf8);
        let compiled =
            regex::compile(pattern, syntax).map_err(|err| failed(&format!("': {err}")))?;
        let lines = self.lines;
        let mut from = lines.start(usize::try_from(anchor - 1).unwrap_or(0));
        let bol = loop {
            let rest = c_string_at(lines.contents(), from);
            let Some(found) = compiled.find(rest) else {
                return Err(failed(&format!("' starting at line {anchor}: no match")));
            };
            let bol = line_start(rest, found.start);
            let eol = line_end(rest, found.end);
            if functions.is_function_line(&rest[bol..eol]) {
                break from + bol;
            }
            if eol == 0 {
                return Err(failed(&format!("' starting at line {anchor}: no match")));
            }
            from += eol;
        };
        let first = lines.bounds().partition_point(|bound| *bound < bol);
        if first >= lines.count() {
            return Err(failed("' matches at EOF"));
        }
        let mut end = first + 1;
        while end < lines.count() && !functions.is_function_line(lines.get(end)) {
            end += 1;
        }
        match rest {
            [] => Ok((first as i64 + 1, end as i64)),
            _ => Err(RangeError::Usage),
        }
    }
}

/// The C string at an offset: up to the first NUL.
fn c_string_at(contents: &[u8], start: usize) -> &[u8] {
    let rest = &contents[start..];
    let end = memchr::memchr(0, rest).unwrap_or(rest.len());
    &rest[..end]
}

/// The syntax of patterns in `-L` arguments.
fn basic_syntax(utf8: bool) -> RegexSyntax {
    RegexSyntax {
        dialect: RegexDialect::Basic,
        ignore_case: false,
        by_lines: true,
        utf8,
    }
}

/// The start of the line that contains offset `at`.
fn line_start(text: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &text[..at]).map_or(0, |newline| newline + 1)
}

/// The end, after the newline, of the line that contains offset `at`.
fn line_end(text: &[u8], at: usize) -> usize {
    let rest = &text[at..];
    memchr::memchr(b'\n', rest).map_or(text.len(), |newline| at + newline + 1)
}

/// Resolves `+COUNT` or `-COUNT` relative to `start` (0 if open) to the other end of the range.
fn offset(start: i64, negative: bool, count: i64) -> Result<i64, RangeError> {
    let count = if negative {
        count.saturating_neg()
    } else {
        count
    };
    if count == 0 {
        return Err(fatal(&[b"-L invalid empty range"]));
    }
    if count > 0 {
        return Ok(start.saturating_add(count) - 1);
    }
    Ok(start.saturating_add(count).saturating_add(1).max(1))
}

/// Parses a number like C's `strtol`: skips whitespace, accepts a sign, saturates on overflow.
/// `None` if there are no digits.
fn number(text: &[u8]) -> Option<(i64, &[u8])> {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let rest = &text[text.iter().take_while(|byte| blank(byte)).count()..];
    let (negative, rest) = match rest {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let len = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if len == 0 {
        return None;
    }
    let value = rest[..len].iter().fold(0i64, |value, digit| {
        value
            .saturating_mul(10)
            .saturating_add(i64::from(digit - b'0'))
    });
    Some((if negative { -value } else { value }, &rest[len..]))
}

/// The length of a `/PATTERN/` at the start of `spec`, without its slashes.
fn pattern_len(spec: &[u8]) -> Option<usize> {
    let [b'/', rest @ ..] = spec else {
        return None;
    };
    unescaped(rest, b'/')
}

/// The offset of the first `wanted` that is not escaped by a backslash.
fn unescaped(text: &[u8], wanted: u8) -> Option<usize> {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if byte == wanted {
            return Some(at);
        }
        at += if byte == b'\\' { 2 } else { 1 };
    }
    None
}
