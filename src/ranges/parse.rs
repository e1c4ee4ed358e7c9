//! One argument of `-L`.

use bstr::BStr;

use crate::ranges::{
    error::{RangeError, fatal},
    functions::{FunctionRule, Functions},
    posix,
    syntax::{Dialect, Syntax},
    text::Text,
};

/// Reads one argument.
pub(super) struct Resolver<'a> {
    pub(super) text: &'a Text<'a>,
    /// The line from which patterns are searched (1-based).
    pub(super) anchor: i64,
    pub(super) rule: &'a FunctionRule,
    /// The compiled rule, once it was needed.
    pub(super) compiled: &'a mut Option<Functions>,
    pub(super) utf8: bool,
}

/// Where a pattern is searched from, and what else a place may be.
enum Place {
    Start,
    /// With the start's line, 0 if it is open.
    End(i64),
}

impl Resolver<'_> {
    /// First and last line (1-based, both included); 0 leaves an end open.
    pub(super) fn resolve(&mut self, spec: &BStr) -> Result<(i64, i64), RangeError> {
        if spec.starts_with(b":") {
            return self.function(&spec[1..], self.anchor);
        }
        if spec.starts_with(b"^:") {
            return self.function(&spec[2..], 1);
        }
        let (start, rest) = self.place(spec, Place::Start)?;
        let mut start = start.unwrap_or(0);
        let mut end = 0;
        let rest = match rest {
            [b',', rest @ ..] => {
                let (place, rest) = self.place(rest, Place::End(start))?;
                end = place.unwrap_or(0);
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

    /// A number, an offset or a pattern; also returns what follows it.
    fn place<'s>(
        &self,
        spec: &'s [u8],
        place: Place,
    ) -> Result<(Option<i64>, &'s [u8]), RangeError> {
        if let Place::End(start) = place
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
        let (from, spec) = match (place, spec) {
            (Place::Start, [b'^', rest @ ..]) => (1, rest),
            (Place::Start, spec) => (self.anchor, spec),
            (Place::End(start), spec) => (start.saturating_add(1), spec),
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
            let place = format!("' starting at line {from}: {reason}");
            fatal(&[b"-L parameter '", pattern, place.as_bytes()])
        };
        let regex = posix::compile(pattern, basic(self.utf8)).map_err(failed)?;
        let count = self.text.count();
        // Beyond the end git reads a place that it never set, and searches the whole file. The
        // start is too large then, which is what it complains about if there is a match.
        let start = match from - 1 > count {
            true => 0,
            false => self.text.start(from - 1),
        };
        let found = regex.find(self.text.string_from(start));
        let at = start + found.ok_or_else(|| failed("No match"))?.start;
        // At the very end of the file it is on the line after the last.
        let bounds = &self.text.bounds;
        let line = bounds.partition_point(|bound| *bound <= at) as i64;
        Ok(line.min(count + 1).max(from))
    }

    /// The function whose first line a pattern matches, from line `anchor` on.
    fn function(&mut self, spec: &[u8], anchor: i64) -> Result<(i64, i64), RangeError> {
        let len = unescaped(spec, b':').unwrap_or(spec.len());
        let (pattern, rest) = spec.split_at(len);
        if pattern.is_empty() {
            return Err(RangeError::Usage);
        }
        let failed = |place: &str| fatal(&[b"-L parameter '", pattern, place.as_bytes()]);
        let functions = match self.compiled {
            Some(functions) => functions,
            None => self.compiled.insert(self.rule.compile(self.utf8)?),
        };
        let basic = basic(self.utf8);
        let regex = posix::compile(pattern, basic).map_err(|err| failed(&format!("': {err}")))?;
        let text = self.text;
        let mut from = text.start(anchor - 1);
        let bol = loop {
            let rest = text.string_from(from);
            let Some(found) = regex.find(rest) else {
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
        let first = text.bounds.partition_point(|bound| *bound < bol) as i64;
        if first >= text.count() {
            return Err(failed("' matches at EOF"));
        }
        let mut end = first + 1;
        while end < text.count() && !functions.is_function_line(text.line(end)) {
            end += 1;
        }
        match rest {
            [] => Ok((first + 1, end)),
            _ => Err(RangeError::Usage),
        }
    }
}

/// The syntax of patterns in the argument itself.
fn basic(utf8: bool) -> Syntax {
    Syntax {
        dialect: Dialect::Basic,
        ignore_case: false,
        by_lines: true,
        utf8,
    }
}

/// The start of the line in which a match begins.
fn line_start(text: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &text[..at]).map_or(0, |newline| newline + 1)
}

/// The end of the line in which a match ends, its newline included.
fn line_end(text: &[u8], at: usize) -> usize {
    let rest = &text[at..];
    memchr::memchr(b'\n', rest).map_or(text.len(), |newline| at + newline + 1)
}

/// The last line of a range of `count` lines from, or with `-` up to, `start` (0 if that is open).
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

/// A number as C's `strtol` reads it: white space and a sign may stand before it, and what is too
/// large counts as the largest. `None` if there are no digits.
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

/// The length of a pattern between slashes at the start of `spec`, if there is one.
fn pattern_len(spec: &[u8]) -> Option<usize> {
    let [b'/', rest @ ..] = spec else {
        return None;
    };
    unescaped(rest, b'/')
}

/// Where `wanted` first stands without a backslash before it.
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
