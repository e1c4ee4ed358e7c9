//! The columns with which rows of commits begin: id, date and author.

use std::sync::Arc;

use crate::{
    dates::calendar::parse_zone,
    objects::ObjectId,
    output::{
        abbreviation::{MarkColumns, id_column_width},
        buffer::OutputBuffer,
        commit_provider::CommitProvider,
        error::OutputError,
        plain::PlainOptions,
    },
    repository::commits::commit_text::{CommitText, Ident},
    sanitize,
};

/// The width of the column with authors, in terminal columns. Rows are written as they are found,
/// so that the longest name is not known.
const AUTHOR_COLUMNS: usize = 18;

/// The same on narrow terminals.
const NARROW_AUTHOR_COLUMNS: usize = 7;

/// Writes the columns of a commit, each with a blank after it.
pub(super) fn push<C: CommitProvider>(
    out: &mut OutputBuffer<'_>,
    commit: &ObjectId,
    commits: &mut C,
    options: &PlainOptions,
) -> Result<Arc<CommitText>, OutputError> {
    let text = commits.text(commit).map_err(OutputError::Commit)?;
    push_id(out, commit, commits, options)?;
    out.bytes(&shown_date(&text.author, options)?);
    out.byte(b' ');
    push_author(out, &text, options, AUTHOR_COLUMNS);
    Ok(text)
}

/// As [`push`], for narrow terminals: without the date, and with fewer columns for the author.
pub(super) fn push_narrow<C: CommitProvider>(
    out: &mut OutputBuffer<'_>,
    commit: &ObjectId,
    commits: &mut C,
    options: &PlainOptions,
) -> Result<Arc<CommitText>, OutputError> {
    let text = commits.text(commit).map_err(OutputError::Commit)?;
    push_id(out, commit, commits, options)?;
    push_author(out, &text, options, NARROW_AUTHOR_COLUMNS);
    Ok(text)
}

fn push_id<C: CommitProvider>(
    out: &mut OutputBuffer<'_>,
    commit: &ObjectId,
    commits: &mut C,
    options: &PlainOptions,
) -> Result<(), OutputError> {
    out.bytes(shown_id(commit, commits, options)?.as_bytes());
    out.byte(b' ');
    Ok(())
}

/// The id as it stands in the columns.
pub(super) fn shown_id<C: CommitProvider>(
    commit: &ObjectId,
    commits: &mut C,
    options: &PlainOptions,
) -> Result<String, OutputError> {
    let whole = commit.kind().len_in_hex();
    let id_width = if options.long {
        whole
    } else {
        id_column_width(
            options.abbrev,
            MarkColumns::AsNeeded,
            0,
            whole,
            std::iter::once(commit),
            commits,
        )?
    };
    let mut id = commit.to_string();
    id.truncate(id_width);
    Ok(id)
}

fn push_author(
    out: &mut OutputBuffer<'_>,
    text: &CommitText,
    options: &PlainOptions,
    columns: usize,
) {
    if !options.no_author {
        let author = if options.email {
            &text.author.mail
        } else {
            &text.author.name
        };
        push_cell(out, author, columns);
        out.byte(b' ');
    }
}

/// The date of an author. As in `git log`, one that cannot be shown is the epoch.
pub(super) fn shown_date(author: &Ident, options: &PlainOptions) -> Result<Vec<u8>, OutputError> {
    let mut date = Vec::new();
    let zone = parse_zone(&author.zone);
    let style = &options.date;
    let shown = style.push(&mut date, author.time, zone, &options.clock);
    if shown.is_err() {
        date.clear();
        style
            .push(&mut date, 0, 0, &options.clock)
            .map_err(OutputError::Date)?;
    }
    Ok(date)
}

/// Writes a text in a column: clipped, and filled with blanks.
fn push_cell(out: &mut OutputBuffer<'_>, text: &[u8], columns: usize) {
    let shown = if sanitize::width(text) > columns {
        sanitize::clip(text, columns)
    } else {
        sanitize::line(text)
    };
    out.bytes(shown.as_bytes());
    out.repeat(
        b' ',
        columns.saturating_sub(sanitize::width(shown.as_bytes())),
    );
}
