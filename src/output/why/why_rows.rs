//! `--why` for people: at most two screens.

use std::ops::Range;

use bstr::ByteSlice;

use crate::{
    objects::ObjectId,
    output::why::{
        budget::{Extent, WeighedItem, fit},
        facts::{DeletedHere, KeptLines, LineFacts},
    },
    repository::commits::{commit_text::CommitText, word_wrap},
    sanitize,
};

/// Two screens of 24 rows, of which the prompt takes one each.
pub(crate) const MAX_ROWS: usize = 46;

/// The columns of a screen.
const COLUMNS: usize = 80;

/// Most lines that are shown of those that were asked for.
const MAX_ASKED: usize = 6;

/// Most lines of a message, and of each side of a change.
const MAX_BODY: usize = 8;
const MAX_CHANGED: usize = 4;

/// Most columns of a heading.
const MAX_HEADING: usize = 200;

/// Digits of ids.
const ID_DIGITS: usize = 10;

/// The answer as text of at most [`MAX_ROWS`] rows.
pub(crate) fn text(facts: &LineFacts) -> String {
    let head = head(facts);
    // The headings with a blank row before each, and what was left out.
    let fixed = head.len() + 3 * 2 + 3;
    let sections = [
        reasons(facts, true),
        reasons(facts, false),
        deletions(facts),
    ];
    let items: Vec<WeighedItem> = sections.iter().flatten().map(|item| item.weighed).collect();
    let extents = fit(&items, MAX_ROWS.saturating_sub(fixed));
    let mut rows = head;
    let mut extents_left = extents.iter();
    for (heading, section) in HEADINGS.iter().zip(&sections) {
        let shown = section
            .iter()
            .zip(extents_left.by_ref().take(section.len()));
        let shown = shown.flat_map(|(item, extent)| match extent {
            Extent::Dropped => &[][..],
            Extent::Brief => &item.brief,
            Extent::Whole => &item.whole,
        });
        let shown: Vec<String> = shown.cloned().collect();
        if !shown.is_empty() {
            rows.extend([String::new(), (*heading).to_owned()]);
            rows.extend(shown);
        }
    }
    rows.extend(left_out(facts, &sections, &extents));
    let rows = rows.iter().map(|row| format!("{}\n", row.trim_end()));
    rows.collect()
}

const HEADINGS: [&str; 3] = [
    "Written by:",
    "Before that, newest first:",
    "Deleted at this place, newest first:",
];

/// An item as rows.
struct RowItem {
    weighed: WeighedItem,
    brief: Vec<String>,
    whole: Vec<String>,
}

impl RowItem {
    fn new(brief: Vec<String>, whole: Vec<String>, time: i64, is_first: bool) -> RowItem {
        let weighed = WeighedItem {
            brief: brief.len(),
            whole: whole.len(),
            time,
            is_first,
        };
        RowItem {
            weighed,
            brief,
            whole,
        }
    }
}

/// The place and the lines themselves.
fn head(facts: &LineFacts) -> Vec<String> {
    let (path, lines) = (sanitize::line(&facts.path), shown_lines(&facts.ranges));
    let place = format!("{path}:{lines}, {}", facts.revision);
    let mut rows = vec![row("", place.as_bytes())];
    let count: usize = facts.ranges.iter().map(ExactSizeIterator::len).sum();
    for (number, line) in facts.lines.iter().take(MAX_ASKED) {
        rows.push(row(&format!("{:>6}  ", u64::from(*number) + 1), line));
    }
    if count > MAX_ASKED {
        rows.push(format!("        and {} more lines", count - MAX_ASKED));
    }
    rows
}

/// The commits that the blame names, or the others.
fn reasons(facts: &LineFacts, is_blamed: bool) -> Vec<RowItem> {
    let of_kind = facts.reasons.iter();
    let of_kind = of_kind.filter(|reason| reason.blamed.is_empty() != is_blamed);
    let items = of_kind.map(|reason| {
        let heading = heading(&reason.commit, &reason.text);
        let brief = vec![row("  ", heading.as_bytes())];
        let mut whole = wrapped(&heading, "");
        let mut notes = Vec::new();
        if is_blamed
            && facts
                .ranges
                .iter()
                .map(ExactSizeIterator::len)
                .sum::<usize>()
                > 1
        {
            notes.push(format!("lines {}", shown_lines(&reason.blamed)));
        }
        notes.extend(reason.arrival.request.map(|it| format!("request {it}")));
        let release = reason.release.as_ref();
        notes.extend(release.map(|tag| format!("first in {}", sanitize::line(tag))));
        for (agent, source) in &reason.agents {
            notes.push(format!(
                "agent {} ({source})",
                sanitize::line(agent.as_bytes())
            ));
        }
        if !notes.is_empty() {
            whole.push(row("      ", notes.join(", ").as_bytes()));
        }
        let (body, is_all) = reason.body(MAX_BODY, usize::MAX);
        let lines = body.iter();
        let rows: Vec<String> = lines
            .flat_map(|line| word_wrap::wrap(line, COLUMNS - 6))
            .collect();
        let shown = rows.iter().take(MAX_BODY);
        whole.extend(shown.map(|text| format!("      {text}")));
        if !is_all || rows.len() > MAX_BODY {
            whole.pop_if(|row| row.trim_ascii().is_empty());
            whole.push("      …".to_owned());
        }
        for referred in &reason.references {
            let id = short(&referred.commit);
            let words = format!("{} {id} {} ", referred.relation, referred.day);
            let words = [words.as_bytes(), &referred.summary].concat();
            whole.push(row("      ", &words));
        }
        if let Some(change) = &reason.change {
            let mut place = Vec::new();
            if change.is_moved {
                place.push(format!(
                    "moved from here: lines {}",
                    shown_lines(&change.ranges)
                ));
            }
            if let Some(before) = &change.renamed_from {
                place.push(format!("renamed from {}", sanitize::line(before)));
            }
            if !place.is_empty() {
                whole.push(row("      ", place.join(", ").as_bytes()));
            }
            push_lines(&mut whole, "-", &change.before);
            push_lines(&mut whole, "+", &change.after);
        }
        RowItem::new(brief, whole, reason.text.author.seconds(), is_blamed)
    });
    items.collect()
}

fn deletions(facts: &LineFacts) -> Vec<RowItem> {
    let items = facts.deletions.iter().map(|deleted| {
        let DeletedHere {
            commit,
            text,
            below,
            lines,
        } = deleted;
        let words = format!(" ({} below line {below})", lines.count);
        let heading = heading(commit, text);
        let clipped = sanitize::clip(heading.as_bytes(), COLUMNS - 2 - words.len());
        let brief = vec![format!("  {clipped}{words}")];
        let mut whole = wrapped(&heading, &words);
        push_lines(&mut whole, "-", lines);
        RowItem::new(brief, whole, text.author.seconds(), false)
    });
    items.collect()
}

/// What is not shown, and where it is.
fn left_out(facts: &LineFacts, sections: &[Vec<RowItem>], extents: &[Extent]) -> Vec<String> {
    let items: Vec<&RowItem> = sections.iter().flatten().collect();
    let count = |range: Range<usize>, extent: Extent| {
        let is_it = |at: &usize| {
            let is_shorter = items[*at].brief.len() < items[*at].whole.len();
            extents[*at] == extent && (extent == Extent::Dropped || is_shorter)
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
    let all = "All: --line-history and --deletions with -L, git show ID";
    vec![
        String::new(),
        row("Left out: ", parts.join(", ").as_bytes()),
        all.to_owned(),
    ]
}

fn push_lines(rows: &mut Vec<String>, mark: &str, kept: &KeptLines) {
    let shown = kept.lines.iter().take(MAX_CHANGED);
    rows.extend(shown.map(|line| row(&format!("    {mark} "), line)));
    if kept.count > MAX_CHANGED {
        rows.push(format!("    {mark} … {} more", kept.count - MAX_CHANGED));
    }
}

/// Id, day, author and summary.
fn heading(commit: &ObjectId, text: &CommitText) -> String {
    let day = text.author.date().format("%Y-%m-%d").unwrap_or_default();
    let author = text.author.name.to_str_lossy();
    let summary = text.summary.to_str_lossy();
    format!("{} {day} {author}: {summary}", short(commit))
}

/// A heading in as many rows as it needs, with words at its end.
fn wrapped(heading: &str, words: &str) -> Vec<String> {
    let heading = sanitize::clip(heading.as_bytes(), MAX_HEADING) + words;
    let rows = word_wrap::wrap(heading.as_bytes(), COLUMNS - 6).into_iter();
    let rows = rows.enumerate().map(|(at, text)| match at {
        0 => format!("  {text}"),
        _ => format!("      {text}"),
    });
    rows.collect()
}

fn short(commit: &ObjectId) -> String {
    let mut id = commit.to_string();
    id.truncate(ID_DIGITS);
    id
}

/// A row of at most [`COLUMNS`] columns.
fn row(before: &str, text: &[u8]) -> String {
    let text = sanitize::clip(text, COLUMNS - before.len());
    format!("{before}{text}")
}

/// Ranges of lines for people.
fn shown_lines(ranges: &[Range<u32>]) -> String {
    let shown = ranges.iter().map(|range| match range.len() {
        1 => range.end.to_string(),
        _ => format!("{}-{}", u64::from(range.start) + 1, range.end),
    });
    shown.collect::<Vec<_>>().join(", ")
}
