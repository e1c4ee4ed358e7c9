//! Rows for people: one line for each deletion.

use crate::{
    engine::Deletion,
    output::{
        buffer::OutputBuffer, commit_columns, commit_provider::CommitProvider,
        deletions::deletion_stream::DeletionFormat, error::OutputError, plain::PlainOptions,
    },
    sanitize,
};

/// The least width of the columns with the line and with the number of lines.
const NUMBER_COLUMNS: usize = 6;

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

impl<C: CommitProvider> DeletionFormat for DeletionRows<'_, C> {
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
