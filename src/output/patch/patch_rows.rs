//! A patch for people: as it is, with a gutter beside its old side, and a summary.

use bstr::ByteSlice;
use rustc_hash::FxHashMap;

use crate::{
    dates::moment::Moment,
    objects::ObjectId,
    output::{
        buffer::OutputBuffer,
        color::push_colored,
        commit_columns,
        commit_provider::CommitProvider,
        error::OutputError,
        patch::{
            attributed::{AttributedHunk, BaseRule, OldLineRole},
            patch_colors::PatchColors,
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

/// Most commits that are named as bases.
const MAX_BASES: usize = 3;

/// Fewest columns of a terminal in which a gutter has dates and long names.
const MIN_WIDE: usize = 120;

/// The format of `--patch` for people. Lines of hunks begin with id, date and author of the commit
/// that they come from: removed lines with `|` after these, lines beside an insertion with `~`. A hunk
/// without such lines is as in the patch.
pub(crate) struct PatchRows<'a, C> {
    commits: &'a mut C,
    options: &'a PlainOptions,
    /// The columns of the terminal, if that is where the output goes.
    terminal: Option<usize>,
    colors: PatchColors,
    cells: FxHashMap<ObjectId, GutterCell>,
    /// The widest cell so far.
    width: usize,
    /// The last byte of the output was a newline.
    ends_line: bool,
}

/// What stands in the gutter for a commit.
#[derive(Default)]
struct GutterCell {
    text: Vec<u8>,
    width: usize,
    /// The sequence for its color; empty for none.
    color: Vec<u8>,
}

impl<'a, C: CommitProvider> PatchRows<'a, C> {
    /// Creates the format. Of `options`, those of ids, dates, authors and colors by age count.
    /// `terminal` is the width of the terminal, if that is where the output goes.
    pub(crate) fn new(
        commits: &'a mut C,
        options: &'a PlainOptions,
        terminal: Option<usize>,
        is_colored: bool,
    ) -> Self {
        PatchRows {
            commits,
            options,
            terminal,
            colors: PatchColors::new(is_colored),
            cells: FxHashMap::default(),
            width: 0,
            ends_line: true,
        }
    }

    /// Reads what stands in the gutter for a commit.
    fn add_cell(&mut self, commit: &ObjectId) -> Result<(), OutputError> {
        if self.cells.contains_key(commit) {
            return Ok(());
        }
        let is_narrow = self.terminal.is_some_and(|columns| columns < MIN_WIDE);
        let mut text = Vec::new();
        let mut out = OutputBuffer::new(&mut text);
        let author = if is_narrow {
            commit_columns::push_narrow(&mut out, commit, self.commits, self.options)?
        } else {
            commit_columns::push(&mut out, commit, self.commits, self.options)?
        };
        out.flush()?;
        drop(out);
        let width = sanitize::width(&text);
        self.width = self.width.max(width);
        let color = self.color(author.author.time).to_vec();
        let cell = GutterCell { text, width, color };
        self.cells.insert(*commit, cell);
        Ok(())
    }

    /// The sequence for the color of an age; empty for none.
    fn color(&self, time: u64) -> &[u8] {
        let ages = self.options.coloring.by_age.as_ref();
        let ages = ages.filter(|_| self.colors.are_on());
        ages.map_or(&[], |ages| ages.color(time))
    }
}

impl<C: CommitProvider> PatchFormat for PatchRows<'_, C> {
    fn authors(&mut self, commit: &ObjectId) -> Result<CommitAuthors, OutputError> {
        self.commits.authors(commit).map_err(OutputError::Commit)
    }

    fn text(&mut self, out: &mut OutputBuffer<'_>, text: &[u8]) {
        self.colors.push_text(out, text);
        self.ends_line = text.last().map_or(self.ends_line, |&last| last == b'\n');
    }

    fn hunk(
        &mut self,
        out: &mut OutputBuffer<'_>,
        hunk: &AttributedHunk<'_>,
    ) -> Result<(), OutputError> {
        for line in &hunk.old {
            self.add_cell(&line.commit)?;
        }
        self.text(out, hunk.header);
        let unknown = GutterCell::default();
        for (whole, old) in &hunk.lines {
            let old = old.and_then(|at| hunk.old.get(at));
            let cell = old.and_then(|line| self.cells.get(&line.commit));
            let cell = cell.unwrap_or(&unknown);
            let mark = match old.map(|line| line.role) {
                Some(OldLineRole::Neighbour) => b'~',
                Some(OldLineRole::Removed) | None => b'|',
            };
            if !hunk.old.is_empty() {
                push_colored(out, &cell.color, &cell.text);
                out.repeat(b' ', self.width - cell.width);
                out.byte(mark);
            }
            self.colors.push_line(out, whole, hunk.paths.len());
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
        if self.push_bases(out, summary)? {
            out.byte(b'\n');
        }
        self.push_commits(out, summary)?;
        self.push_people(out, summary);
        push_ages(out, summary);
        Ok(())
    }
}

impl<C: CommitProvider> PatchRows<'_, C> {
    /// Says what was blamed, and what was not. False if there is nothing to say.
    fn push_bases(
        &mut self,
        out: &mut OutputBuffer<'_>,
        summary: &PatchSummary,
    ) -> Result<bool, OutputError> {
        for (rule, commits, files) in summary.bases() {
            let mut ids = Vec::new();
            for commit in commits.iter().take(MAX_BASES) {
                ids.push(commit_columns::shown_id(
                    commit,
                    self.commits,
                    self.options,
                )?);
            }
            let at = if commits.len() > MAX_BASES {
                format!("{} commits", commits.len())
            } else {
                ids.join(" and ")
            };
            let files = plural(u64::from(files.max(1)), "file");
            let words = match rule {
                BaseRule::Given => format!("{at}, as given"),
                BaseRule::Contents => format!("{at}, with the contents named in the patch"),
                BaseRule::Uncommitted => format!("what is not committed, on top of {at}"),
                BaseRule::Commit => format!("{at}, before the commit named in the patch"),
                BaseRule::Head(why) => format!("{at}, HEAD: {}", why.words()),
            };
            let noun = if commits.len() > 1 { "Bases" } else { "Base" };
            out.bytes(format!("{noun} of {files}: {words}\n").as_bytes());
        }
        let roles = [OldLineRole::Removed, OldLineRole::Neighbour];
        let has_lines = roles.iter().any(|role| summary.count(*role) > 0);
        if has_lines {
            out.bytes(b"Gutter: who wrote a line that is removed (|) or beside an insertion (~)\n");
        }
        if summary.unapplied > 0 {
            let (unapplied, hunks) = (summary.unapplied, summary.hunks);
            let words = match unapplied {
                1 => "does not apply; its lines are not blamed",
                _ => "do not apply; their lines are not blamed",
            };
            let hunks = plural(hunks.into(), "hunk");
            out.bytes(format!("{unapplied} of {hunks} {words}:\n").as_bytes());
            for hunk in &summary.unapplied_hunks {
                out.repeat(b' ', 8);
                self.push_clipped(out, 8, hunk);
            }
            let listed = summary.unapplied_hunks.len();
            push_rest(out, unapplied as usize, listed, "hunks");
        }
        Ok(has_lines || summary.unapplied > 0 || !summary.bases().is_empty())
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
            out.bytes(b"No line is removed or changed.\n");
            return Ok(());
        }
        let (of_lines, of_commits) = (
            plural(removed, "line"),
            plural(commits.len() as u64, "commit"),
        );
        out.bytes(format!("{of_lines} removed or changed, from {of_commits}:\n").as_bytes());
        let has_candidates = commits.iter().any(|(id, _)| summary.is_fixup_candidate(id));
        for (commit, lines) in commits.iter().take(MAX_ROWS) {
            out.number_right(u64::from(*lines), 7);
            let mut row = Vec::new();
            let mut cells = OutputBuffer::new(&mut row);
            let text = commit_columns::push(&mut cells, commit, self.commits, self.options)?;
            cells.flush()?;
            drop(cells);
            let mark: &[u8] = match (has_candidates, summary.is_fixup_candidate(commit)) {
                (false, _) => b" ",
                (true, true) => b" * ",
                (true, false) => b"   ",
            };
            out.bytes(mark);
            let color = self.color(text.author.time).to_vec();
            push_colored(out, &color, &row);
            let used = 7 + mark.len() + sanitize::width(&row);
            self.push_clipped(out, used, &text.summary);
        }
        push_rest(out, commits.len(), MAX_ROWS, "commits");
        if let Some((name, _)) = &summary.upstream {
            let name = sanitize::line(name);
            let words = if has_candidates {
                format!("* not in {name} yet: git commit --fixup=ID")
            } else {
                format!("Already in {name}: nothing to fix up.")
            };
            out.bytes(format!("\n{words}\n").as_bytes());
        }
        Ok(())
    }

    /// The people of the lines.
    fn push_people(&self, out: &mut OutputBuffer<'_>, summary: &PatchSummary) {
        let people = summary.people();
        if people.is_empty() {
            return;
        }
        out.bytes(b"\nPeople to ask, by their lines (co-authors count too):\n");
        out.bytes(b"removed beside newest line in these files\n");
        for it in people.iter().take(MAX_ROWS) {
            out.number_right(u64::from(it.removed), 7);
            out.number_right(u64::from(it.beside), 7);
            let day = day(it.last);
            let mut who = it.person.shown_name().to_vec();
            if !it.person.mail.is_empty() {
                who.extend([b" <".as_slice(), it.person.mail.as_bytes(), b">"].concat());
            }
            out.bytes(format!(" {day} ").as_bytes());
            self.push_clipped(out, 14 + 2 + day.len(), &who);
        }
        push_rest(out, people.len(), MAX_ROWS, "people");
    }

    /// The end of a row of which so many columns are used. On a terminal it does not wrap.
    fn push_clipped(&self, out: &mut OutputBuffer<'_>, used: usize, text: &[u8]) {
        let room = self.terminal.map(|columns| columns.saturating_sub(used));
        let shown = match room {
            Some(room) => sanitize::clip(text, room),
            None => sanitize::line(text),
        };
        out.bytes(shown.as_bytes());
        out.byte(b'\n');
    }
}

/// How old the removed lines are.
fn push_ages(out: &mut OutputBuffer<'_>, summary: &PatchSummary) {
    let Some([oldest, middle, newest]) = summary.ages() else {
        return;
    };
    let (oldest, middle, newest) = (day(oldest), day(middle), day(newest));
    let half = format!(", half of them from {middle} or before");
    let text = if oldest == newest {
        format!("\nThe removed lines are from {oldest}.\n")
    } else {
        let half = if middle == newest { "" } else { &half };
        format!("\nThe removed lines are from {oldest} to {newest}{half}.\n")
    };
    out.bytes(text.as_bytes());
}

/// How many rows are not among those that are `listed`.
fn push_rest(out: &mut OutputBuffer<'_>, rows: usize, listed: usize, noun: &str) {
    if rows > listed {
        out.bytes(format!("        and {} more {noun}\n", rows - listed).as_bytes());
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
