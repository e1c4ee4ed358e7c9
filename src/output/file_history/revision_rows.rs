//! Rows for people: one line for each version.

use crate::{
    engine::{FileRevision, RevisionChange},
    output::{
        buffer::OutputBuffer, commit_columns, commit_provider::CommitProvider, error::OutputError,
        file_history::revision_stream::RevisionFormat, plain::PlainOptions,
    },
    sanitize,
};

/// The least width of each of the columns with numbers of lines.
const COUNT_COLUMNS: usize = 6;

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

impl<C: CommitProvider> RevisionFormat for RevisionRows<'_, C> {
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
            out.bytes(format!(" {count:>COUNT_COLUMNS$}").as_bytes());
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
