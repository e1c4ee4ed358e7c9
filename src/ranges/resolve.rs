//! The lines that all arguments of `-L` together ask for.

use std::ops::Range;

use bstr::{BStr, BString, ByteSlice};

use crate::ranges::{
    error::{RangeError, fatal},
    functions::FunctionRule,
    parse, posix, syntax,
    text::Text,
};

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
