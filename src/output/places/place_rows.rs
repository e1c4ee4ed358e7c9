//! Rows: a line as it was read, with id, date and author of its place before it.

use crate::{
    objects::ObjectId,
    output::{
        buffer::OutputBuffer, commit_columns, commit_provider::CommitProvider, error::OutputError,
        plain::PlainOptions,
    },
};

/// Writes the columns of a place's commit, with a blank at the end. Of `options`, those of ids,
/// dates, authors and colors by age count.
///
/// # Errors
///
/// If the commit cannot be read.
pub fn push_columns(
    out: &mut OutputBuffer<'_>,
    commit: &ObjectId,
    commits: &mut impl CommitProvider,
    options: &PlainOptions,
) -> Result<(), OutputError> {
    let ages = options.coloring.by_age.as_ref();
    if let Some(ages) = ages {
        let text = commits.text(commit).map_err(OutputError::Commit)?;
        out.bytes(ages.color(text.author.time));
    }
    commit_columns::push(out, commit, commits, options)?;
    if ages.is_some() {
        out.bytes(b"\x1b[m");
    }
    Ok(())
}
