//! Maps a line of one version of a file to another version.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::diff::{self, DiffError, Differ, LineInterner, Token};

/// Most old lines of a hunk that are compared with the line.
const MAX_CANDIDATES: u32 = 1000;

/// Longest part of a line that is compared, in bytes without whitespace.
const MAX_COMPARED_LEN: usize = 400;

/// The counterpart of a line in another version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MappedLine {
    /// The line (0-based).
    pub line: u32,
    /// How it was found.
    pub quality: MappingQuality,
}

/// How a line was mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MappingQuality {
    /// The line is outside of all hunks.
    Exact,
    /// The most similar line of a hunk, with the similarity in percent.
    Similar(u8),
    /// The line has no counterpart; this is the line after its place.
    NoCounterpart,
}

/// Maps `line` of the text `from` to a line of the text `to` (both 0-based).
///
/// Outside of hunks the result is exact. In a hunk it is its most similar line in `to` by bigram
/// similarity.
///
/// # Errors
/// If the texts are too large for the diff.
pub fn map(
    line: u32,
    from: &[u8],
    to: &[u8],
    options: &diff::DiffOptions,
) -> Result<MappedLine, DiffError> {
    let mut lines = LineInterner::new(options.ignore_whitespace);
    let (mut to_tokens, mut from_tokens) = (Vec::new(), Vec::new());
    lines.tokenize(to, &mut to_tokens)?;
    lines.tokenize(from, &mut from_tokens)?;
    // The hunks have `to` as the old side.
    let mut hunks = Vec::new();
    Differ::default().hunks(&lines, &to_tokens, &from_tokens, options, &mut hunks)?;

    // The last hunk that starts at or before the line.
    let before = hunks.partition_point(|hunk| hunk.new.start <= line);
    let Some(hunk) = before.checked_sub(1).map(|at| &hunks[at]) else {
        return Ok(exact(line));
    };
    if line >= hunk.new.end {
        return Ok(exact(hunk.old.end + (line - hunk.new.end)));
    }
    if hunk.old.is_empty() {
        let last = (to_tokens.len() as u32).saturating_sub(1);
        return Ok(MappedLine {
            line: hunk.old.start.min(last),
            quality: MappingQuality::NoCounterpart,
        });
    }
    let text = |tokens: &[Token], line: u32| {
        let token = tokens.get(line as usize);
        token.map(|&token| lines.bytes(token)).unwrap_or_default()
    };
    let wanted = Bigrams::new(text(&from_tokens, line));
    let middle = proportional(line, &hunk.new, &hunk.old);
    let first = hunk
        .old
        .start
        .max(middle.saturating_sub(MAX_CANDIDATES / 2));
    let candidates = first..hunk.old.end.min(first.saturating_add(MAX_CANDIDATES));
    let scored = candidates.map(|candidate| {
        let percent = wanted.similarity(text(&to_tokens, candidate));
        (
            percent,
            std::cmp::Reverse(candidate.abs_diff(middle)),
            candidate,
        )
    });
    let (percent, _, line) = scored.max().unwrap_or((0, std::cmp::Reverse(0), middle));
    Ok(MappedLine {
        line,
        quality: MappingQuality::Similar(percent),
    })
}

fn exact(line: u32) -> MappedLine {
    MappedLine {
        line,
        quality: MappingQuality::Exact,
    }
}

/// The line of `to` at the relative position of `line` in `from`; `to` must not be empty.
fn proportional(line: u32, from: &Range<u32>, to: &Range<u32>) -> u32 {
    let scaled = u64::from(line - from.start) * u64::from(to.end - to.start);
    let offset = scaled / u64::from((from.end - from.start).max(1));
    to.start + offset as u32
}

/// Multiset of the bigrams of adjacent bytes of a line, ignoring whitespace.
struct Bigrams {
    counts: FxHashMap<[u8; 2], u32>,
    total: u32,
}

fn without_blanks(line: &[u8]) -> Vec<u8> {
    let bytes = line.iter().filter(|byte| !byte.is_ascii_whitespace());
    bytes.take(MAX_COMPARED_LEN).copied().collect()
}

impl Bigrams {
    fn new(line: &[u8]) -> Self {
        let line = without_blanks(line);
        let mut counts = FxHashMap::default();
        for pair in bigrams(&line) {
            *counts.entry(pair).or_default() += 1;
        }
        let total = bigrams(&line).count() as u32;
        Bigrams { counts, total }
    }

    /// Sørensen–Dice coefficient with another line, in percent.
    fn similarity(&self, other: &[u8]) -> u8 {
        let other = without_blanks(other);
        let mut left = self.counts.clone();
        let mut common = 0;
        let mut total = self.total;
        for pair in bigrams(&other) {
            total += 1;
            if let Some(count) = left.get_mut(&pair).filter(|count| **count > 0) {
                *count -= 1;
                common += 1;
            }
        }
        // Two blank lines are equal.
        (200u32 * common)
            .checked_div(total)
            .map_or(100, |percent| percent as u8)
    }
}

/// The bigrams of a line; a single byte is paired with 0.
fn bigrams(line: &[u8]) -> impl Iterator<Item = [u8; 2]> {
    let single = (line.len() == 1).then(|| [line[0], 0]);
    line.windows(2).map(|pair| [pair[0], pair[1]]).chain(single)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn land(old: &str, new: &str, line: u32) -> (u32, MappingQuality) {
        let options = diff::DiffOptions::default();
        let mapped_line = map(line, new.as_bytes(), old.as_bytes(), &options).expect("small texts");
        (mapped_line.line, mapped_line.quality)
    }

    #[test]
    fn outside_of_hunks_the_map_is_exact() {
        assert_eq!(
            land("a\nb\nc\n", "x\na\nb\nc\n", 2),
            (1, MappingQuality::Exact)
        );
        assert_eq!(land("a\nb\nc\n", "a\nc\n", 1), (2, MappingQuality::Exact));
        assert_eq!(land("a\n", "a\n", 0), (0, MappingQuality::Exact));
    }

    #[test]
    fn an_added_line_maps_to_the_line_after_it() {
        assert_eq!(
            land("a\nb\n", "a\nnew\nb\n", 1),
            (1, MappingQuality::NoCounterpart)
        );
        assert_eq!(
            land("a\n", "a\nnew\n", 1),
            (0, MappingQuality::NoCounterpart)
        );
        assert_eq!(land("", "new\n", 0), (0, MappingQuality::NoCounterpart));
    }

    #[test]
    fn in_a_hunk_the_most_similar_line_is_taken() {
        let old = "head\nlet count = lines.len();\nprint(count);\nfoot\n";
        let new = "head\nshow(total);\nlet total = lines.len();\nfoot\n";
        assert_eq!(land(old, new, 2), (1, MappingQuality::Similar(70)));
        assert_eq!(
            land("a\n  x\nb\n", "a\nx\nb\n", 1),
            (1, MappingQuality::Similar(100))
        );
        assert_eq!(
            land("a\n1\n2\n3\n4\nb\n", "a\nv\nw\nx\ny\nb\n", 3),
            (3, MappingQuality::Similar(0))
        );
    }
}
