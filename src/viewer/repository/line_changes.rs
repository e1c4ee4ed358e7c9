//! The change of lines in one commit as rows.

use std::{borrow::Cow, collections::BTreeMap, ops::Range};

use crate::{
    diff::Hunk,
    engine::{Deletion, LineChange, VersionLines},
    text::thousands::thousands,
    viewer::model::{
        background::line_history::ChangedLine,
        diff::{DiffRow, counterparts},
        texts::syntax::Spans,
    },
};

/// Unchanged lines that are shown before and after a change.
const CONTEXT: u32 = 3;
/// Most rows of one change.
const MAX_ROWS: usize = 400;
/// Longest line, in bytes; what follows is cut.
const MAX_LINE_LEN: usize = 1 << 12;

/// The rows of a change, and how many lines the commit added and removed in it. A gap says how many of
/// these it leaves out.
pub(super) fn rows_of(change: &LineChange<'_>) -> (Vec<ChangedLine>, (u32, u32)) {
    let hunks = hunks_of(change);
    let mut builder = RowBuilder::new(change.lines, change.version.count());
    for (at, hunk) in hunks.iter().enumerate() {
        let limit = hunks.get(at + 1).map_or(u32::MAX, |next| next.new.start);
        builder.hunk(hunk, limit);
    }
    let (added, removed) = counts_of(&hunks);
    let RowBuilder { rows, gaps, .. } = builder.cut(u64::from(added) + u64::from(removed));
    let text = |at: usize, row: &DiffRow| match (*row, &change.previous) {
        (DiffRow::Added(new) | DiffRow::Context { new, .. }, _) => text_of(change.version, new),
        (DiffRow::Removed(old), Some(previous)) => text_of(previous.version, old),
        _ => gap_words(gaps.get(&at).copied().unwrap_or(0)),
    };
    let pairs = counterparts(&rows, |at| text(at, &rows[at]));
    let rows = rows.iter().enumerate().zip(pairs);
    let rows = rows.map(|((at, row), counterpart)| ChangedLine {
        row: *row,
        text: text(at, row).into(),
        counterpart,
        spans: Spans::default(),
    });
    (rows.collect(), (added, removed))
}

/// The hunks that touch the lines.
fn hunks_of<'a>(change: &LineChange<'a>) -> Cow<'a, [Hunk]> {
    match &change.previous {
        Some(previous) => Cow::Borrowed(previous.hunks),
        // No parent has the file.
        None => Cow::Owned(vec![Hunk {
            old: 0..0,
            new: 0..change.version.count(),
        }]),
    }
}

/// The numbers of lines that hunks add and remove.
fn counts_of(hunks: &[Hunk]) -> (u32, u32) {
    let sum = |lines: fn(&Hunk) -> usize| {
        let sum: usize = hunks.iter().map(lines).sum();
        u32::try_from(sum).unwrap_or(u32::MAX)
    };
    (sum(|hunk| hunk.new.len()), sum(|hunk| hunk.old.len()))
}

/// The deleted lines as rows. A gap says how many it leaves out.
pub(super) fn rows_of_deletion(deletion: &Deletion<'_>) -> Vec<ChangedLine> {
    let shown = deletion.lines.clone().take(MAX_ROWS);
    let rows = shown.map(|line| ChangedLine {
        row: DiffRow::Removed(line),
        text: text_of(deletion.version, line).into(),
        counterpart: None,
        spans: Spans::default(),
    });
    let more = deletion.lines.len().saturating_sub(MAX_ROWS);
    let gap = (more > 0).then(|| ChangedLine {
        row: gap_before(0, 0),
        text: gap_words(more as u64).into(),
        counterpart: None,
        spans: Spans::default(),
    });
    rows.chain(gap).collect()
}

/// What stands in a gap.
fn gap_words(more: u64) -> Vec<u8> {
    let words = match more {
        0 => String::new(),
        1 => "1 more line of the change".to_owned(),
        more => format!("{} more lines of the change", thousands(more)),
    };
    words.into()
}

fn gap_before(old: u32, new: u32) -> DiffRow {
    DiffRow::HunkHeader {
        old,
        new,
        function: None,
    }
}

/// A line without its newline, cut.
fn text_of(version: VersionLines<'_>, line: u32) -> Vec<u8> {
    let text = version.line(line);
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text[..text.len().min(MAX_LINE_LEN)].into()
}

/// Collects the rows of one hunk after the other.
#[derive(Default)]
struct RowBuilder {
    /// The lines of the new version that may be shown: the ranges, and unchanged lines around them.
    shown: Vec<Range<u32>>,
    rows: Vec<DiffRow>,
    /// By row: how many lines of the change are left out there.
    gaps: BTreeMap<usize, u64>,
    /// The next line of the new version that may be shown.
    next: u32,
    /// The end of the last range: what the same hunk adds below it is shown, too.
    end: u32,
}

impl RowBuilder {
    fn new(ranges: &[Range<u32>], count: u32) -> RowBuilder {
        let around = |range: &Range<u32>| {
            let end = range.end.saturating_add(CONTEXT).min(count);
            range.start.saturating_sub(CONTEXT)..end
        };
        RowBuilder {
            shown: ranges.iter().map(around).collect(),
            end: ranges.iter().map(|range| range.end).max().unwrap_or(0),
            ..RowBuilder::default()
        }
    }

    fn is_shown(&self, line: u32) -> bool {
        self.shown.iter().any(|lines| lines.contains(&line))
    }

    /// Adds a hunk, and unchanged lines around it: those after it before the line `limit`.
    fn hunk(&mut self, hunk: &Hunk, limit: u32) {
        let before = hunk.new.start.saturating_sub(CONTEXT);
        self.context(before..hunk.new.start, hunk, false);
        let removed = hunk.old.clone().take(MAX_ROWS);
        self.rows.extend(removed.map(DiffRow::Removed));
        // A hunk may add far more than the ranges.
        let mut left_out = 0;
        for new in hunk.new.clone() {
            let is_below = new >= self.end && self.rows.len() < MAX_ROWS;
            if self.is_shown(new) || is_below {
                self.leave_out(&mut left_out, (hunk.old.end, new));
                self.rows.push(DiffRow::Added(new));
            } else {
                left_out += 1;
            }
        }
        self.leave_out(&mut left_out, (hunk.old.end, hunk.new.end));
        self.next = self.next.max(hunk.new.end);
        let after = hunk.new.end.saturating_add(CONTEXT).min(limit);
        self.context(hunk.new.end..after.max(hunk.new.end), hunk, true);
    }

    /// Adds unchanged lines before or after a hunk, unless they are there.
    fn context(&mut self, lines: Range<u32>, hunk: &Hunk, after: bool) {
        for new in lines {
            if new >= self.next && self.is_shown(new) {
                let old = old_line(new, hunk, after);
                if new > self.next && !self.rows.is_empty() {
                    self.rows.push(gap_before(old, new));
                }
                self.rows.push(DiffRow::Context { old, new });
                self.next = new + 1;
            }
        }
    }

    /// Adds a gap in place of lines of the change, if there are any.
    fn leave_out(&mut self, count: &mut u64, (old, new): (u32, u32)) {
        let count = std::mem::take(count);
        if count > 0 {
            self.gaps.insert(self.rows.len(), count);
            self.rows.push(gap_before(old, new));
        }
    }

    /// Leaves out what is too much. `all` is the number of lines of the change.
    fn cut(mut self, all: u64) -> RowBuilder {
        self.rows.truncate(MAX_ROWS);
        self.gaps.retain(|at, _| *at < MAX_ROWS);
        let is_changed = |row: &&DiffRow| matches!(row, DiffRow::Added(_) | DiffRow::Removed(_));
        let shown = self.rows.iter().filter(is_changed).count() as u64;
        let known: u64 = self.gaps.values().sum();
        let mut left_out = all.saturating_sub(shown + known);
        self.leave_out(&mut left_out, (0, 0));
        self
    }
}

/// The number in the old version of an unchanged line near a hunk.
fn old_line(new: u32, hunk: &Hunk, after: bool) -> u32 {
    if after {
        new - hunk.new.end.min(new) + hunk.old.end
    } else {
        hunk.old
            .start
            .saturating_sub(hunk.new.start.saturating_sub(new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the ranges and the hunks are, every line of the change is shown or counted, and those of
    /// the ranges are shown.
    #[test]
    fn no_line_of_a_change_is_lost() {
        let hunk = |old: Range<u32>, new: Range<u32>| Hunk { old, new };
        let changes = [
            vec![hunk(0..0, 0..900)],
            vec![hunk(10..10, 10..60)],
            vec![hunk(10..60, 10..10)],
            vec![
                hunk(10..12, 10..13),
                hunk(14..14, 15..40),
                hunk(80..700, 106..107),
            ],
            vec![hunk(3..4, 3..4), hunk(7..8, 7..8), hunk(30..31, 30..31)],
        ];
        let ranges = [
            vec![0..300, 301..900],
            vec![20..21, 889..890],
            vec![12..14, 18..19, 30..35],
            vec![2..3, 5..6, 106..108],
        ];
        let mut compared = 0;
        for (hunks, ranges) in changes
            .iter()
            .flat_map(|it| ranges.iter().map(move |at| (it, at)))
        {
            let mut builder = RowBuilder::new(ranges, 900);
            for (at, hunk) in hunks.iter().enumerate() {
                let limit = hunks.get(at + 1).map_or(u32::MAX, |next| next.new.start);
                builder.hunk(hunk, limit);
            }
            let whole: Vec<DiffRow> = builder.rows.clone();
            let (added, removed) = counts_of(hunks);
            let all = u64::from(added) + u64::from(removed);
            let builder = builder.cut(all);
            let changed = |row: &&DiffRow| matches!(row, DiffRow::Added(_) | DiffRow::Removed(_));
            let shown = builder.rows.iter().filter(changed).count() as u64;
            let counted: u64 = builder.gaps.values().sum();
            assert_eq!(shown + counted, all, "{hunks:?} {ranges:?}");
            assert!(builder.rows.len() <= MAX_ROWS + 1);
            for at in builder.gaps.keys() {
                assert!(matches!(builder.rows[*at], DiffRow::HunkHeader { .. }));
            }
            let news: Vec<u32> = whole
                .iter()
                .filter_map(|row| match row {
                    DiffRow::Added(new) | DiffRow::Context { new, .. } => Some(*new),
                    _ => None,
                })
                .collect();
            assert!(news.is_sorted_by(|a, b| a < b), "{news:?}");
            let added = hunks.iter().flat_map(|hunk| hunk.new.clone());
            let own = added.filter(|line| ranges.iter().any(|range| range.contains(line)));
            for line in own {
                assert!(
                    whole.contains(&DiffRow::Added(line)),
                    "{line} {hunks:?} {ranges:?}"
                );
                compared += 1;
            }
        }
        assert!(compared > 900, "{compared}");
    }
}
