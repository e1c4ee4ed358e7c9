//! `--why` for people: at most two screens.

use std::ops::Range;

use bstr::ByteSlice;

use crate::{
    objects::ObjectId,
    output::why::{
        budget::{Extent, FittedItem, WeighedItem, fit},
        facts::{KeptLines, LineFacts, LineReason},
    },
    repository::commits::{commit_text::CommitText, word_wrap},
    sanitize,
};

/// Two screens of 24 rows, of which the prompt takes one each.
pub(crate) const MAX_ROWS: usize = 46;

/// Most lines that are shown of those that were asked for.
const MAX_ASKED: usize = 6;

/// How much of a commit is shown.
#[derive(Clone, Copy)]
struct Bounds {
    /// Most rows of a message.
    body: usize,
    /// Most lines of each side of a change.
    changed: usize,
}

const WHOLE: Bounds = Bounds {
    body: 8,
    changed: 4,
};
const SHORT: Bounds = Bounds {
    body: 3,
    changed: 2,
};

/// Most columns of a heading.
const MAX_HEADING: usize = 200;

/// Digits of ids.
const ID_DIGITS: usize = 10;

/// Writes an answer in rows of at most `columns` columns.
pub(crate) struct WhyRows<'f> {
    pub(crate) facts: &'f LineFacts,
    pub(crate) columns: usize,
}

impl WhyRows<'_> {
    /// The answer as text of at most [`MAX_ROWS`] rows.
    pub(crate) fn text(&self) -> String {
        let head = self.head();
        // The headings with a blank row before each, and what was left out.
        let commands = 2 * self.facts.arguments.len().div_ceil(self.columns);
        let fixed = head.len() + 3 * 2 + 5 + commands;
        let sections = [self.reasons(true), self.reasons(false), self.deletions()];
        let items: Vec<WeighedItem> = sections.iter().flatten().map(|item| item.weighed).collect();
        let extents = fit(&items, MAX_ROWS.saturating_sub(fixed));
        let mut rows = head;
        let mut extents_left = extents.iter();
        for (heading, section) in HEADINGS.iter().zip(&sections) {
            let shown = section
                .iter()
                .zip(extents_left.by_ref().take(section.len()));
            let shown = shown.flat_map(|(item, extent)| item.parts(*extent));
            let shown: Vec<String> = shown.cloned().collect();
            if !shown.is_empty() {
                rows.extend([String::new(), (*heading).to_owned()]);
                rows.extend(shown);
            }
        }
        rows.extend(self.left_out(&sections, &extents));
        let rows = rows.iter().map(|row| format!("{}\n", row.trim_end()));
        rows.collect()
    }

    /// The place and the lines themselves.
    fn head(&self) -> Vec<String> {
        let facts = self.facts;
        let lines = shown_lines(&facts.ranges);
        let place = match &facts.commit {
            Some(commit) => format!(":{lines}, at {}", short(commit)),
            None => format!(":{lines}, in the work tree"),
        };
        // Of a long path, the end says most.
        let room = self.columns.saturating_sub(place.len());
        let path = sanitize::clip_left(&sanitize::line(&facts.path), room);
        let mut rows = vec![self.row("", format!("{path}{place}").as_bytes())];
        let count = count(&facts.ranges);
        for (number, line) in facts.lines.iter().take(MAX_ASKED) {
            rows.push(self.row(&format!("{:>6}  ", u64::from(*number) + 1), line));
        }
        if count > MAX_ASKED {
            rows.push(format!("        and {} more lines", count - MAX_ASKED));
        }
        rows
    }

    /// The commits that the blame names, or the others.
    fn reasons(&self, is_blamed: bool) -> Vec<RowItem> {
        let facts = self.facts;
        let are_several = count(&facts.ranges) > 1;
        let of_kind = facts.reasons.iter();
        let of_kind = of_kind.filter(|reason| reason.blamed.is_empty() != is_blamed);
        let items = of_kind.map(|reason| {
            let lines = (is_blamed && are_several).then(|| in_words(&reason.blamed));
            let mark = if reason.is_boundary { "^" } else { "" };
            let heading = format!("{mark}{}", heading(&reason.commit, &reason.text));
            let brief = lines.as_ref().map(|lines| format!(" ({lines})"));
            let brief = self.clipped(&heading, &brief.unwrap_or_default());
            let rows = |bounds| self.reason_rows(reason, &heading, lines.as_deref(), bounds);
            row_item(brief, rows, reason.text.author.seconds(), is_blamed)
        });
        items.collect()
    }

    /// A commit with its message and its change; `lines` are those that the blame gives it.
    fn reason_rows(
        &self,
        reason: &LineReason,
        heading: &str,
        lines: Option<&str>,
        bounds: Bounds,
    ) -> Vec<String> {
        let mut rows = self.wrapped("  ", heading);
        let mut notes: Vec<String> = lines.map(str::to_owned).into_iter().collect();
        if reason.is_boundary {
            notes.push("or before: history begins there".to_owned());
        }
        let request = reason.arrival.request;
        notes.extend(request.map(|request| format!("{} {request}", request.kind())));
        let release = reason.release.as_ref();
        notes.extend(release.map(|tag| format!("first in {}", sanitize::line(tag))));
        for (agent, source) in &reason.agents {
            let agent = sanitize::line(agent.as_bytes());
            notes.push(format!("agent {agent} ({source})"));
        }
        if !notes.is_empty() {
            rows.push(self.row("      ", notes.join(", ").as_bytes()));
        }
        if !reason.commit.is_null() && !reason.is_boundary {
            rows.extend(self.message_rows(reason, bounds.body));
        }
        for referred in &reason.references {
            let id = short(&referred.commit);
            let words = format!("{} {id} {} ", referred.relation, referred.day);
            let words = [words.as_bytes(), &referred.summary].concat();
            rows.push(self.row("      ", &words));
        }
        if let Some(change) = &reason.change {
            if change.is_moved {
                let (lines, path) = (in_words(&change.ranges), sanitize::line(&change.path));
                let words = format!("then {lines} of {path}, moved here later");
                rows.push(self.row("      ", words.as_bytes()));
            }
            if let Some(before) = &change.renamed_from {
                let words = format!("renamed from {}", sanitize::line(before));
                rows.push(self.row("      ", words.as_bytes()));
            }
            self.push_lines(&mut rows, "-", &change.before, bounds);
            self.push_lines(&mut rows, "+", &change.after, bounds);
        }
        rows
    }

    /// The message below its first line, in at most `most` rows; what is left is a row more.
    fn message_rows(&self, reason: &LineReason, most: usize) -> Vec<String> {
        let (lines, _) = reason.body(usize::MAX);
        let split = |line: &&[u8]| word_wrap::wrap(line, self.columns - 6);
        let rows: Vec<(usize, String)> = lines
            .iter()
            .enumerate()
            .flat_map(|(at, line)| split(line).into_iter().map(move |row| (at, row)))
            .collect();
        // To say that one row is left takes a row, too.
        let is_cut = rows.len() > most + 1;
        let shown = if is_cut { &rows[..most] } else { &rows[..] };
        let is_blank = |(_, row): &&(usize, String)| row.trim_ascii().is_empty();
        let blank = shown.iter().rev().take_while(is_blank).count();
        let shown = &shown[..shown.len() - blank];
        let mut found: Vec<String> = shown
            .iter()
            .map(|(_, row)| format!("      {row}"))
            .collect();
        if is_cut {
            let (left, id) = (lines.len() - rows[most].0, short(&reason.commit));
            let noun = if left == 1 { "line" } else { "lines" };
            found.push(format!("      … {left} more {noun}: git show {id}"));
        }
        found
    }

    fn deletions(&self) -> Vec<RowItem> {
        let facts = self.facts;
        let items = facts.deletions.iter().map(|deleted| {
            let heading = heading(&deleted.commit, &deleted.text);
            let rows = |bounds| {
                let (count, below) = (deleted.lines.count, deleted.below);
                let noun = if count == 1 { "line" } else { "lines" };
                let place = match below {
                    0 => "before line 1".to_owned(),
                    _ => format!("below line {below}"),
                };
                let mut rows = self.wrapped("  ", &heading);
                rows.push(format!("      {count} {noun}, {place}"));
                self.push_lines(&mut rows, "-", &deleted.lines, bounds);
                rows
            };
            let brief = self.clipped(&heading, "");
            row_item(brief, rows, deleted.text.author.seconds(), false)
        });
        items.collect()
    }

    /// What is not shown, and where it is.
    fn left_out(&self, sections: &[Vec<RowItem>], extents: &[Extent]) -> Vec<String> {
        let facts = self.facts;
        let items: Vec<&RowItem> = sections.iter().flatten().collect();
        let count = |range: Range<usize>, extent: Extent| {
            let is_it = |at: &usize| {
                let [brief, short, _] = items[*at].weighed.costs;
                extents[*at] == extent && (extent == Extent::Dropped || brief < short)
            };
            range.filter(is_it).count()
        };
        let commits = sections[0].len() + sections[1].len();
        let dropped = count(0..commits, Extent::Dropped) + facts.unread.0;
        let dropped_deletions = count(commits..items.len(), Extent::Dropped) + facts.unread.1;
        let shortened = count(0..items.len(), Extent::Brief);
        let mut parts = Vec::new();
        for (count, noun) in [
            (dropped, "of the oldest commits"),
            (dropped_deletions, "of the oldest deletions"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {noun}"));
            }
        }
        match shortened {
            0 => {}
            1 => parts.push("message and change of 1 commit".to_owned()),
            _ => parts.push(format!("messages and changes of {shortened} commits")),
        }
        if parts.is_empty() {
            return Vec::new();
        }
        let mut rows = vec![String::new()];
        rows.extend(self.wrapped("", &format!("Left out: {}", parts.join(", "))));
        let arguments = &facts.arguments;
        rows.push(format!("All: tblame --line-history {arguments}"));
        if dropped_deletions > 0 {
            rows.push(format!("     tblame --deletions {arguments}"));
        }
        rows
    }

    fn push_lines(&self, rows: &mut Vec<String>, mark: &str, kept: &KeptLines, bounds: Bounds) {
        let shown = kept.lines.iter().take(bounds.changed);
        rows.extend(shown.map(|line| self.row(&format!("    {mark} "), line)));
        if kept.count > bounds.changed {
            rows.push(format!("    {mark} … {} more", kept.count - bounds.changed));
        }
    }

    /// A heading in one row, with words at its end.
    fn clipped(&self, heading: &str, words: &str) -> String {
        let room = (self.columns - 2).saturating_sub(words.len());
        self.row(
            "  ",
            (sanitize::clip(heading.as_bytes(), room) + words).as_bytes(),
        )
    }

    /// A heading in as many rows as it needs.
    fn wrapped(&self, before: &str, heading: &str) -> Vec<String> {
        let heading = sanitize::clip(heading.as_bytes(), MAX_HEADING);
        let rows = word_wrap::wrap(heading.as_bytes(), self.columns - 6).into_iter();
        let rows = rows.enumerate().map(|(at, text)| match at {
            0 => format!("{before}{text}"),
            _ => format!("      {text}"),
        });
        rows.collect()
    }

    /// A row of at most `columns` columns.
    fn row(&self, before: &str, text: &[u8]) -> String {
        let text = sanitize::clip(text, self.columns - before.len());
        format!("{before}{text}")
    }
}

const HEADINGS: [&str; 3] = [
    "Written by:",
    "Before that, newest first:",
    "Deleted at this place, newest first:",
];

/// An item as rows.
type RowItem = FittedItem<String>;

/// The item that has one row at least, and otherwise those that `rows` gives.
fn row_item(
    brief: String,
    rows: impl Fn(Bounds) -> Vec<String>,
    time: i64,
    is_first: bool,
) -> RowItem {
    RowItem::new([vec![brief], rows(SHORT), rows(WHOLE)], time, is_first)
}

/// Id, day, author and summary.
fn heading(commit: &ObjectId, text: &CommitText) -> String {
    if commit.is_null() {
        return "not committed yet".to_owned();
    }
    let day = text.author.date().format("%Y-%m-%d").unwrap_or_default();
    let author = text.author.name.to_str_lossy();
    let summary = text.summary.to_str_lossy();
    format!("{} {day} {author}: {summary}", short(commit))
}

fn short(commit: &ObjectId) -> String {
    let mut id = commit.to_string();
    id.truncate(ID_DIGITS);
    id
}

/// Ranges of lines for people.
fn shown_lines(ranges: &[Range<u32>]) -> String {
    let shown = ranges.iter().map(|range| match range.len() {
        1 => range.end.to_string(),
        _ => format!("{}-{}", u64::from(range.start) + 1, range.end),
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn in_words(ranges: &[Range<u32>]) -> String {
    let noun = if count(ranges) == 1 { "line" } else { "lines" };
    format!("{noun} {}", shown_lines(ranges))
}

fn count(ranges: &[Range<u32>]) -> usize {
    ranges.iter().map(ExactSizeIterator::len).sum()
}
