//! The row of an entry of a directory.

use std::ops::RangeInclusive;

use crate::{
    output::{people::year_bars::YearBars, tree::node_order::NodeOrder},
    repository::commits::people::{self, UNCOMMITTED},
    sanitize,
    viewer::{
        app::state::App,
        model::{
            background::{
                directory::{EntryKind, LinelessEntry, LinelessState},
                directory_lines::EntryLines,
                line_history::HistoryProgress,
            },
            line_filter::LineFilter,
            relative_dates,
        },
        pages::{
            commit_row::{LEFT_OUT_HELP, UNCOMMITTED_HELP, work_tree_mark, year_bars},
            directory::{
                columns::RowLayout,
                keys::{FAILED_HELP, FAILED_MARK},
                listing::Listing,
            },
            list::{ListRow, Tone},
        },
        theme::{roles::Foreground, tint},
        ui::{gutter::shown_date, header::thousands},
    },
};

/// Stands after the name of the column that the rows are sorted by.
const SORTED_MARK: &str = " ▾";

/// The least columns of people for the share of agents too.
const MIN_FOR_AGENTS: usize = 26;

/// The steps of the colors of ages that stand for shares of agents. The first ones do not stand out.
pub(super) const AGENT_STEPS: RangeInclusive<u8> = 3..=tint::AGE_STEPS as u8 - 1;

/// What the colors of the names stand for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum RowColor {
    /// Nothing.
    #[default]
    Plain,
    /// The median age of the lines.
    Age,
    /// The person who wrote most.
    Person,
    /// The share of agents.
    Agent,
}

impl RowColor {
    /// The next one.
    pub(super) fn next(self) -> RowColor {
        match self {
            RowColor::Plain => RowColor::Age,
            RowColor::Age => RowColor::Person,
            RowColor::Person => RowColor::Agent,
            RowColor::Agent => RowColor::Plain,
        }
    }

    /// What it stands for, in words.
    pub(super) fn name(self) -> &'static str {
        match self {
            RowColor::Plain => "none",
            RowColor::Age => "median age of the lines",
            RowColor::Person => "who wrote most lines",
            RowColor::Agent => "share of agents",
        }
    }

    /// How the name of an entry is drawn.
    fn tone(self, listing: &Listing, lines: Option<&EntryLines>, now: i64) -> Tone {
        let tone = lines.and_then(|lines| match self {
            RowColor::Plain => None,
            RowColor::Age => Some(Tone::Age(tint::age_step(
                listing.lines.ages.age(lines.median?, now),
            ))),
            RowColor::Person => {
                let person = &lines.people.first()?.0;
                let mut people = listing.lines.people.iter();
                let (hue, ..) = people.find(|(_, key, _)| key == person)?;
                Some(Tone::Hue(*hue))
            }
            RowColor::Agent if lines.agent_lines == 0 => None,
            RowColor::Agent => {
                // All lines of a filter for agents are theirs.
                let all = match listing.lines.counted.0.agent {
                    Some(_) => lines.all_lines,
                    None => lines.lines,
                };
                let steps = u64::from(AGENT_STEPS.end() - AGENT_STEPS.start());
                let step = lines.agent_lines * steps / all.max(1);
                let step = u8::try_from(step).unwrap_or(u8::MAX);
                let step = step.saturating_add(*AGENT_STEPS.start());
                Some(Tone::Age(step.min(*AGENT_STEPS.end())))
            }
        });
        tone.unwrap_or(Tone::Text(Foreground::Text))
    }
}

/// Text in a column, after a blank.
fn cell(text: impl AsRef<[u8]>, width: usize) -> String {
    let text = sanitize::clip(text.as_ref(), width);
    let missing = width.saturating_sub(sanitize::width(text.as_bytes()));
    format!(" {text}{}", " ".repeat(missing))
}

/// The names of the columns.
pub(super) fn title(listing: &Listing, layout: &RowLayout) -> String {
    let years = YearBars::between(listing.lines.years_of_bars(), layout.bars).title();
    let sorted = |words: &str, by: NodeOrder| {
        let mark = if listing.by == by { SORTED_MARK } else { "" };
        format!("{words}{mark}")
    };
    let change = sorted("last change", NodeOrder::Change);
    let lines = sorted("lines", NodeOrder::Lines);
    let lines = format!("{lines:>0$}", layout.lines);
    let share = format!("{:>1$}", "share", layout.share);
    // With the mark, there is no room for more.
    let age = match listing.by {
        NodeOrder::Age => sorted("age", NodeOrder::Age),
        _ => "median age".to_owned(),
    };
    let people = match listing.lines.counted.0.person {
        Some(_) => "also by",
        None => "most lines by",
    };
    let columns = [
        (change.as_str(), layout.change()),
        (&lines, layout.lines),
        (&share, layout.share),
        (&years, layout.bars),
        (&age, layout.age),
        (people, layout.people),
    ];
    let mut title = format!(" {} ", cell("name", layout.name));
    for (text, width) in columns.into_iter().filter(|(_, width)| *width > 0) {
        title.push_str(&cell(text, width));
    }
    title
}

/// Name, date, author and summary of the entry of a row, and its lines.
pub(super) fn row(
    listing: &Listing,
    at: usize,
    layout: &RowLayout,
    color: RowColor,
    app: &App,
) -> Option<ListRow> {
    if let Some(entry) = listing.lineless_in(at) {
        return Some(lineless_row(entry));
    }
    let at = *listing.order.get(at)?;
    let entry = listing.entries.get(at)?;
    let lines = listing.lines.entries.get(at)?.as_ref();
    let mark = entry.kind.mark();
    let name = sanitize::clip(&entry.name, layout.name.saturating_sub(mark.len()).max(1));
    let used = sanitize::width(name.as_bytes()) + mark.len();
    let blanks = layout.name.saturating_sub(used) + 1;
    let is_without = listing.lines.are_filtered()
        && match lines {
            Some(lines) => lines.lines == 0 && lines.is_complete,
            None => listing.lines.have_ended(),
        };
    let tone = if is_without {
        Tone::Dim
    } else {
        color.tone(listing, lines, app.now)
    };
    let is_uncommitted = lines.is_some_and(|lines| lines.is_uncommitted);
    let is_left_out = entry.left_out.is_some();
    let mark_before = work_tree_mark(is_uncommitted, is_left_out);
    let mut row = ListRow::new(" ").lead(mark_before);
    let of_name = match tone {
        Tone::Text(_) if is_left_out => Tone::Text(Foreground::Faint),
        Tone::Text(foreground) if entry.kind == EntryKind::Directory => Tone::Strong(foreground),
        tone => tone,
    };
    row = row.put_as(name, of_name);
    // The colored field is as wide as the column.
    let tone = if color == RowColor::Plain {
        Tone::Text(Foreground::Faint)
    } else {
        tone
    };
    row = row.put_as(format!("{mark}{}", " ".repeat(blanks - 1)), tone);
    row = row.put(" ", Foreground::Faint);
    if layout.date > 0 {
        row = change(row, listing, at, layout, app);
    }
    if layout.lines > 0 && entry.kind != EntryKind::Submodule {
        let has_ended = listing.lines.have_ended();
        row = match lines {
            Some(lines) => line_columns(row, listing, lines, layout, app.now),
            None if has_ended && entry.is_committed => row.put(
                cell(format!("{:>1$}", "?", layout.lines), layout.lines),
                Foreground::Faint,
            ),
            None => row,
        };
    }
    Some(row)
}

/// True if a row on the screen has a sign, by the keys of its help. Shares stand below a name of theirs or
/// after names, which says enough.
pub(super) fn has_sign(listing: &Listing, layout: &RowLayout, keys: &str) -> bool {
    listing.seen().any(|at| {
        let lines = listing.lines.entries.get(at).and_then(Option::as_ref);
        let entry = listing.entries.get(at);
        let is_left_out = entry.is_some_and(|entry| entry.left_out.is_some());
        let is_uncommitted = lines.is_some_and(|lines| lines.is_uncommitted);
        match keys {
            _ if keys == FAILED_HELP.0 => layout.lines > 0 && lines.is_some_and(|it| it.failed > 0),
            _ if keys == UNCOMMITTED_HELP.0 => is_uncommitted,
            _ if keys == LEFT_OUT_HELP.0 => is_left_out && !is_uncommitted,
            _ => false,
        }
    })
}

/// Adds the last change. Its last column is as wide as it is only if others follow, and otherwise
/// cut at the end of the screen.
fn change(row: ListRow, listing: &Listing, at: usize, layout: &RowLayout, app: &App) -> ListRow {
    let end = |text: &str, width: usize| match layout.lines {
        0 => format!(" {text}"),
        _ => cell(text, width),
    };
    let known = listing.changes.get(at).and_then(Option::as_ref);
    let words = match known {
        _ if !listing.entries[at].is_committed => UNCOMMITTED,
        Some(change) => {
            let metadata = match &change.metadata {
                Ok(metadata) => metadata,
                Err(failure) => {
                    let words = sanitize::line(failure.0.as_bytes());
                    return row.put(end(&words, layout.change()), Foreground::Text);
                }
            };
            let author = &metadata.author;
            let date = shown_date(app, author, layout.date);
            let mut row = row.put(cell(date, layout.date), Foreground::Date);
            let rest = layout.change() - layout.date - 1;
            if change.is_boundary {
                return row.put(
                    end("or before: history begins there", rest),
                    Foreground::Faint,
                );
            }
            if layout.author > 0 {
                row = row.put(cell(&author.name, layout.author), Foreground::Author);
            }
            let summary = sanitize::line(&metadata.summary());
            return row.put(end(&summary, layout.summary), Foreground::Text);
        }
        None => match listing.progress {
            HistoryProgress::Running(_) => "",
            _ => "its last commit is not known",
        },
    };
    row.put(end(words, layout.change()), Foreground::Faint)
}

/// Adds the lines: how many, from which years, how old, and by whom.
fn line_columns(
    mut row: ListRow,
    listing: &Listing,
    lines: &EntryLines,
    layout: &RowLayout,
    now: i64,
) -> ListRow {
    let more = if lines.failed > 0 { FAILED_MARK } else { "" };
    if lines.generated_lines > 0 && lines.all_lines == 0 {
        let count = if listing.lines.are_filtered() {
            "–".to_owned()
        } else {
            thousands(lines.generated_lines)
        };
        let words = format!(" {count:>0$} not counted", layout.lines);
        return row.put(words, Foreground::Faint);
    }
    let is_filtered = listing.lines.are_filtered();
    let count = match lines.lines {
        // None of its files are counted.
        0 if !lines.is_complete => String::new(),
        0 if is_filtered => "–".to_owned(),
        count => thousands(count),
    };
    let count = format!("{count}{more}");
    let foreground = if lines.is_complete {
        Foreground::Text
    } else {
        Foreground::Faint
    };
    row = row.put(format!(" {count:>0$}", layout.lines), foreground);
    if layout.share > 0 {
        let share = match lines.lines {
            0 => String::new(),
            _ if !is_filtered => String::new(),
            count => people::share(count, lines.all_lines),
        };
        row = row.put(format!(" {share:>0$}", layout.share), Foreground::Faint);
    }
    if layout.bars > 0 {
        let ages = &listing.lines.ages;
        let bars = YearBars::between(listing.lines.years_of_bars(), layout.bars);
        row = year_bars(
            row.put(" ", Foreground::Faint),
            bars,
            &lines.years,
            (ages, now),
        );
        let missing = layout.bars.saturating_sub(bars.count());
        row = row.put(" ".repeat(missing), Foreground::Faint);
    }
    if layout.age > 0 {
        let age = lines.median.map(|time| relative_dates::age(now, time));
        row = row.put(cell(age.unwrap_or_default(), layout.age), Foreground::Date);
    }
    if layout.people > 0 {
        row = row.put(
            cell(
                people_words(lines, layout.people, &listing.lines.counted.0),
                layout.people,
            ),
            Foreground::Author,
        );
    }
    row
}

/// Those who wrote most with their shares, as far as there is room, and at the end the share of
/// agents, unless that leaves too little for a person.
///
/// What all lines have by the filter is not repeated.
fn people_words(lines: &EntryLines, width: usize, filter: &LineFilter) -> String {
    let agents = match lines.agent_lines {
        _ if filter.agent.is_some() || width < MIN_FOR_AGENTS => String::new(),
        0 => String::new(),
        agents => format!(", agents {}", people::share(agents, lines.lines)),
    };
    // Less than one percent stands behind the people, if there is room.
    let is_little = lines.agent_lines.saturating_mul(100) < lines.lines;
    let kept = if is_little { 0 } else { agents.len() };
    let room = width.saturating_sub(kept);
    let mut words = String::new();
    let chosen = filter.person.as_ref().map(|(key, _)| key);
    for (_, name, count) in lines.people.iter().filter(|(key, ..)| Some(key) != chosen) {
        let share = people::share((*count).into(), lines.lines);
        if words.is_empty() {
            let room = room.saturating_sub(share.len() + 1);
            words = format!("{} {share}", sanitize::clip(name, room));
        } else {
            let more = format!("{words}, {} {share}", sanitize::line(name));
            if sanitize::width(more.as_bytes()) <= room {
                words = more;
            }
        }
    }
    match words.as_str() {
        words if sanitize::width(words.as_bytes()) + agents.len() > width => words.to_owned(),
        "" => agents.trim_start_matches(", ").to_owned(),
        _ => words + &agents,
    }
}

/// The row of an entry without lines.
fn lineless_row(entry: &LinelessEntry) -> ListRow {
    let foreground = match entry.state {
        LinelessState::Untracked => Foreground::Text,
        LinelessState::Removed | LinelessState::Unstaged | LinelessState::Ignored => {
            Foreground::Faint
        }
    };
    let name = sanitize::line(&entry.name);
    let row = ListRow::new(" ").lead(" ").put(name, foreground);
    let words = format!("{}  {}", entry.kind.mark(), entry.state.name());
    row.put(words, Foreground::Faint)
}
