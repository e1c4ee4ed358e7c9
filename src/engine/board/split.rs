//! Splits pending entries at the hunks of a diff: unchanged lines go to the parent.

use std::ops::Range;

use crate::{
    diff::Hunk,
    engine::api::blame::{Entry, OriginId},
};

/// Consecutive lines that an origin is still suspected of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PendingEntry {
    /// First final line (0-based).
    pub(crate) start: u32,
    /// Number of lines.
    pub(crate) len: u32,
    /// First original line, in the suspect's file (0-based).
    pub(crate) source: u32,
    /// The lines were matched to a parent of an ignored commit.
    pub(crate) ignored: bool,
    /// The lines are of an ignored commit, and no line of a parent matched them.
    pub(crate) unblamable: bool,
}

impl PendingEntry {
    /// Lines of the final image in the suspect of that image.
    pub(crate) fn of_lines(lines: &Range<u32>) -> PendingEntry {
        PendingEntry {
            start: lines.start,
            len: lines.end - lines.start,
            source: lines.start,
            ignored: false,
            unblamable: false,
        }
    }

    /// The decided entry: `origin` is guilty of the lines.
    pub(crate) fn guilty(&self, origin: OriginId) -> Entry {
        Entry {
            lines: self.start..self.start + self.len,
            source_start: self.source,
            origin,
            ignored: self.ignored,
            unblamable: self.unblamable,
        }
    }

    /// End of the original lines (exclusive).
    pub(crate) fn source_end(&self) -> u32 {
        self.source + self.len
    }

    /// The part of `len` lines that starts `skip` lines in.
    pub(crate) fn part(&self, skip: u32, len: u32) -> PendingEntry {
        PendingEntry {
            start: self.start + skip,
            source: self.source + skip,
            len,
            ..*self
        }
    }
}

/// Moves the lines of `pending` outside of `hunks` to `moved`, with the parent's line numbers.
/// Lines inside of hunks stay.
///
/// ```text
///   target    ──────┤ hunk ├────────
///   entry       ├──────────────┤
///   becomes     ├───┤ stays ├──┤       the outer two move by their regions' offsets
/// ```
///
/// Entries may overlap in the target, so each is split on its own. Both results are sorted by
/// original line; the sort is stable.
pub(crate) fn split_unchanged(
    pending: &mut Vec<PendingEntry>,
    hunks: &[Hunk],
    moved: &mut Vec<PendingEntry>,
    kept: &mut Vec<PendingEntry>,
) {
    kept.clear();
    moved.reserve(pending.len() + 1);
    let mut rest = &pending[..];
    while let Some(first) = rest.first() {
        let at = hunks.partition_point(|hunk| hunk.new.end <= first.source);
        let offset = offset_before(hunks, at);
        let start = at.checked_sub(1).map_or(0, |last| hunks[last].new.end);
        let end = hunks.get(at).map_or(u32::MAX, |hunk| hunk.new.start);
        let is_between = |entry: &&PendingEntry| entry.source >= start && entry.source_end() <= end;
        let (whole, others) = rest.split_at(rest.iter().take_while(is_between).count());
        if whole.is_empty() {
            split(*first, &hunks[at..], offset, moved, kept);
            rest = &rest[1..];
            continue;
        }
        moved.extend(whole.iter().map(|entry| PendingEntry {
            source: add_offset(entry.source, offset),
            ..*entry
        }));
        rest = others;
    }
    // A new allocation: few entries stay, and they stay for long.
    *pending = kept.as_slice().into();
    sort_by_original_line(pending);
    sort_by_original_line(moved);
}

/// The offset from target to parent lines in the unchanged region before `hunks[at]`.
pub(crate) fn offset_before(hunks: &[Hunk], at: usize) -> i64 {
    match at.checked_sub(1).map(|last| &hunks[last]) {
        Some(hunk) => i64::from(hunk.old.end) - i64::from(hunk.new.end),
        None => 0,
    }
}

/// Splits one entry at the borders of `hunks`, none of which ends at or before its start.
fn split(
    entry: PendingEntry,
    hunks: &[Hunk],
    mut offset: i64,
    moved: &mut Vec<PendingEntry>,
    kept: &mut Vec<PendingEntry>,
) {
    let end = entry.source_end();
    let mut from = entry.source;
    let mut push_moved = |from: u32, to: u32, offset: i64| {
        if from < to {
            let mut part = entry.part(from - entry.source, to - from);
            part.source = add_offset(part.source, offset);
            moved.push(part);
        }
    };
    for hunk in hunks {
        if hunk.new.start >= end {
            break;
        }
        push_moved(from, hunk.new.start.max(from), offset);
        from = from.max(hunk.new.start);
        let inside = hunk.new.end.min(end);
        if from < inside {
            kept.push(entry.part(from - entry.source, inside - from));
            from = inside;
        }
        offset = i64::from(hunk.old.end) - i64::from(hunk.new.end);
    }
    push_moved(from, end, offset);
}

/// `line` plus `offset`. The result is a line of a file, so it fits 32 bits.
pub(crate) fn add_offset(line: u32, offset: i64) -> u32 {
    u32::try_from(i64::from(line) + offset).unwrap_or(0)
}

/// Stable sort by original line.
pub(crate) fn sort_by_original_line(entries: &mut [PendingEntry]) {
    if !entries.is_sorted_by_key(|entry| entry.source) {
        entries.sort_by_key(|entry| entry.source);
    }
}

/// Merges `new` into `into` by original line. Among equals, those of `into` come first.
///
/// Only the first remaining entries of both lists are compared. After move detection a list may be
/// unsorted; then the result is in git's order rather than sorted.
pub(crate) fn merge_entries(into: &mut Vec<PendingEntry>, new: &mut Vec<PendingEntry>) {
    if into.is_empty() {
        std::mem::swap(into, new);
        return;
    }
    let Some(first) = new.first() else { return };
    if into.iter().all(|entry| entry.source <= first.source) {
        into.append(new);
        return;
    }
    let old = std::mem::take(into);
    into.reserve(old.len() + new.len());
    let mut old = old.into_iter().peekable();
    for entry in new.drain(..) {
        while let Some(before) = old.next_if(|before| before.source <= entry.source) {
            into.push(before);
        }
        into.push(entry);
    }
    into.extend(old);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending(start: u32, len: u32, source: u32) -> PendingEntry {
        PendingEntry {
            start,
            len,
            source,
            ignored: false,
            unblamable: false,
        }
    }

    fn hunk(a: u32, ca: u32, b: u32, cb: u32) -> Hunk {
        Hunk {
            old: a..a + ca,
            new: b..b + cb,
        }
    }

    fn pass(entries: &[PendingEntry], hunks: &[Hunk]) -> (Vec<PendingEntry>, Vec<PendingEntry>) {
        let (mut entries, mut moved) = (entries.to_vec(), Vec::new());
        split_unchanged(&mut entries, hunks, &mut moved, &mut Vec::new());
        (entries, moved)
    }

    /// `a b c d e f → a b X d Y Z f`
    #[test]
    fn lines_outside_of_hunks_move() {
        let hunks = [hunk(2, 1, 2, 1), hunk(4, 1, 4, 2)];
        let (kept, moved) = pass(&[pending(0, 7, 0)], &hunks);
        assert_eq!(kept, [pending(2, 1, 2), pending(4, 2, 4)]);
        assert_eq!(
            moved,
            [pending(0, 2, 0), pending(3, 1, 3), pending(6, 1, 5)]
        );
    }

    /// A deletion cuts too: the parts are no longer contiguous in the parent.
    #[test]
    fn a_deletion_cuts() {
        let (kept, moved) = pass(&[pending(0, 4, 0)], &[hunk(2, 2, 2, 0)]);
        assert_eq!(kept, []);
        assert_eq!(moved, [pending(0, 2, 0), pending(2, 2, 4)]);
    }

    /// A deletion at an entry's very start moves it without cutting.
    #[test]
    fn a_deletion_at_the_border_does_not_cut() {
        let (_, moved) = pass(&[pending(0, 2, 2)], &[hunk(2, 3, 2, 0)]);
        assert_eq!(moved, [pending(0, 2, 5)]);
        let (_, moved) = pass(&[pending(0, 2, 0)], &[hunk(2, 3, 2, 0)]);
        assert_eq!(moved, [pending(0, 2, 0)]);
    }

    /// Two runs of final lines with the same original lines are split independently.
    #[test]
    fn overlapping_entries() {
        let hunks = [hunk(1, 0, 1, 1), hunk(4, 0, 5, 1)];
        let entries = [
            pending(0, 7, 0),
            pending(10, 1, 0),
            pending(20, 3, 4),
            pending(30, 1, 5),
        ];
        let (kept, moved) = pass(&entries, &hunks);
        assert_eq!(
            kept,
            [
                pending(1, 1, 1),
                pending(5, 1, 5),
                pending(21, 1, 5),
                pending(30, 1, 5)
            ]
        );
        assert_eq!(
            moved,
            [
                pending(0, 1, 0),
                pending(10, 1, 0),
                pending(2, 3, 1),
                pending(20, 1, 3),
                pending(6, 1, 4),
                pending(22, 1, 4),
            ]
        );
    }

    #[test]
    fn merging_keeps_older_entries_first() {
        let mut into = vec![pending(0, 1, 1), pending(5, 1, 4)];
        let mut new = vec![pending(9, 1, 1), pending(7, 1, 3)];
        merge_entries(&mut into, &mut new);
        let starts: Vec<_> = into.iter().map(|entry| entry.start).collect();
        assert_eq!(starts, [0, 9, 7, 5]);
        assert!(new.is_empty());
    }
}
