//! Resolves all `-L` arguments to sorted, disjoint ranges.

use std::ops::Range;

use bstr::{BStr, BString, ByteSlice};

use crate::{
    ranges::{
        argument::ArgumentResolver,
        error::{RangeError, fatal},
        function_lines::FunctionRule,
    },
    sorting,
    text::line_offsets::LineOffsets,
};

/// Resolves the arguments of `-L` to line ranges of a file.
///
/// `path` is for messages; `rule` finds function lines; `utf8` selects a UTF-8 locale for patterns
/// (the C library takes it from `LC_ALL`, `LC_CTYPE` and `LANG`), otherwise every byte is a
/// character. The result is sorted and merged. Without arguments it is the whole file.
///
/// # Errors
///
/// The first argument that is malformed, matches nothing or is beyond the end of the file.
pub fn resolve(
    contents: &[u8],
    specs: &[BString],
    path: &BStr,
    rule: &FunctionRule,
    utf8: bool,
) -> Result<Vec<Range<u32>>, RangeError> {
    let lines = LineOffsets::new(contents);
    // A file of 2⁶³ lines does not fit in memory.
    let count = lines.count() as i64;
    let mut compiled = None;
    let mut anchor = 1;
    let mut ranges = Vec::new();
    for spec in specs {
        let mut resolver = ArgumentResolver {
            lines: &lines,
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
    ranges.retain(|range| range.start < range.end);
    sorting::sort_by_key(&mut ranges, |range| range.start);
    Ok(joined(ranges.into_iter()))
}

/// Ranges in order, those that overlap or touch joined.
pub(crate) fn joined(ranges: impl Iterator<Item = Range<u32>>) -> Vec<Range<u32>> {
    let mut found: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match found.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => found.push(range),
        }
    }
    found
}
