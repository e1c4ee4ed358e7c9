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
        list_row::{FittedRow, ListStyle, cell},
        plain::PlainOptions,
    },
    repository::commits::{
        commit_text::{CommitText, Ident},
        people::{UNCOMMITTED_CHANGES, uncommitted_name},
    },
    sanitize,
};

/// The width of the column with authors, in terminal columns. Rows are written as they are found,
/// so that the longest name is not known.
const AUTHOR_COLUMNS: usize = 18;

/// The same in lists on narrow terminals.
const LIST_AUTHOR_COLUMNS: usize = 12;

/// The same beside the lines of a patch on narrow terminals.
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

/// The names of the [columns of a commit](add), of which the last one may be missing.
pub(super) const HEADS: [&str; 3] = ["commit", "date", "author"];

/// Adds the columns of a commit to the row of a list, each with a blank after it. What is not committed
/// has neither id nor date on a terminal.
pub(super) fn add<'s, C: CommitProvider>(
    row: &mut FittedRow<'s>,
    commit: &ObjectId,
    commits: &mut C,
    (options, style): (&PlainOptions, &'s ListStyle),
) -> Result<Arc<CommitText>, OutputError> {
    let mut text = commits.text(commit).map_err(OutputError::Commit)?;
    let mut id = shown_id(commit, commits, options)?;
    let mut date = shown_date(&text.author, options)?;
    let has_id = style.terminal.is_none() || !commit.is_null();
    if !has_id {
        text = Arc::new(on_screen(&text, commit));
        id = " ".repeat(id.len());
        date.clear();
    }
    if style.terminal.is_some() {
        // Below a head, dates have one width.
        let width = options
            .date
            .width(&options.clock)
            .max(sanitize::width(&date));
        date = cell(&date, width).into();
    }
    let mut columns = vec![id.into_bytes(), date];
    if !options.no_author {
        let room = if style.is_narrow() {
            LIST_AUTHOR_COLUMNS
        } else {
            AUTHOR_COLUMNS
        };
        columns.push(cell(shown_author(&text, options), room).into());
    }
    for mut shown in columns {
        shown.push(b' ');
        row.add(shown, style.of_age(text.author.time));
    }
    Ok(text)
}

/// The text of what is not committed as a screen words it.
fn on_screen(text: &CommitText, commit: &ObjectId) -> CommitText {
    let mut text = text.clone();
    if let Some(name) = uncommitted_name(commit, &text.author.name) {
        (text.author.name, text.author.mail) = (name.into(), name.into());
    }
    CommitText {
        summary: UNCOMMITTED_CHANGES.into(),
        ..text
    }
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
        out.bytes(cell(shown_author(text, options), columns).as_bytes());
        out.byte(b' ');
    }
}

fn shown_author<'t>(text: &'t CommitText, options: &PlainOptions) -> &'t [u8] {
    if options.email {
        &text.author.mail
    } else {
        &text.author.name
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
