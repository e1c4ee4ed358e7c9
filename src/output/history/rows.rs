//! Rows for people of the histories: of lines, of a file, and of what was deleted. Each begins with id, date and author.

use std::ops::Range;

use bstr::BStr;

use crate::{
    engine::{Deletion, FileRevision, LineChange, OwnChange, RevisionChange},
    output::{
        buffer::OutputBuffer, commit_columns, commit_provider::CommitProvider, error::OutputError,
        history::stream::RecordFormat, plain::PlainOptions,
    },
    sanitize,
};

/// The least width of a column with a number.
const NUMBER_COLUMNS: usize = 6;

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

impl<C: CommitProvider> RecordFormat<LineChange<'_>> for ChangeRows<'_, C> {
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

/// The format of `--file-history` for people: id, date, author, what became of the file in one of git's letters, the
/// numbers of lines that were added and removed, and the summary. Both paths stand before it where the file was renamed.
#[derive(Debug)]
pub struct RevisionRows<'a, C> {
    commits: &'a mut C,
    options: &'a PlainOptions,
}

impl<'a, C: CommitProvider> RevisionRows<'a, C> {
    /// Creates the format. Of `options`, those of ids, dates and authors count.
    pub fn new(commits: &'a mut C, options: &'a PlainOptions) -> Self {
        RevisionRows { commits, options }
    }
}

impl<C: CommitProvider> RecordFormat<FileRevision<'_>> for RevisionRows<'_, C> {
    fn write(
        &mut self,
        out: &mut OutputBuffer<'_>,
        revision: &FileRevision<'_>,
    ) -> Result<(), OutputError> {
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
        out.bytes(sanitize::line(&text.summary).as_bytes());
        out.byte(b'\n');
        Ok(())
    }
}

/// The format of `--deletions` for people: id, date, author, the line below which the lines would be (0 before the first
/// one), how many they are, and the summary.
#[derive(Debug)]
pub struct DeletionRows<'a, C> {
    commits: &'a mut C,
    options: &'a PlainOptions,
}

impl<'a, C: CommitProvider> DeletionRows<'a, C> {
    /// Creates the format. Of `options`, those of ids, dates and authors count.
    pub fn new(commits: &'a mut C, options: &'a PlainOptions) -> Self {
        DeletionRows { commits, options }
    }
}

impl<C: CommitProvider> RecordFormat<Deletion<'_>> for DeletionRows<'_, C> {
    fn write(
        &mut self,
        out: &mut OutputBuffer<'_>,
        deletion: &Deletion<'_>,
    ) -> Result<(), OutputError> {
        let text = commit_columns::push(out, &deletion.commit, self.commits, self.options)?;
        let below = deletion.before.map_or(0, |line| line + 1);
        let count = format!("-{}", deletion.lines.end - deletion.lines.start);
        let numbers = format!("{below:>NUMBER_COLUMNS$} {count:>NUMBER_COLUMNS$} ");
        out.bytes(numbers.as_bytes());
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
