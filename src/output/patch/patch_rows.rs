//! A patch for people: as it is, with a gutter beside its old side, and a summary.

use bstr::ByteSlice;
use rustc_hash::FxHashMap;

use crate::{
    dates::moment::Moment,
    objects::ObjectId,
    output::{
        buffer::OutputBuffer,
        commit_columns,
        commit_provider::CommitProvider,
        error::OutputError,
        patch::{
            attributed::{AttributedHunk, BaseRule, OldLineRole},
            patch_format::PatchFormat,
            summary::PatchSummary,
        },
        plain::PlainOptions,
    },
    repository::commits::line_counts::CommitAuthors,
    sanitize,
};

/// Most commits and people of the summary.
const MAX_ROWS: usize = 20;

/// The format of `--patch` for people. Lines of hunks begin with id, date and author of the commit
/// that they come from: removed lines with `|` after these, lines beside an insertion with `~`.
pub(crate) struct PatchRows<'a, C> {
    commits: &'a mut C,
    options: &'a PlainOptions,
    /// The columns of each commit, and their width.
    columns: FxHashMap<ObjectId, (Vec<u8>, usize)>,
    /// The widest columns so far.
    width: usize,
    /// The last byte of the output was a newline.
    ends_line: bool,
}

impl<'a, C: CommitProvider> PatchRows<'a, C> {
    /// Creates the format. Of `options`, those of ids, dates and authors count.
    pub(crate) fn new(commits: &'a mut C, options: &'a PlainOptions) -> Self {
        PatchRows {
            commits,
            options,
            columns: FxHashMap::default(),
            width: 0,
            ends_line: true,
        }
    }

    /// Reads the columns of a commit.
    fn add_columns(&mut self, commit: &ObjectId) -> Result<(), OutputError> {
        if self.columns.contains_key(commit) {
            return Ok(());
        }
        let mut columns = Vec::new();
        let mut out = OutputBuffer::new(&mut columns);
        commit_columns::push(&mut out, commit, self.commits, self.options)?;
        out.flush()?;
        drop(out);
        let width = sanitize::width(&columns);
        self.width = self.width.max(width);
        self.columns.insert(*commit, (columns, width));
        Ok(())
    }
}

impl<C: CommitProvider> PatchFormat for PatchRows<'_, C> {
    fn authors(&mut self, commit: &ObjectId) -> Result<CommitAuthors, OutputError> {
        self.commits.authors(commit).map_err(OutputError::Commit)
    }

    fn text(&mut self, out: &mut OutputBuffer<'_>, text: &[u8]) {
        out.bytes(text);
        self.ends_line = text.last().map_or(self.ends_line, |&last| last == b'\n');
    }

    fn hunk(
        &mut self,
        out: &mut OutputBuffer<'_>,
        hunk: &AttributedHunk<'_>,
    ) -> Result<(), OutputError> {
        for line in &hunk.old {
            self.add_columns(&line.commit)?;
        }
        self.text(out, hunk.header);
        for (whole, old) in &hunk.lines {
            let old = old.and_then(|at| hunk.old.get(at));
            let (columns, width, mark) = match old {
                Some(line) => {
                    let known = self.columns.get(&line.commit);
                    let (columns, width) = known.map_or((&b""[..], 0), |it| (&it.0, it.1));
                    let mark = match line.role {
                        OldLineRole::Removed => b'|',
                        OldLineRole::Neighbour => b'~',
                    };
                    (columns, width, mark)
                }
                None => (&b""[..], 0, b'|'),
            };
            out.bytes(columns);
            out.repeat(b' ', self.width - width);
            out.byte(mark);
            out.bytes(whole);
            self.ends_line = whole.ends_with(b"\n");
        }
        Ok(())
    }

    fn end(
        &mut self,
        out: &mut OutputBuffer<'_>,
        summary: &PatchSummary,
    ) -> Result<(), OutputError> {
        if summary.hunks == 0 {
            return Ok(());
        }
        out.bytes(if self.ends_line { b"\n" } else { b"\n\n" });
        self.push_bases(out, summary)?;
        self.push_commits(out, summary)?;
        push_people(out, summary);
        push_ages(out, summary);
        Ok(())
    }
}

impl<C: CommitProvider> PatchRows<'_, C> {
    /// Says what was blamed.
    fn push_bases(
        &mut self,
        out: &mut OutputBuffer<'_>,
        summary: &PatchSummary,
    ) -> Result<(), OutputError> {
        for (rule, commits, files) in summary.bases() {
            let at = match &commits[..] {
                [only] => short(only, self.commits)?,
                several => format!("{} commits", several.len()),
            };
            let words = match rule {
                BaseRule::Given => format!("blamed at {at}, as given"),
                BaseRule::Contents => {
                    format!("blamed at {at} with the contents that the patch names")
                }
                BaseRule::Uncommitted => {
                    format!("blamed with contents that are not committed, on top of {at}")
                }
                BaseRule::Commit => {
                    format!("blamed at {at}, before the commit that the patch names")
                }
                BaseRule::Head(why) => format!("blamed at {at}, HEAD: {}", why.words()),
            };
            let versions = plural(files.into(), "old version");
            out.bytes(format!("{versions} {words}\n").as_bytes());
        }
        if summary.unapplied > 0 {
            let (unapplied, hunks) = (summary.unapplied, summary.hunks);
            let text = format!(
                "{unapplied} of {hunks} hunks do not apply: nothing is said about their lines\n"
            );
            out.bytes(text.as_bytes());
        }
        Ok(())
    }

    /// The commits of removed lines.
    fn push_commits(
        &mut self,
        out: &mut OutputBuffer<'_>,
        summary: &PatchSummary,
    ) -> Result<(), OutputError> {
        let commits = summary.commits();
        let removed = summary.count(OldLineRole::Removed);
        if commits.is_empty() {
            out.bytes(b"\nNo line is removed or changed.\n");
            return Ok(());
        }
        let (of_lines, of_commits) = (
            plural(removed, "line"),
            plural(commits.len() as u64, "commit"),
        );
        out.bytes(format!("\n{of_lines} removed or changed, from {of_commits}:\n").as_bytes());
        for (commit, lines) in commits.iter().take(MAX_ROWS) {
            out.number_right(u64::from(*lines), 7);
            out.byte(b' ');
            let text = commit_columns::push(out, commit, self.commits, self.options)?;
            if summary.is_fixup_candidate(commit) {
                out.bytes(b"fixup! ");
            }
            out.bytes(sanitize::line(&text.summary).as_bytes());
            out.byte(b'\n');
        }
        push_rest(out, commits.len(), "commits");
        let mut ids = commits.iter().map(|(id, _)| id);
        let words = match &summary.upstream {
            Some((name, _)) if ids.any(|id| summary.is_fixup_candidate(id)) => {
                format!(
                    "Those marked fixup! are not in {} yet.\n",
                    sanitize::line(name)
                )
            }
            Some((name, _)) => {
                format!("No fixup! candidates in {}..HEAD.\n", sanitize::line(name))
            }
            None => "No fixup! candidates: HEAD has no upstream branch.\n".to_owned(),
        };
        out.bytes(words.as_bytes());
        Ok(())
    }
}

/// The people of the lines.
fn push_people(out: &mut OutputBuffer<'_>, summary: &PatchSummary) {
    let people = summary.people();
    if people.is_empty() {
        return;
    }
    out.bytes(b"\nPeople to ask, not a verdict, with their lines removed or beside insertions:\n");
    out.bytes(b"removed beside newest line in these files\n");
    for it in people.iter().take(MAX_ROWS) {
        out.number_right(u64::from(it.removed), 7);
        out.number_right(u64::from(it.beside), 7);
        let mail = match it.person.mail.as_bytes() {
            b"" => String::new(),
            mail => format!(" <{}>", sanitize::line(mail)),
        };
        let name = sanitize::line(it.person.shown_name());
        out.bytes(format!(" {} {name}{mail}\n", day(it.last)).as_bytes());
    }
    push_rest(out, people.len(), "people");
}

/// How old the removed lines are.
fn push_ages(out: &mut OutputBuffer<'_>, summary: &PatchSummary) {
    let Some([oldest, middle, newest]) = summary.ages() else {
        return;
    };
    let (oldest, middle, newest) = (day(oldest), day(middle), day(newest));
    let text = if oldest == newest {
        format!("\nThe removed lines are from {oldest}.\n")
    } else {
        format!("\nThe removed lines are from {oldest} to {newest}, half of them by {middle}.\n")
    };
    out.bytes(text.as_bytes());
}

fn push_rest(out: &mut OutputBuffer<'_>, rows: usize, noun: &str) {
    if rows > MAX_ROWS {
        out.bytes(format!("        and {} more {noun}\n", rows - MAX_ROWS).as_bytes());
    }
}

fn plural(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

fn day(date: Moment) -> String {
    let day = date.format("%Y-%m-%d");
    day.unwrap_or_else(|| "(no date) ".to_owned())
}

/// An abbreviated id.
fn short(commit: &ObjectId, commits: &mut impl CommitProvider) -> Result<String, OutputError> {
    let length = commits
        .unique_len(commit, 10)
        .map_err(OutputError::Commit)?;
    let mut id = commit.to_string();
    id.truncate(length);
    Ok(id)
}
