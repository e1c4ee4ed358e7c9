//! Writes the human-readable formats.

use bstr::BStr;
use rustc_hash::FxHashMap;

use crate::{
    dates::{calendar::parse_zone, date_format},
    engine::Blame,
    objects::ObjectId,
    output::{
        buffer::{HexId, OutputBuffer},
        commit_provider::CommitProvider,
        display_width::display_width,
        error::OutputError,
        plain::{column_widths::ColumnWidths, marked_entry::MarkedEntry, options::PlainOptions},
    },
    repository::commits::commit_text::CommitText,
    text::{
        decimal::{digits, push_number},
        line_offsets::LineOffsets,
    },
};

/// Minimum width in bytes of author and date.
const MIN_CELL: usize = 10;
const RESET: &[u8] = b"\x1b[m";

/// Writes a finished blame of the file at `path` (relative to the root tree).
///
/// # Errors
///
/// If a commit cannot be read, a date cannot be formatted, or the writer fails. `out` then holds
/// everything before the failure, as git writes it.
pub fn write(
    out: &mut OutputBuffer<'_>,
    blame: &Blame,
    path: &BStr,
    commits: &mut dyn CommitProvider,
    options: &PlainOptions,
) -> Result<(), OutputError> {
    let lines = LineOffsets::new(&blame.contents);
    let entries: Vec<MarkedEntry<'_>> = blame
        .entries
        .iter()
        .filter_map(|entry| {
            let origin = blame.origins.get(entry.origin.0 as usize)?;
            Some(MarkedEntry::new(entry, origin, blame, options))
        })
        .collect();
    let widths = ColumnWidths::new(&entries, blame, path, &lines, commits, options)?;
    let mut writer = PlainWriter {
        out,
        commits,
        options,
        widths,
        cells: FxHashMap::default(),
        previous: None,
    };
    for marked in &entries {
        writer.write_entry(marked, &lines)?;
    }
    Ok(())
}

/// The cells shared by all lines of a commit.
struct CommitCells {
    /// The author and date cell. An error is reported only after the cells before it are written,
    /// as git does.
    author_date: Result<Vec<u8>, date_format::DateError>,
    /// The escape sequence of its age.
    color: Option<Vec<u8>>,
}

struct PlainWriter<'a, 'w> {
    out: &'a mut OutputBuffer<'w>,
    commits: &'a mut dyn CommitProvider,
    options: &'a PlainOptions,
    widths: ColumnWidths,
    cells: FxHashMap<ObjectId, CommitCells>,
    /// The commit of the previous line.
    previous: Option<ObjectId>,
}

impl PlainWriter<'_, '_> {
    fn write_entry(
        &mut self,
        marked: &MarkedEntry<'_>,
        lines: &LineOffsets<'_>,
    ) -> Result<(), OutputError> {
        let options = self.options;
        let commit = marked.origin.commit;
        let head = self.head(marked, lines);
        if !self.cells.contains_key(&commit) {
            let text = self.commits.text(&commit).map_err(OutputError::Commit)?;
            let cells = self.new_cells(&text);
            self.cells.insert(commit, cells);
        }
        let cells = &self.cells[&commit];
        if options.repeats_in_entries {
            self.previous = None;
        }
        for nth in 0..marked.line_count() {
            let line = marked.entry.lines.start + nth;
            let repeated = self.previous.replace(commit) == Some(commit);
            let color = match &options.coloring.repeated {
                _ if options.annotate => None,
                Some(color) if repeated => Some(color),
                _ => cells.color.as_ref(),
            };
            if let Some(color) = color {
                self.out.bytes(color);
            }
            self.out.bytes(&head);
            if options.number && !options.annotate {
                let original = u64::from(marked.entry.source_start) + u64::from(nth) + 1;
                self.out.byte(b' ');
                self.out.number_right(original, self.widths.original);
            }
            match &cells.author_date {
                Ok(author_date) => self.out.bytes(author_date),
                Err(err) => return Err(OutputError::Date(err.clone())),
            }
            if options.annotate {
                self.out.number(u64::from(line) + 1);
                self.out.byte(b')');
            } else {
                self.out.number_right(u64::from(line) + 1, self.widths.line);
                self.out.bytes(b") ");
            }
            if color.is_some() {
                self.out.bytes(RESET);
            }
            self.out.line(lines.get(line as usize))?;
            self.out.spill()?;
        }
        Ok(())
    }

    /// The leading cells of an entry's lines: marks, id, score and path.
    fn head(&self, marked: &MarkedEntry<'_>, lines: &LineOffsets<'_>) -> Vec<u8> {
        let mut head = marked.marks.to_vec();
        let hex = HexId::new(&marked.origin.commit);
        let id_width = self.widths.id.saturating_sub(marked.marks.len());
        let id = &hex.as_bytes()[..id_width.min(hex.as_bytes().len())];
        if marked.boundary && self.options.blank_boundary {
            head.resize(head.len() + id.len(), b' ');
        } else {
            head.extend_from_slice(id);
        }
        if self.options.annotate {
            return head;
        }
        if self.options.score {
            let score = marked.score(lines);
            let references = self.widths.references.get(marked.entry.origin.0 as usize);
            head.push(b' ');
            pad(&mut head, digits(score), self.widths.score);
            push_number(&mut head, score);
            head.push(b' ');
            let references = u64::from(references.copied().unwrap_or(0));
            if references < 10 {
                head.push(b'0');
            }
            push_number(&mut head, references);
        }
        if let Some(width) = self.widths.name {
            let path = &marked.origin.path;
            head.push(b' ');
            head.extend_from_slice(path);
            pad(&mut head, path.len(), width);
        }
        head
    }

    fn new_cells(&self, text: &CommitText) -> CommitCells {
        let by_age = self.options.coloring.by_age.as_ref();
        CommitCells {
            author_date: self.author_date(text),
            color: by_age.map(|ages| ages.color(text.author.time).to_vec()),
        }
    }

    /// The cell between the id (or path, or original line number) and the line number.
    fn author_date(&self, text: &CommitText) -> Result<Vec<u8>, date_format::DateError> {
        let options = self.options;
        let author = options.author(text);
        let mut cell = Vec::new();
        if options.annotate {
            cell.extend_from_slice(b"\t(");
            pad(&mut cell, author.len(), MIN_CELL);
            cell.extend_from_slice(author);
            cell.push(b'\t');
            self.push_date(&mut cell, text)?;
            cell.push(b'\t');
            return Ok(cell);
        }
        if !options.no_author {
            cell.extend_from_slice(b" (");
            cell.extend_from_slice(author);
            pad(&mut cell, display_width(author), self.widths.author);
            cell.push(b' ');
            self.push_date(&mut cell, text)?;
        }
        cell.push(b' ');
        Ok(cell)
    }

    fn push_date(
        &self,
        cell: &mut Vec<u8>,
        text: &CommitText,
    ) -> Result<(), date_format::DateError> {
        let author = &text.author;
        let mut date = Vec::new();
        if self.options.raw_time {
            push_number(&mut date, author.time);
            date.push(b' ');
            date.extend_from_slice(&author.zone);
        } else {
            let zone = parse_zone(&author.zone);
            let style = &self.options.date;
            style.push(&mut date, author.time, zone, &self.options.clock)?;
            let width = display_width(&date);
            pad(&mut date, width, self.widths.date);
        }
        pad(cell, date.len(), MIN_CELL);
        cell.extend_from_slice(&date);
        Ok(())
    }
}

/// Appends spaces to fill a `column` of which `width` is taken.
fn pad(out: &mut Vec<u8>, width: usize, column: usize) {
    out.resize(out.len() + column.saturating_sub(width), b' ');
}
