//! The change of lines in one commit as rows.

use std::ops::Range;

use crate::{
    diff::Hunk,
    engine::{Deletion, LineChange, VersionLines},
    viewer::model::{
        background::line_history::ChangedLine,
        diff::{DiffRow, counterparts},
    },
};

/// Unchanged lines that are shown before and after a change.
const CONTEXT: u32 = 3;
/// Most rows of one change.
const MAX_ROWS: usize = 400;
/// Longest line, in bytes; what follows is cut.
const MAX_LINE_LEN: usize = 1 << 12;

/// The rows of a change, and whether some were cut.
pub(super) fn rows_of(change: &LineChange<'_>) -> (Vec<ChangedLine>, bool) {
    let mut builder = RowBuilder::default();
    let hunks = change.previous.as_ref().map_or(&[][..], |it| it.hunks);
    let whole: Vec<Hunk>;
    let hunks = match change.previous {
        Some(_) => hunks,
        // No parent has the file.
        None => {
            let added = |range: &Range<u32>| Hunk {
                old: 0..0,
                new: range.clone(),
            };
            whole = change.lines.iter().map(added).collect();
            &whole
        }
    };
    for range in change.lines {
        builder.range(range, hunks, change.version.count());
    }
    let is_cut = builder.rows.len() > MAX_ROWS;
    builder.rows.truncate(MAX_ROWS);
    let pairs = counterparts(&builder.rows);
    let text = |row: &DiffRow| match (*row, &change.previous) {
        (DiffRow::Added(new) | DiffRow::Context { new, .. }, _) => text_of(change.version, new),
        (DiffRow::Removed(old), Some(previous)) => text_of(previous.version, old),
        _ => Vec::new(),
    };
    let rows = builder.rows.iter().zip(pairs);
    let rows = rows.map(|(row, counterpart)| ChangedLine {
        row: *row,
        text: text(row).into(),
        counterpart,
    });
    (rows.collect(), is_cut)
}

/// The deleted lines as rows, and whether some were cut.
pub(super) fn rows_of_deletion(deletion: &Deletion<'_>) -> (Vec<ChangedLine>, bool) {
    let shown = deletion.lines.clone().take(MAX_ROWS);
    let rows = shown.map(|line| ChangedLine {
        row: DiffRow::Removed(line),
        text: text_of(deletion.version, line).into(),
        counterpart: None,
    });
    (rows.collect(), deletion.lines.len() > MAX_ROWS)
}

/// A line without its newline, cut.
fn text_of(version: VersionLines<'_>, line: u32) -> Vec<u8> {
    let text = version.line(line);
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text[..text.len().min(MAX_LINE_LEN)].into()
}

/// Collects the rows of one range after the other.
#[derive(Default)]
struct RowBuilder {
    rows: Vec<DiffRow>,
    /// The next line of the new version that may be shown.
    next: u32,
}

impl RowBuilder {
    /// Adds a range with the hunks that touch it, and unchanged lines around them.
    fn range(&mut self, range: &Range<u32>, hunks: &[Hunk], count: u32) {
        let shown = range.start.saturating_sub(CONTEXT)..(range.end + CONTEXT).min(count);
        let touching: Vec<&Hunk> = hunks
            .iter()
            .filter(|hunk| hunk.new.end >= range.start && hunk.new.start <= range.end)
            .collect();
        for (at, hunk) in touching.iter().enumerate() {
            let before = hunk.new.start.saturating_sub(CONTEXT).max(shown.start);
            self.context(before..hunk.new.start.max(before), hunk, false);
            self.rows
                .extend(hunk.old.clone().take(MAX_ROWS).map(DiffRow::Removed));
            // A hunk may add far more than the range.
            let added = hunk.new.start.max(shown.start)..hunk.new.end.min(shown.end);
            self.skip_to(added.start, hunk, false);
            self.rows.extend(added.take(MAX_ROWS).map(DiffRow::Added));
            self.next = self.next.max(hunk.new.end);
            let limit = touching.get(at + 1).map_or(u32::MAX, |next| next.new.start);
            let after = (hunk.new.end + CONTEXT).min(shown.end).min(limit);
            self.context(hunk.new.end..after.max(hunk.new.end), hunk, true);
        }
    }

    /// Adds unchanged lines before or after a hunk, unless they are there.
    fn context(&mut self, lines: Range<u32>, hunk: &Hunk, after: bool) {
        for new in lines {
            if new >= self.next {
                self.skip_to(new, hunk, after);
                let old = old_line(new, hunk, after);
                self.rows.push(DiffRow::Context { old, new });
                self.next = new + 1;
            }
        }
    }

    /// Marks a gap before a line of the new version.
    fn skip_to(&mut self, new: u32, hunk: &Hunk, after: bool) {
        if new > self.next && !self.rows.is_empty() && !ends_with_change(&self.rows) {
            let old = old_line(new, hunk, after);
            self.rows.push(DiffRow::HunkHeader {
                old,
                new,
                function: None,
            });
        }
    }
}

fn ends_with_change(rows: &[DiffRow]) -> bool {
    matches!(rows.last(), Some(DiffRow::Removed(_)))
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
