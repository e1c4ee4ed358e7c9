//! Maps ranges of lines to a parent.

use std::ops::Range;

use crate::{diff::Hunk, engine::board::split::PendingEntry};

/// The lines of a suspect's entry.
pub(super) fn range_of(entry: &PendingEntry) -> Range<u32> {
    entry.source..entry.source_end()
}

/// True if `hunk` changes lines of `range`.
pub(super) fn touches(hunk: &Hunk, range: &Range<u32>) -> bool {
    let new = &hunk.new;
    if new.is_empty() {
        range.start < new.start && new.start < range.end
    } else {
        new.start < range.end && range.start < new.end
    }
}

/// The ranges in the parent, sorted and merged, and whether a hunk touches any of `ranges`, which
/// are sorted.
pub(super) fn to_parent(ranges: &[Range<u32>], hunks: &[Hunk]) -> (Vec<Range<u32>>, bool) {
    let mut is_touched = false;
    let mut parents = Vec::with_capacity(ranges.len());
    for range in ranges {
        let first = hunks.partition_point(|hunk| hunk.new.end <= range.start);
        let rest = &hunks[first..];
        let touching = &rest[..rest.partition_point(|hunk| hunk.new.start < range.end)];
        is_touched |= touching.iter().any(|hunk| touches(hunk, range));
        let start = match touching.first() {
            Some(hunk) if hunk.new.start <= range.start && !hunk.new.is_empty() => hunk.old.start,
            _ => shifted(range.start, hunks[..first].last()),
        };
        let end = match touching.last() {
            Some(hunk) if hunk.new.end >= range.end => hunk.old.end,
            Some(hunk) => shifted(range.end, Some(hunk)),
            None => shifted(range.end, hunks[..first].last()),
        };
        parents.push(start..end);
    }
    (merged(parents), is_touched)
}

/// The number in the parent of an unchanged line, or of the end of one, that follows `before`.
fn shifted(line: u32, before: Option<&Hunk>) -> u32 {
    before.map_or(line, |hunk| line - hunk.new.end + hunk.old.end)
}

/// Sorts ranges and merges those that overlap or touch; drops empty ones.
pub(super) fn merged(mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    ranges.retain(|range| range.start < range.end);
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.dedup_by(|next, range| {
        let joins = next.start <= range.end;
        if joins {
            range.end = range.end.max(next.end);
        }
        joins
    });
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(old: Range<u32>, new: Range<u32>) -> Hunk {
        Hunk { old, new }
    }

    #[track_caller]
    fn check(range: Range<u32>, hunks: &[Hunk], expected: Range<u32>, touched: bool) {
        let (ranges, is_touched) = to_parent(std::slice::from_ref(&range), hunks);
        assert_eq!(ranges.len(), usize::from(!expected.is_empty()));
        assert!(ranges.first().is_none_or(|range| *range == expected));
        assert_eq!(is_touched, touched);
    }

    #[test]
    fn unchanged_lines_move() {
        check(3..5, &[], 3..5, false);
        check(3..5, &[hunk(0..0, 0..2)], 1..3, false);
        check(3..5, &[hunk(0..2, 0..0)], 5..7, false);
        check(3..5, &[hunk(7..9, 7..8)], 3..5, false);
        check(3..5, &[hunk(1..2, 1..3), hunk(4..5, 5..5)], 2..4, false);
    }

    #[test]
    fn removed_lines_count_strictly_between_two_lines() {
        check(3..5, &[hunk(4..6, 4..4)], 3..7, true);
        check(3..5, &[hunk(3..6, 3..3)], 6..8, false);
        check(3..5, &[hunk(5..6, 5..5)], 3..5, false);
    }

    #[test]
    fn a_hunk_counts_as_a_whole() {
        check(3..5, &[hunk(1..9, 1..4)], 1..10, true);
        check(3..5, &[hunk(4..9, 4..8)], 3..9, true);
        check(3..5, &[hunk(2..4, 1..7)], 2..4, true);
        check(3..6, &[hunk(4..6, 4..5)], 3..7, true);
    }

    #[test]
    fn added_lines_are_not_in_the_parent() {
        check(3..5, &[hunk(2..2, 2..6)], 0..0, true);
        check(3..6, &[hunk(2..2, 2..4)], 2..4, true);
        check(3..6, &[hunk(5..5, 5..7)], 3..5, true);
    }

    #[test]
    fn ranges_that_meet_are_merged() {
        let hunks = [hunk(4..4, 4..6)];
        let (ranges, touched) = to_parent(&[2..4, 6..8], &hunks);
        assert_eq!((ranges.len(), ranges[0].clone(), touched), (1, 2..6, false));
    }
}
