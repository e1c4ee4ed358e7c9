//! `--why` for people: at most two screens.

use std::ops::Range;

use bstr::ByteSlice;

use crate::{
    objects::ObjectId,
    output::{
        buffer::OutputBuffer,
        color::{AgeColors, BOLD, GREEN, QUIET, RED, push_colored},
        why::{
            budget::{Extent, FittedItem, WeighedItem, fit},
            facts::{KeptLines, LineFacts, LineReason},
        },
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
    /// The colors of ages; without them there are no colors at all.
    pub(crate) ages: Option<&'f AgeColors>,
}

/// A row without its newline, and its color.
#[derive(Clone)]
struct WhyRow {
    text: String,
    color: ReasonColor,
}

/// What the color of a row says.
#[derive(Clone, Copy)]
enum ReasonColor {
    None,
    /// The place that was asked for.
    Place,
    /// It is about the answer.
    Quiet,
    Removed,
    Added,
    /// The author date is that of its first bytes, as many as this.
    Aged {
        time: u64,
        len: usize,
    },
}

impl From<String> for WhyRow {
    fn from(text: String) -> WhyRow {
        WhyRow {
            text,
            color: ReasonColor::None,
        }
    }
}

impl WhyRow {
    fn new(text: impl Into<String>, color: ReasonColor) -> WhyRow {
        WhyRow {
            text: text.into(),
            color,
        }
    }
}

/// What is said of a commit in its first row.
struct CommitHeading {
    text: String,
    time: u64,
    /// The bytes of mark, id, date and author.
    len: usize,
}

impl WhyRows<'_> {
    /// Writes the answer, in at most [`MAX_ROWS`] rows.
    pub(crate) fn push(&self, out: &mut OutputBuffer<'_>) {
        let head = self.head();
        // The headings with a blank row before each, and what was left out.
        let (history, deletions) = &self.facts.commands;
        let rows = |command: &str| (command.len() + 5).div_ceil(self.columns);
        let fixed = head.len() + 3 * 2 + 3 + rows(history) + rows(deletions);
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
            let shown: Vec<WhyRow> = shown.cloned().collect();
            if !shown.is_empty() {
                rows.push(String::new().into());
                rows.push(WhyRow::new(*heading, ReasonColor::Quiet));
                rows.extend(shown);
            }
        }
        rows.extend(self.left_out(&sections, &extents));
        for row in &rows {
            self.push_row(out, row);
        }
    }

    /// Writes a row without blanks at its end.
    fn push_row(&self, out: &mut OutputBuffer<'_>, row: &WhyRow) {
        let text = row.text.trim_end();
        let (len, color): (usize, &[u8]) = match (self.ages, row.color) {
            (None, _) | (_, ReasonColor::None) => (0, b""),
            (_, ReasonColor::Place) => (text.len(), BOLD),
            (_, ReasonColor::Quiet) => (text.len(), QUIET),
            (_, ReasonColor::Removed) => (text.len(), RED),
            (_, ReasonColor::Added) => (text.len(), GREEN),
            (Some(ages), ReasonColor::Aged { time, len }) => (len, ages.color(time)),
        };
        let (colored, rest) = text.split_at_checked(len).unwrap_or((text, ""));
        push_colored(out, color, colored.as_bytes());
        out.bytes(rest.as_bytes());
        out.byte(b'\n');
    }

    /// The place and the lines themselves.
    fn head(&self) -> Vec<WhyRow> {
        let facts = self.facts;
        let lines = shown_lines(&facts.ranges);
        let place = match &facts.commit {
            Some(commit) => format!(":{lines}, at {}", short(commit)),
            None => format!(":{lines}, in the work tree"),
        };
        // Of a long path, the end says most.
        let room = self.columns.saturating_sub(place.len());
        let path = sanitize::clip_left(&sanitize::line(&facts.path), room);
        let place = self.row("", format!("{path}{place}").as_bytes());
        let mut rows = vec![WhyRow::new(place, ReasonColor::Place)];
        let count = count(&facts.ranges);
        for (number, line) in facts.lines.iter().take(MAX_ASKED) {
            let number = format!("{:>6}  ", u64::from(*number) + 1);
            rows.push(self.row(&number, line).into());
        }
        if count > MAX_ASKED {
            rows.push(format!("        and {} more lines", count - MAX_ASKED).into());
        }
        rows
    }

    /// The commits that the blame names, or the others.
    fn reasons(&self, is_blamed: bool) -> Vec<RowItem> {
        let facts = self.facts;
        let are_several = count(&facts.ranges) > 1;
        let of_kind = facts.reasons.iter();
        let of_kind = of_kind.filter(|reason| reason.blamed.is_empty() != is_blamed);
        let items = of_kind.enumerate().map(|(place, reason)| {
            let lines = (is_blamed && are_several).then(|| in_words(&reason.blamed));
            let mark = if reason.is_boundary { "^" } else { "" };
            let heading = heading(mark, &reason.commit, &reason.text);
            let brief = lines.as_ref().map(|lines| format!(" ({lines})"));
            let brief = self.clipped(&heading, &brief.unwrap_or_default());
            let rows = |bounds| self.reason_rows(reason, &heading, lines.as_deref(), bounds);
            row_item(brief, rows, place, is_blamed)
        });
        items.collect()
    }

    /// A commit with its message and its change; `lines` are those that the blame gives it.
    fn reason_rows(
        &self,
        reason: &LineReason,
        heading: &CommitHeading,
        lines: Option<&str>,
        bounds: Bounds,
    ) -> Vec<WhyRow> {
        let mut rows = self.heading_rows(heading);
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
            rows.push(self.row("      ", notes.join(", ").as_bytes()).into());
        }
        if !reason.commit.is_null() && !reason.is_boundary {
            let message = self.message_rows(reason, bounds.body).into_iter();
            rows.extend(message.map(WhyRow::from));
        }
        for referred in &reason.references {
            let id = short(&referred.commit);
            let words = format!("{} {id} {} ", referred.relation, referred.day);
            let words = [words.as_bytes(), &referred.summary].concat();
            rows.push(self.row("      ", &words).into());
        }
        if let Some(change) = &reason.change {
            if change.is_moved {
                let (lines, path) = (in_words(&change.ranges), sanitize::line(&change.path));
                let words = format!("then {lines} of {path}, moved here later");
                rows.push(self.row("      ", words.as_bytes()).into());
            }
            if let Some(before) = &change.renamed_from {
                let words = format!("renamed from {}", sanitize::line(before));
                rows.push(self.row("      ", words.as_bytes()).into());
            }
            self.push_lines(
                &mut rows,
                ("-", ReasonColor::Removed),
                &change.before,
                bounds,
            );
            self.push_lines(&mut rows, ("+", ReasonColor::Added), &change.after, bounds);
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
        let items = facts.deletions.iter().enumerate().map(|(nth, deleted)| {
            let heading = heading("", &deleted.commit, &deleted.text);
            let rows = |bounds| {
                let (count, below) = (deleted.lines.count, deleted.below);
                let noun = if count == 1 { "line" } else { "lines" };
                let place = match below {
                    0 => "before line 1".to_owned(),
                    _ => format!("below line {below}"),
                };
                let mut rows = self.heading_rows(&heading);
                rows.push(format!("      {count} {noun}, {place}").into());
                self.push_lines(
                    &mut rows,
                    ("-", ReasonColor::Removed),
                    &deleted.lines,
                    bounds,
                );
                rows
            };
            let brief = self.clipped(&heading, "");
            row_item(brief, rows, nth, false)
        });
        items.collect()
    }

    /// What is not shown, and where it is.
    fn left_out(&self, sections: &[Vec<RowItem>], extents: &[Extent]) -> Vec<WhyRow> {
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
        let (history, deletions) = &facts.commands;
        rows.push(format!("All: {history}"));
        if dropped_deletions > 0 {
            rows.push(format!("     {deletions}"));
        }
        let rows = rows.into_iter();
        rows.map(|row| WhyRow::new(row, ReasonColor::Quiet))
            .collect()
    }

    fn push_lines(
        &self,
        rows: &mut Vec<WhyRow>,
        (mark, color): (&str, ReasonColor),
        kept: &KeptLines,
        bounds: Bounds,
    ) {
        let shown = kept.lines.iter().take(bounds.changed);
        let shown = shown.map(|line| self.row(&format!("    {mark} "), line));
        rows.extend(shown.map(|text| WhyRow::new(text, color)));
        if kept.count > bounds.changed {
            let more = format!("    {mark} … {} more", kept.count - bounds.changed);
            rows.push(WhyRow::new(more, color));
        }
    }

    /// A heading in one row, with words at its end.
    fn clipped(&self, heading: &CommitHeading, words: &str) -> WhyRow {
        let room = (self.columns - 2).saturating_sub(words.len());
        let text = sanitize::clip(heading.text.as_bytes(), room) + words;
        WhyRow::new(self.row("  ", text.as_bytes()), heading.color())
    }

    /// A heading in as many rows as it needs.
    fn heading_rows(&self, heading: &CommitHeading) -> Vec<WhyRow> {
        let rows = self.wrapped("  ", &heading.text).into_iter();
        let mut rows: Vec<WhyRow> = rows.map(WhyRow::from).collect();
        if let Some(first) = rows.first_mut() {
            first.color = heading.color();
        }
        rows
    }

    /// A text in as many rows as it needs.
    fn wrapped(&self, before: &str, text: &str) -> Vec<String> {
        let heading = sanitize::clip(text.as_bytes(), MAX_HEADING);
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
type RowItem = FittedItem<WhyRow>;

/// The item that has one row at least, and otherwise those that `rows` gives.
fn row_item(
    brief: WhyRow,
    rows: impl Fn(Bounds) -> Vec<WhyRow>,
    place: usize,
    is_first: bool,
) -> RowItem {
    RowItem::new([vec![brief], rows(SHORT), rows(WHOLE)], place, is_first)
}

/// Mark, id, day, author and summary.
fn heading(mark: &str, commit: &ObjectId, text: &CommitText) -> CommitHeading {
    let day = text.author.date().format("%Y-%m-%d").unwrap_or_default();
    let author = text.author.name.to_str_lossy();
    let (who, what) = if commit.is_null() {
        (format!("{mark}not committed yet"), String::new())
    } else {
        let summary = text.summary.to_str_lossy();
        let who = format!("{mark}{} {day} {author}", short(commit));
        (who, format!(": {summary}"))
    };
    CommitHeading {
        len: sanitize::line(who.as_bytes()).len(),
        text: who + &what,
        time: text.author.time,
    }
}

impl CommitHeading {
    /// The color of its row, which begins with two blanks.
    fn color(&self) -> ReasonColor {
        ReasonColor::Aged {
            time: self.time,
            len: 2 + self.len,
        }
    }
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
