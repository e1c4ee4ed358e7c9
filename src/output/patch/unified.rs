//! Writes the differences of two texts as hunks of a unified diff.

use std::ops::Range;

use crate::{diff::Hunk, text::line_offsets::LineOffsets};

/// Lines of context before and after a change.
const CONTEXT: u32 = 3;

/// Most bytes of a heading.
const MAX_HEADING: usize = 80;

/// Appends the hunks of a unified diff with three lines of context. `heading` is the part of a line that
/// names what the lines below it belong to, if it does.
pub(crate) fn push_hunks<'t>(
    out: &mut Vec<u8>,
    old: &LineOffsets<'t>,
    new: &LineOffsets<'_>,
    hunks: &[Hunk],
    heading: impl Fn(&'t [u8]) -> Option<&'t [u8]>,
) {
    let (mut last_heading, mut searched) = (None, 0);
    let ends = (count(old), count(new));
    let mut rest = hunks;
    while let Some(first) = rest.first() {
        let near = |pair: &[Hunk]| pair[1].old.start - pair[0].old.end <= 2 * CONTEXT;
        let len = 1 + rest.windows(2).take_while(|pair| near(pair)).count();
        let (group, others) = rest.split_at(len);
        rest = others;
        let last = group.last().unwrap_or(first);
        let before = first.old.start.min(CONTEXT).min(first.new.start);
        let after = (ends.0 - last.old.end)
            .min(CONTEXT)
            .min(ends.1 - last.new.end);
        let old_range = first.old.start - before..last.old.end + after;
        let new_range = first.new.start - before..last.new.end + after;
        let (old_shown, new_shown) = (shown(&old_range), shown(&new_range));
        out.extend_from_slice(format!("@@ -{old_shown} +{new_shown} @@").as_bytes());
        let mut above = (searched..old_range.start).rev();
        last_heading = above
            .find_map(|line| heading(old.get(line as usize)))
            .or(last_heading);
        searched = old_range.start;
        if let Some(heading) = last_heading {
            out.push(b' ');
            out.extend_from_slice(heading[..heading.len().min(MAX_HEADING)].trim_ascii_end());
        }
        out.push(b'\n');
        let mut at = old_range.start;
        for hunk in group {
            push_lines(out, b' ', old, at..hunk.old.start);
            push_lines(out, b'-', old, hunk.old.clone());
            push_lines(out, b'+', new, hunk.new.clone());
            at = hunk.old.end;
        }
        push_lines(out, b' ', old, at..old_range.end);
    }
}

fn count(text: &LineOffsets<'_>) -> u32 {
    u32::try_from(text.count()).unwrap_or(u32::MAX)
}

/// A range as in the header of a hunk.
fn shown(range: &Range<u32>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => (u64::from(range.start) + 1).to_string(),
        len => format!("{},{len}", u64::from(range.start) + 1),
    }
}

fn push_lines(out: &mut Vec<u8>, mark: u8, text: &LineOffsets<'_>, lines: Range<u32>) {
    for line in lines {
        let line = text.get(line as usize);
        out.push(mark);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}
