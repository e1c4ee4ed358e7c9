//! Rows for people: one line for each commit.

use std::ops::Range;

use bstr::BStr;

use crate::{
    dates::calendar::parse_zone,
    engine::LineChange,
    output::{
        abbreviation::{MarkColumns, id_column_width},
        buffer::{HexId, OutputBuffer},
        commit_provider::CommitProvider,
        error::OutputError,
        line_history::change_stream::ChangeFormat,
        plain::PlainOptions,
    },
    sanitize,
};

/// The width of the column with authors, in terminal columns. Rows are written as they are found, so that the longest
/// name is not known.
const AUTHOR_COLUMNS: usize = 18;
/// The least width of the column with line numbers.
const LINES_COLUMNS: usize = 11;

/// The format of `--line-history` for people: id, date, author, lines and summary. The lines have a `+` before them
/// where the commit added them all, a `~` where they were followed by likeness, and the path where it is not that of the final commit.
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
        let text = self.commits.text(&change.commit);
        let text = text.map_err(OutputError::Commit)?;
        let hex = HexId::new(&change.commit);
        let whole = hex.as_bytes().len();
        let id_width = match self.options.long {
            true => whole,
            false => id_column_width(
                self.options.abbrev,
                MarkColumns::AsNeeded,
                0,
                whole,
                std::iter::once(&change.commit),
                self.commits,
            ),
        };
        out.bytes(&hex.as_bytes()[..id_width.min(whole)]);
        out.byte(b' ');
        let mut date = Vec::new();
        let zone = parse_zone(&text.author.zone);
        let style = &self.options.date;
        style
            .push(&mut date, text.author.time, zone, &self.options.clock)
            .map_err(OutputError::Date)?;
        out.bytes(&date);
        out.byte(b' ');
        if !self.options.no_author {
            let author = match self.options.email {
                true => &text.author.mail,
                false => &text.author.name,
            };
            push_cell(out, author, AUTHOR_COLUMNS);
            out.byte(b' ');
        }
        let mut lines = Vec::new();
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

/// Writes a text in a column: clipped, and filled with blanks.
fn push_cell(out: &mut OutputBuffer<'_>, text: &[u8], columns: usize) {
    let shown = match sanitize::width(text) > columns {
        true => sanitize::clip(text, columns),
        false => sanitize::line(text),
    };
    out.bytes(shown.as_bytes());
    out.repeat(
        b' ',
        columns.saturating_sub(sanitize::width(shown.as_bytes())),
    );
}
