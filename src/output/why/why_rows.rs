//! `--why` for people: at most two screens.

use std::ops::Range;

use bstr::ByteSlice;

use crate::{
    objects::ObjectId,
    output::{
        buffer::OutputBuffer,
        color::{AgeColors, BOLD, GREEN, QUIET, RED, push_colored},
        why::{
            budget::{Extent, FittedItem, WeighedItem, order_of_growth, shrink},
            facts::{KeptLines, LineFacts, LineReason, MAX_KEPT_LINES},
        },
    },
    repository::commits::{commit_text::CommitText, word_wrap},
    sanitize,
};

/// Two screens of 24 rows, of which the prompt takes one each.
pub(crate) const MAX_ROWS: usize = 46;

/// Most bytes that a row of a message is made of.
const MAX_ROW_LEN: usize = 1000;

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

/// Fewest columns of a summary beside the lines of its commit, if it has as many.
const MIN_SUMMARY: usize = 30;

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
    /// The bytes and columns of mark, id, date and author.
    len: usize,
    width: usize,
}

impl WhyRows<'_> {
    /// Writes the answer, in at most [`MAX_ROWS`] rows.
    pub(crate) fn push(&self, out: &mut OutputBuffer<'_>) {
        let mut rows = self.head();
        let sections = [self.reasons(true), self.reasons(false), self.deletions()];
        // The headings have a blank row before each.
        let headings = 2 * sections.iter().filter(|it| !it.is_empty()).count();
        let room = MAX_ROWS.saturating_sub(rows.len() + headings);
        let shown = self.fitted(&sections, room);
        let mut of_items = shown.iter();
        for (heading, section) in self.headings().iter().zip(&sections) {
            let of_section = of_items.by_ref().take(section.len()).flatten();
            let of_section: Vec<WhyRow> = of_section.cloned().collect();
            if !of_section.is_empty() {
                rows.push(String::new().into());
                rows.push(WhyRow::new(*heading, ReasonColor::Quiet));
                rows.extend(of_section);
            }
        }
        rows.extend(self.left_out(&sections, &shown));
        for row in &rows {
            self.push_row(out, row);
        }
    }

    /// The rows of each item; with those that say what is left out, at most `room`.
    fn fitted(&self, sections: &[Vec<RowItem<'_>>; 3], room: usize) -> Vec<Vec<WhyRow>> {
        let items: Vec<&RowItem<'_>> = sections.iter().flatten().collect();
        let weighed: Vec<WeighedItem> = items.iter().map(|item| item.fitted.weighed).collect();
        let rows_of = |extents: &[Extent]| -> Vec<Vec<WhyRow>> {
            let items = items.iter().zip(extents);
            let parts = items.map(|(item, extent)| item.fitted.parts(*extent).to_vec());
            parts.collect()
        };
        let (extents, mut total) = shrink(&weighed, room);
        let mut shown = rows_of(&extents);
        if !self.left_out(sections, &shown).is_empty() {
            let (history, deletions) = &self.facts.commands;
            let command = |command: &str| self.height("All: ".len() + command.len());
            let most = 3 + command(history) + command(deletions);
            let (extents, less) = shrink(&weighed, room.saturating_sub(most));
            (shown, total) = (rows_of(&extents), less);
        }
        let said = self.left_out(sections, &shown);
        let said: usize = said.iter().map(|row| self.height(row.text.len())).sum();
        let order = order_of_growth(&weighed);
        grow(&items, order, room.saturating_sub(said + total), &mut shown);
        shown
    }

    /// The rows of a terminal that so many bytes take.
    fn height(&self, len: usize) -> usize {
        len.div_ceil(self.columns).max(1)
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
        let name = sanitize::clip(&facts.name, self.columns / 2);
        let place = match &facts.commit {
            Some((commit, day)) if commit.to_string().starts_with(&name) => {
                format!(":{lines}, at {} ({day})", short(commit))
            }
            Some((commit, day)) => format!(":{lines}, at {name} ({}, {day})", short(commit)),
            None => format!(":{lines}, in the work tree"),
        };
        // Of a long path, the end says most.
        let room = self.columns.saturating_sub(place.len());
        let path = sanitize::clip_left(&sanitize::line(&facts.path), room);
        let place = self.row("", format!("{path}{place}").as_bytes());
        let mut rows = vec![WhyRow::new(place, ReasonColor::Place)];
        let count = count(&facts.ranges);
        // To say that one line is left takes a row, too.
        let listed = if count == MAX_ASKED + 1 {
            count
        } else {
            MAX_ASKED
        };
        for (number, line) in facts.lines.iter().take(listed) {
            let number = format!("{:>6}  ", u64::from(*number) + 1);
            rows.push(self.row(&number, line).into());
        }
        if count > listed {
            rows.push(format!("        and {} more lines", count - listed).into());
        }
        rows
    }

    /// The headings of the commits that the blame names, of the others and of the deletions.
    fn headings(&self) -> [&'static str; 3] {
        let are_all_earlier = self.facts.reasons.iter().all(|it| !it.is_ignored);
        [
            "Written by:",
            if are_all_earlier {
                "Before that, newest first:"
            } else {
                "Other changes, newest first:"
            },
            "Deleted at this place, newest first:",
        ]
    }

    /// The commits that the blame names, or the others.
    fn reasons(&self, is_blamed: bool) -> Vec<RowItem<'_>> {
        let facts = self.facts;
        let are_several = count(&facts.ranges) > 1;
        let of_kind = facts.reasons.iter();
        let of_kind = of_kind.filter(|reason| reason.blamed.is_empty() != is_blamed);
        let items = of_kind.enumerate().map(|(place, reason)| {
            let has_lines = is_blamed && are_several;
            let mark = if reason.is_boundary { "^" } else { "" };
            let heading = heading(mark, &reason.commit, &reason.text);
            let words = if has_lines {
                self.brief_lines(&heading, &reason.blamed)
            } else {
                String::new()
            };
            let brief = self.clipped(&heading, &words);
            let lines = has_lines.then(|| in_words(&reason.blamed));
            let rows = move |bounds| self.reason_rows(reason, &heading, lines.as_deref(), bounds);
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
        if reason.is_ignored {
            notes.push("ignored".to_owned());
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
        // Of what may be megabytes, only the beginning is shown.
        let split = |line: &[u8]| {
            let line = &line[..line.len().min(MAX_ROWS * MAX_ROW_LEN)];
            word_wrap::wrap(line, self.columns - 6)
        };
        let rows: Vec<(usize, String)> = lines
            .iter()
            .enumerate()
            .flat_map(|(at, line)| split(line).into_iter().map(move |row| (at, row)))
            .take(most + 2)
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

    fn deletions(&self) -> Vec<RowItem<'_>> {
        let facts = self.facts;
        let items = facts.deletions.iter().enumerate().map(|(nth, deleted)| {
            let heading = heading("", &deleted.commit, &deleted.text);
            let (count, below) = (deleted.lines.count, deleted.below);
            let noun = if count == 1 { "line" } else { "lines" };
            let place = match below {
                0 => format!("{count} {noun}, before line 1"),
                _ => format!("{count} {noun}, below line {below}"),
            };
            let brief = self.clipped(&heading, &format!(" ({place})"));
            let rows = move |bounds: Bounds| {
                let mut rows = self.heading_rows(&heading);
                rows.push(format!("      {place}").into());
                self.push_lines(
                    &mut rows,
                    ("-", ReasonColor::Removed),
                    &deleted.lines,
                    bounds,
                );
                rows
            };
            row_item(brief, rows, nth, false)
        });
        items.collect()
    }

    /// What is not shown, and where it is.
    fn left_out(&self, sections: &[Vec<RowItem<'_>>; 3], shown: &[Vec<WhyRow>]) -> Vec<WhyRow> {
        let facts = self.facts;
        let commits = sections[0].len() + sections[1].len();
        let (of_commits, of_deletions) = shown.split_at(commits);
        let count = |rows: &[Vec<WhyRow>]| rows.iter().filter(|it| it.is_empty()).count();
        let dropped = count(of_commits) + facts.unread.0;
        let dropped_deletions = count(of_deletions) + facts.unread.1;
        let items = sections.iter().flatten().zip(shown);
        let is_brief = |(item, rows): &(&RowItem<'_>, &Vec<WhyRow>)| {
            let [brief, short, _] = item.fitted.weighed.costs;
            rows.len() == brief && brief < short
        };
        let shortened = items.filter(is_brief).count();
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

    /// The lines of a commit for the end of its heading: all of them, or fewer words that leave room for
    /// the summary.
    fn brief_lines(&self, heading: &CommitHeading, ranges: &[Range<u32>]) -> String {
        let all = format!(" ({})", in_words(ranges));
        let first = ranges.get(..1).unwrap_or_default();
        let (more, lines) = (count(ranges) - count(first), count(ranges));
        let some = format!(" ({} and {more} more)", in_words(first));
        let least = format!(" ({lines} lines)");
        let text = sanitize::width(heading.text.as_bytes());
        let needed = text.min(heading.width + ": ".len() + MIN_SUMMARY);
        let fits = |words: &str| needed + words.len() <= self.columns - 2;
        match ranges {
            _ if lines == 1 || fits(&all) => all,
            [_, _, ..] if fits(&some) => some,
            _ => least,
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

/// An item as rows.
struct RowItem<'a> {
    fitted: FittedItem<WhyRow>,
    /// Its rows within bounds.
    rows: Box<dyn Fn(Bounds) -> Vec<WhyRow> + 'a>,
}

/// The item that has one row at least, and otherwise those that `rows` gives.
fn row_item<'a>(
    brief: WhyRow,
    rows: impl Fn(Bounds) -> Vec<WhyRow> + 'a,
    place: usize,
    is_first: bool,
) -> RowItem<'a> {
    let parts = [vec![brief], rows(SHORT), rows(WHOLE)];
    RowItem {
        fitted: FittedItem::new(parts, place, is_first),
        rows: Box::new(rows),
    }
}

/// Rounds in which rows that are left are given to one commit after the other: of a round, each gets
/// the first bounds that fit.
fn rounds() -> [Vec<Bounds>; 3] {
    let of = |bounds: &[(usize, usize)]| -> Vec<Bounds> {
        bounds
            .iter()
            .map(|&(body, changed)| Bounds { body, changed })
            .collect()
    };
    let mut last = of(&[(MAX_ROWS, MAX_KEPT_LINES), (MAX_ROWS, 16), (MAX_ROWS, 8)]);
    let bodies = (WHOLE.body + 1..=MAX_ROWS).rev();
    last.extend(bodies.map(|body| Bounds { body, ..WHOLE }));
    [
        of(&[(SHORT.body, SHORT.changed), (1, 2), (0, 2), (0, 1)]),
        of(&[(WHOLE.body, WHOLE.changed), (5, 4), (3, 4)]),
        last,
    ]
}

/// Gives the rows that are `left` to the items that are shown, in this order.
fn grow(items: &[&RowItem<'_>], mut order: Vec<usize>, mut left: usize, shown: &mut [Vec<WhyRow>]) {
    order.retain(|&at| !shown[at].is_empty());
    for round in rounds() {
        for &at in &order {
            let now = shown[at].len();
            let mut more = round.iter().map(|bounds| (items[at].rows)(*bounds));
            if let Some(rows) = more.find(|rows| (now + 1..=now + left).contains(&rows.len())) {
                left -= rows.len() - now;
                shown[at] = rows;
            }
        }
    }
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
    let shown = sanitize::line(who.as_bytes());
    CommitHeading {
        len: shown.len(),
        width: sanitize::width(shown.as_bytes()),
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
