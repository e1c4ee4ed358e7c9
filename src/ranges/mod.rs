//! `-L`: which lines of a file are asked for.
//!
//! Line numbers are 1-based in the arguments and 0-based, half-open in the result.

use std::{error, fmt, ops::Range};

use bstr::{BStr, BString, ByteSlice};

mod bracket;
mod drivers;
mod functions;
mod parse;
mod pattern;
mod posix;
mod syntax;

pub use functions::FunctionRule;

/// An argument of `-L` that cannot be used. The texts are git's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RangeError {
    /// The argument has another form: git prints the first line of its usage, with status 129.
    Usage,
    /// A message without its `fatal: `, with status 128.
    Fatal(BString),
}

impl RangeError {
    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            RangeError::Usage => 129,
            RangeError::Fatal(_) => 128,
        }
    }
}

impl fmt::Display for RangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RangeError::Usage => write!(f, "invalid argument of -L"),
            RangeError::Fatal(message) => message.fmt(f),
        }
    }
}

impl error::Error for RangeError {}

fn fatal(parts: &[&[u8]]) -> RangeError {
    RangeError::Fatal(parts.concat().into())
}

/// Whether the C library would compile `pattern`, an extended or a basic regular expression.
///
/// # Errors
///
/// What is wrong, in the C library's words.
pub fn check_pattern(pattern: &[u8], extended: bool) -> Result<(), &'static str> {
    let syntax = syntax::Syntax {
        dialect: match extended {
            true => syntax::Dialect::Extended,
            false => syntax::Dialect::Basic,
        },
        ignore_case: false,
        by_lines: true,
        utf8: false,
    };
    posix::compile(pattern, syntax).map(drop)
}

/// The lines that the arguments of `-L` ask for, in a file's contents.
///
/// `path` is for messages; `rule` finds functions; `utf8` says that patterns are in UTF-8 (as the
/// C library takes from `LC_ALL`, `LC_CTYPE` and `LANG`), otherwise every byte is a character.
/// The result is sorted and joined. Without arguments it is the whole file.
///
/// # Errors
///
/// The first argument that is malformed, matches nothing or lies beyond the end of the file.
pub fn resolve(
    contents: &[u8],
    specs: &[BString],
    path: &BStr,
    rule: &FunctionRule,
    utf8: bool,
) -> Result<Vec<Range<u32>>, RangeError> {
    let text = Text::new(contents);
    let count = text.count();
    let mut compiled = None;
    let mut anchor = 1;
    let mut ranges = Vec::new();
    for spec in specs {
        let mut resolver = parse::Resolver {
            text: &text,
            anchor: anchor.min(count + 1),
            rule,
            compiled: &mut compiled,
            utf8,
        };
        let (start, end) = resolver.resolve(spec.as_bstr())?;
        if (count == 0 && (start != 0 || end != 0)) || count < start {
            let unit = if count == 1 { "line" } else { "lines" };
            let rest = format!(" has only {count} {unit}");
            return Err(fatal(&[b"file ", path, rest.as_bytes()]));
        }
        let start = start.max(1);
        let end = if end < 1 { count } else { end.min(count) };
        // Both are at most the count of lines.
        ranges.push(start as u32 - 1..end as u32);
        anchor = end + 1;
    }
    if specs.is_empty() {
        ranges.push(0..count as u32);
    }
    Ok(joined(ranges))
}

/// Sort ranges and join those that overlap or touch.
fn joined(mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    ranges.retain(|range| range.start < range.end);
    ranges.sort_unstable_by_key(|range| range.start);
    let mut result: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match result.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => result.push(range),
        }
    }
    result
}

/// A file's contents by lines.
struct Text<'a> {
    contents: &'a [u8],
    /// The start of each line, then the end of the file.
    bounds: Vec<usize>,
}

impl<'a> Text<'a> {
    fn new(contents: &'a [u8]) -> Self {
        let mut bounds = vec![0];
        bounds.extend(memchr::memchr_iter(b'\n', contents).map(|at| at + 1));
        if bounds.last() != Some(&contents.len()) {
            bounds.push(contents.len());
        }
        Text { contents, bounds }
    }

    fn count(&self) -> i64 {
        self.bounds.len() as i64 - 1
    }

    /// Where a line starts (0-based); the end of the file beyond the last.
    fn start(&self, line: i64) -> usize {
        let line = usize::try_from(line).unwrap_or(0);
        let bound = self.bounds.get(line).copied();
        bound.unwrap_or(self.contents.len())
    }

    /// A line with its newline.
    fn line(&self, line: i64) -> &'a [u8] {
        &self.contents[self.start(line)..self.start(line + 1)]
    }

    /// What C's functions for strings see from a place on: up to the first NUL.
    fn string_from(&self, start: usize) -> &'a [u8] {
        let rest = &self.contents[start..];
        let end = memchr::memchr(0, rest).unwrap_or(rest.len());
        &rest[..end]
    }
}
