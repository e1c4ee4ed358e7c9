//! Rows for people of the histories: of lines, of a file, and of what was deleted. Each begins with
//! id, date and author.

use std::ops::Range;

use bstr::BStr;

use crate::{
    engine::{Deletion, FileRevision, LineChange, OwnChange, RevisionChange},
    output::{
        buffer::OutputBuffer,
        commit_columns,
        commit_provider::CommitProvider,
        history::stream::{HistoryFormat, Written},
        plain::PlainOptions,
    },
    sanitize,
};

/// The least width of a column with a number.
const NUMBER_COLUMNS: usize = 6;

/// The least width of the column with line numbers.
const LINES_COLUMNS: usize = 11;

/// The format of the histories for people.
#[derive(Debug)]
pub struct HistoryRows<'a, C> {
    commits: &'a mut C,
    path: &'a BStr,
    options: &'a PlainOptions,
}

impl<'a, C: CommitProvider> HistoryRows<'a, C> {
    /// Creates the format for the file at `path`. Of `options`, those of ids, dates and authors
    /// count.
    pub fn new(commits: &'a mut C, path: &'a BStr, options: &'a PlainOptions) -> Self {
        HistoryRows {
            commits,
            path,
            options,
        }
    }
}

impl<C: CommitProvider> HistoryFormat for HistoryRows<'_, C> {
    /// Id, date, author, lines and summary. The lines have a `+` before them where the commit added
    /// them all, a `~` where they were followed by likeness, and the path where it is not that of
    /// the final commit. They are in parentheses where the commit changed only lines around the
    /// requested ones.
    fn change(&mut self, out: &mut OutputBuffer<'_>, change: &LineChange<'_>) -> Written {
        let text = commit_columns::push(out, &change.commit, self.commits, self.options)?;
        let mut lines = Vec::new();
        let is_around = change.own_change == OwnChange::None;
        if is_around {
            lines.push(b'(');
        }
        if **change.path != self.path {
            lines.extend_from_slice(change.path);
            lines.push(b':');
        }
        if change.is_inferred {
            lines.push(b'~');
        }
        if change.is_birth() {
            lines.push(b'+');
        }
        lines.extend_from_slice(as_arguments(change.lines).as_bytes());
        if is_around {
            lines.push(b')');
        }
        let lines = sanitize::line(&lines);
        out.bytes(lines.as_bytes());
        let width = sanitize::width(lines.as_bytes());
        out.repeat(b' ', LINES_COLUMNS.saturating_sub(width));
        out.byte(b' ');
        push_summary(out, &text.summary);
        Ok(())
    }

    /// Id, date, author, what became of the file in one of git's letters, the numbers of lines that
    /// were added and removed, and the summary. Both paths stand before it where the file was
    /// renamed.
    fn revision(&mut self, out: &mut OutputBuffer<'_>, revision: &FileRevision<'_>) -> Written {
        let text = commit_columns::push(out, &revision.commit, self.commits, self.options)?;
        let change = revision.change();
        out.byte(change.letter());
        let counts = [('+', revision.added), ('-', revision.removed)];
        for (sign, count) in counts {
            let count = format!("{sign}{count}");
            out.bytes(format!(" {count:>NUMBER_COLUMNS$}").as_bytes());
        }
        out.byte(b' ');
        if let (RevisionChange::Renamed, Some(previous)) = (change, &revision.previous) {
            out.bytes(sanitize::line(previous.path).as_bytes());
            out.bytes(b" => ");
            out.bytes(sanitize::line(revision.path).as_bytes());
            out.bytes(b": ");
        }
        push_summary(out, &text.summary);
        Ok(())
    }

    /// Id, date, author, the line below which the lines would be (0 before the first one), how many
    /// they are, and the summary.
    fn deletion(&mut self, out: &mut OutputBuffer<'_>, deletion: &Deletion<'_>) -> Written {
        let text = commit_columns::push(out, &deletion.commit, self.commits, self.options)?;
        let below = deletion.before.map_or(0, |line| line + 1);
        let count = format!("-{}", deletion.lines.end - deletion.lines.start);
        let numbers = format!("{below:>NUMBER_COLUMNS$} {count:>NUMBER_COLUMNS$} ");
        out.bytes(numbers.as_bytes());
        push_summary(out, &text.summary);
        Ok(())
    }
}

/// Ends a row with the summary of its commit.
fn push_summary(out: &mut OutputBuffer<'_>, summary: &[u8]) {
    out.bytes(sanitize::line(summary).as_bytes());
    out.byte(b'\n');
}

/// Ranges as `-L` takes them, separated by semicolons.
fn as_arguments(ranges: &[Range<u32>]) -> String {
    let arguments = ranges
        .iter()
        .map(|range| format!("{},{}", u64::from(range.start) + 1, range.end));
    arguments.collect::<Vec<_>>().join(";")
}
