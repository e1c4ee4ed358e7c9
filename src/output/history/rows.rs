//! Rows for people of the histories: of lines, of a file, and of what was deleted. Each begins with
//! id, date and author.

use std::ops::Range;

use bstr::{BStr, BString, ByteSlice};

use crate::{
    engine::{Deletion, FileRevision, LineChange, OwnChange, RevisionChange},
    objects::ObjectId,
    output::{
        buffer::OutputBuffer,
        color::{GREEN, QUIET, RED},
        commit_columns,
        commit_provider::CommitProvider,
        error::OutputError,
        history::stream::{HistoryFormat, Written},
        list_row::{FittedRow, ListStyle, cell},
        plain::PlainOptions,
    },
    repository::commits::people::UNCOMMITTED_CHANGES,
    sanitize,
};

/// The least width of a column with a number.
const NUMBER_COLUMNS: usize = 6;

/// The least width of the column with line numbers.
const LINES_COLUMNS: usize = 11;

/// The head of the lines that deletions are below.
const BELOW: &str = "below line";

/// The format of the histories for people.
#[derive(Debug)]
pub struct HistoryRows<'a, C> {
    commits: &'a mut C,
    path: &'a BStr,
    options: &'a PlainOptions,
    style: &'a ListStyle,
    has_head: bool,
}

impl<'a, C: CommitProvider> HistoryRows<'a, C> {
    /// Creates the format for the file at `path`. Of `options`, those of ids, dates and authors
    /// count.
    pub fn new(
        commits: &'a mut C,
        path: &'a BStr,
        options: &'a PlainOptions,
        style: &'a ListStyle,
    ) -> Self {
        HistoryRows {
            commits,
            path,
            options,
            style,
            has_head: false,
        }
    }

    /// Begins the row of a commit, and the list with the heads of what comes after its columns. Returns the
    /// commit's summary, too.
    fn begin(
        &mut self,
        out: &mut OutputBuffer<'_>,
        commit: &ObjectId,
        heads: impl FnOnce() -> String,
    ) -> Result<(FittedRow<'a>, BString), OutputError> {
        let mut row = FittedRow::default();
        let options = (self.options, self.style);
        let text = commit_columns::add(&mut row, commit, self.commits, options)?;
        if !self.has_head {
            self.has_head = true;
            let of_commit = row.heads(&commit_columns::HEADS);
            self.style.push_head(out, of_commit + &heads());
        }
        let summary = if commit.is_null() {
            UNCOMMITTED_CHANGES.into()
        } else {
            text.summary.clone()
        };
        Ok((row, summary))
    }

    /// Ends a row with the summary of its commit, after remarks on the change if there are any.
    fn end(
        &self,
        out: &mut OutputBuffer<'_>,
        mut row: FittedRow<'a>,
        remarks: &str,
        summary: &[u8],
    ) {
        if !remarks.is_empty() {
            row.add(format!("{remarks}: "), self.style.color(QUIET));
        }
        row.add(sanitize::line(summary), b"");
        row.push(out, self.style);
    }

    /// What a terminal shows in words of a change: how the commit has the lines, and in which file.
    fn in_words(&self, change: &LineChange<'_>) -> String {
        let words = [
            (change.own_change == OwnChange::None, "nearby"),
            (change.is_inferred, "moved"),
            (change.is_birth(), "born"),
        ];
        let words = words.iter().filter(|(is_so, _)| *is_so);
        let words = words.map(|(_, word)| (*word).to_owned());
        let alike = change.own_change.doubtful();
        let alike = alike.map(|alike| format!("{alike}% alike"));
        let mut words = words.chain(alike).collect::<Vec<_>>().join(", ");
        if **change.path != self.path {
            words.push_str(if words.is_empty() { "in " } else { " in " });
            words.push_str(&sanitize::line(change.path));
        }
        words
    }
}

impl<C: CommitProvider> HistoryFormat for HistoryRows<'_, C> {
    /// Id, date, author, lines and summary. The lines have a `+` before them where the commit added
    /// them all, a `~` where they were followed by likeness, and the path where it is not that of
    /// the final commit. They are in parentheses where the commit changed only lines around the
    /// requested ones. On a terminal, words stand before the summary instead.
    fn change(&mut self, out: &mut OutputBuffer<'_>, change: &LineChange<'_>) -> Written {
        let heads = || format!("{:LINES_COLUMNS$} subject", "lines then");
        let (mut row, summary) = self.begin(out, &change.commit, heads)?;
        let mut lines = as_arguments(change.lines);
        let mut remarks = String::new();
        if self.style.terminal.is_some() {
            remarks = self.in_words(change);
        } else {
            lines = marked(change, self.path, &lines);
        }
        let width = LINES_COLUMNS.max(sanitize::width(lines.as_bytes()));
        row.add(cell(lines.as_bytes(), width) + " ", b"");
        self.end(out, row, &remarks, &summary);
        Ok(())
    }

    /// Id, date, author, what became of the file in one of git's letters, the numbers of lines that
    /// were added and removed, and the summary. Both paths stand before it where the file was
    /// renamed.
    fn revision(&mut self, out: &mut OutputBuffer<'_>, revision: &FileRevision<'_>) -> Written {
        let heads = || {
            let [added, removed] = ["+lines", "-lines"];
            format!("  {added:>NUMBER_COLUMNS$} {removed:>NUMBER_COLUMNS$} subject")
        };
        let (mut row, summary) = self.begin(out, &revision.commit, heads)?;
        let change = revision.change();
        row.add([change.letter()], b"");
        let counts = [('+', revision.added, GREEN), ('-', revision.removed, RED)];
        for (sign, count, color) in counts {
            let color = if count > 0 { color } else { QUIET };
            let count = format!("{sign}{count}");
            row.add(
                format!(" {count:>NUMBER_COLUMNS$}"),
                self.style.color(color),
            );
        }
        row.add(" ", b"");
        if let (RevisionChange::Renamed, Some(previous)) = (change, &revision.previous) {
            let [old, new] = [previous.path, revision.path].map(|path| sanitize::line(path));
            row.add(format!("{old} => {new}: "), self.style.color(QUIET));
        }
        self.end(out, row, "", &summary);
        Ok(())
    }

    /// Id, date, author, the line below which the lines would be (0 before the first one), how many
    /// they are, and the summary.
    fn deletion(&mut self, out: &mut OutputBuffer<'_>, deletion: &Deletion<'_>) -> Written {
        let heads = || format!("{BELOW} {:>NUMBER_COLUMNS$} subject", "-lines");
        let (mut row, summary) = self.begin(out, &deletion.commit, heads)?;
        let below = deletion.before.map_or(0, |line| line + 1);
        let columns = match self.style.terminal {
            Some(_) => BELOW.len(),
            None => NUMBER_COLUMNS,
        };
        row.add(format!("{below:>columns$} "), b"");
        let count = format!("-{}", deletion.lines.end - deletion.lines.start);
        row.add(format!("{count:>NUMBER_COLUMNS$} "), self.style.color(RED));
        self.end(out, row, "", &summary);
        Ok(())
    }
}

/// The lines of a change with the marks that a pipe gets.
fn marked(change: &LineChange<'_>, path: &BStr, lines: &str) -> String {
    let is_around = change.own_change == OwnChange::None;
    let of_other = (**change.path != path).then(|| [change.path.as_bytes(), b":"].concat());
    let parts: [&[u8]; 6] = [
        if is_around { b"(" } else { b"" },
        &of_other.unwrap_or_default(),
        if change.is_inferred { b"~" } else { b"" },
        if change.is_birth() { b"+" } else { b"" },
        lines.as_bytes(),
        if is_around { b")" } else { b"" },
    ];
    sanitize::line(&parts.concat())
}

/// Ranges as `-L` takes them, separated by semicolons.
fn as_arguments(ranges: &[Range<u32>]) -> String {
    let arguments = ranges
        .iter()
        .map(|range| format!("{},{}", u64::from(range.start) + 1, range.end));
    arguments.collect::<Vec<_>>().join(";")
}
