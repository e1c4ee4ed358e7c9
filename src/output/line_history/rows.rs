//! Rows for people: one line for each commit.

use std::ops::Range;

use bstr::BStr;

use crate::{
    engine::{LineChange, OwnChange},
    output::{
        buffer::OutputBuffer, commit_columns, commit_provider::CommitProvider, error::OutputError,
        line_history::change_stream::ChangeFormat, plain::PlainOptions,
    },
    sanitize,
};

/// The least width of the column with line numbers.
const LINES_COLUMNS: usize = 11;

/// The format of `--line-history` for people: id, date, author, lines and summary. The lines have a `+` before them
/// where the commit added them all, a `~` where they were followed by likeness, and the path where it is not that of the final commit.
/// They are in parentheses where the commit changed only lines around the requested ones.
#[derive(Debug)]
pub struct ChangeRows<'a, C> {
    commits: &'a mut C,
    path: &'a BStr,
    options: &'a PlainOptions,
}

impl<'a, C: CommitProvider> ChangeRows<'a, C> {
    /// Creates the format for the file at `path`. Of `options`, those of ids, dates and authors count.
    pub fn new(commits: &'a mut C, path: &'a BStr, options: &'a PlainOptions) -> Self {
        ChangeRows {
            commits,
            path,
            options,
        }
    }
}

impl<C: CommitProvider> ChangeFormat for ChangeRows<'_, C> {
    fn write(
        &mut self,
        out: &mut OutputBuffer<'_>,
        change: &LineChange<'_>,
    ) -> Result<(), OutputError> {
        let text = commit_columns::push(out, &change.commit, self.commits, self.options)?;
        let mut lines = Vec::new();
        let is_nearby = change.own_change == OwnChange::None;
        if is_nearby {
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
        lines.extend_from_slice(in_words(change.lines).as_bytes());
        if is_nearby {
            lines.push(b')');
        }
        let lines = sanitize::line(&lines);
        out.bytes(lines.as_bytes());
        let width = sanitize::width(lines.as_bytes());
        out.repeat(b' ', LINES_COLUMNS.saturating_sub(width));
        out.byte(b' ');
        out.bytes(sanitize::line(&text.summary).as_bytes());
        out.byte(b'\n');
        Ok(())
    }
}

/// Ranges as `-L` takes them, separated by semicolons.
fn in_words(ranges: &[Range<u32>]) -> String {
    let words = ranges
        .iter()
        .map(|range| format!("{},{}", u64::from(range.start) + 1, range.end));
    words.collect::<Vec<_>>().join(";")
}
