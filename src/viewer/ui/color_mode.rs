//! Color modes: the background of a group in each, and the legend in the status line.

use std::{cell::OnceCell, cmp::Reverse, hash::Hash, ops::RangeInclusive};

use bstr::BStr;
use rustc_hash::FxHashMap;
use unicode_width::UnicodeWidthStr;

use crate::{
    objects::ObjectId,
    repository::commits::people,
    sanitize,
    viewer::{
        app::{
            blame::view::{View, ViewCommit},
            state::App,
        },
        model::{
            abbreviation::short,
            attribution::{Group, Shade},
            color_mode::{ColorMode, HueTable, MIN_WIDTH_FOR_LEGEND, hue},
            relative_dates,
        },
        protocol::ClickTarget,
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
            tint,
        },
        ui::paint::RowWriter,
    },
};

/// Bars from few lines to most.
const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/// Columns for the most important keys, which no legend takes.
const KEYS_WIDTH: usize = 36;
/// Most names in the legend.
const MAX_LEGEND_NAMES: usize = 5;

/// The background of a line (0-based) of a group in the current color mode: none if colors tell who
/// brought a line or which agent wrote it, and there is none.
pub(super) fn background(
    app: &App,
    view: &View,
    theme: &Theme,
    group: &Group,
    line: u32,
) -> LineBackground {
    let shade = group.shade;
    if !theme.has_colors() || app.display.color_mode == ColorMode::Shades {
        return LineBackground::Shade(shade);
    }
    let Some(facts) = view.attribution_of(group.lines.start) else {
        return LineBackground::Shade(shade);
    };
    let metadata = facts.commit.metadata.as_ref().ok();
    match (app.display.color_mode, metadata) {
        (ColorMode::Age, Some(metadata)) => {
            let step = tint::age_step(app.now.saturating_sub(metadata.author.time));
            LineBackground::Age(step, shade)
        }
        (ColorMode::Author, Some(metadata)) => {
            let author = metadata.people().shown_name();
            LineBackground::Hue(author_hue(view, author), shade)
        }
        (ColorMode::Commit, _) => LineBackground::Hue(commit_hue(view, &facts.commit.id), shade),
        (ColorMode::Request, _) => {
            let arrival = app.provenance.arrival(&facts.commit.id).unwrap_or_default();
            let number = arrival.request.map(|number| number.to_string());
            match (number, arrival.merge) {
                (Some(number), _) => LineBackground::Hue(hue(number.as_bytes()), shade),
                (None, Some(merge)) => LineBackground::Hue(hue(merge.as_slice()), shade),
                (None, None) => LineBackground::Plain,
            }
        }
        (ColorMode::Agent, _) => match app.agent_of_line(view, line) {
            Some(agent) => LineBackground::Hue(hue(agent.name().as_bytes()), shade),
            None => LineBackground::Plain,
        },
        _ => LineBackground::Shade(shade),
    }
}

/// The hue of an author by the name that is shown.
fn author_hue(view: &View, name: &BStr) -> u8 {
    hue_in(view, &view.hues.authors, name, author)
}

/// The hue of a commit.
fn commit_hue(view: &View, id: &ObjectId) -> u8 {
    hue_in(view, &view.hues.commits, id.as_slice(), |commit| {
        Some(commit.id.as_slice())
    })
}

/// The hue of a key. Once the blame is complete, it differs from those of the groups around its own,
/// and those of most lines, which the legend names, have hues of their own.
fn hue_in<'a>(
    view: &'a View,
    hues: &OnceCell<HueTable>,
    key: &[u8],
    key_of: impl Fn(&'a ViewCommit) -> Option<&'a [u8]>,
) -> u8 {
    if view.is_running() {
        return hue(key);
    }
    let hues = hues.get_or_init(|| {
        let groups = view.attribution.groups(0..view.text.line_count());
        let commits = groups.filter_map(|group| view.commits().get(group.commit as usize));
        let first = shares(view, &key_of).into_iter().map(|(key, _)| key);
        HueTable::new(first, commits.filter_map(&key_of))
    });
    hues.of(key)
}

/// The name of the author that is shown.
fn author(commit: &ViewCommit) -> Option<&[u8]> {
    let metadata = commit.metadata.as_ref().ok()?;
    Some(metadata.people().shown_name())
}

/// Draws the legend of the color mode, as far as the most important keys leave room.
pub(super) fn legend(app: &App, theme: &Theme, row: &mut RowWriter<'_>) {
    if row.remaining() < MIN_WIDTH_FOR_LEGEND {
        return;
    }
    let label = match app.display.color_mode {
        ColorMode::Shades => return,
        _ if !theme.has_colors() => " needs colors ",
        ColorMode::Age => {
            age_legend(app, theme, row);
            " age "
        }
        ColorMode::Author => {
            author_legend(app, theme, row);
            " authors "
        }
        ColorMode::Commit => {
            commit_legend(app, theme, row);
            " commits "
        }
        ColorMode::Request => {
            if request_legend(app, theme, row) {
                " requests "
            } else {
                " no request or merge is known here "
            }
        }
        ColorMode::Agent => {
            if agent_legend(app, theme, row) {
                " agents "
            } else {
                " no line here is recorded as an agent's "
            }
        }
    };
    row.put_right(label, theme.bar());
}

/// Draws the commits of most lines, with their shares.
fn commit_legend(app: &App, theme: &Theme, row: &mut RowWriter<'_>) {
    let Some(view) = app.view() else { return };
    let shares = shares(view, |commit| Some(commit.id));
    let words = shares.into_iter().map(|(id, share)| {
        let words = format!("{} {share}", short(&id));
        (commit_hue(view, &id), words)
    });
    hue_swatches(theme, row, words);
}

/// Draws the requests of most lines, or the merges of those that have no number, with their shares.
/// False if it is known that there are none.
fn request_legend(app: &App, theme: &Theme, row: &mut RowWriter<'_>) -> bool {
    let is_known = |id: &ObjectId| id.is_null() || app.provenance.arrival(id).is_some();
    let Some(view) = app.view() else { return true };
    let shares = shares(view, |commit| {
        let arrival = app.provenance.arrival(&commit.id)?;
        let merge = arrival.merge.filter(|_| arrival.request.is_none());
        (arrival.request.is_some() || merge.is_some()).then_some((arrival.request, merge))
    });
    let has_some = !shares.is_empty();
    let words = shares.into_iter().map(|((request, merge), share)| {
        let number = request.map(|number| number.to_string());
        let merge = merge.map(|merge| {
            let name = format!("merge {}", short(&merge));
            (hue(merge.as_slice()), name)
        });
        let numbered = number.map(|number| (hue(number.as_bytes()), number));
        let (hue, name) = numbered.or(merge).unwrap_or_default();
        (hue, format!("{name} {share}"))
    });
    hue_swatches(theme, row, words);
    has_some || !view.commits().iter().all(|commit| is_known(&commit.id))
}

/// What most lines have, with the shares of the lines, once the blame is complete.
fn shares<'a, K: Copy + Eq + Hash + Ord>(
    view: &'a View,
    key_of: impl Fn(&'a ViewCommit) -> Option<K>,
) -> Vec<(K, String)> {
    if view.is_running() {
        return Vec::new();
    }
    let mut lines: FxHashMap<K, u64> = FxHashMap::default();
    for (commit, at) in view.commits().iter().zip(0..) {
        let tally = u64::from(view.attribution.tally(at).lines);
        if let Some(key) = key_of(commit).filter(|_| tally > 0 && !commit.id.is_null()) {
            *lines.entry(key).or_default() += tally;
        }
    }
    largest(lines, u64::from(view.attribution.attributed()))
}

/// Draws the agents of the lines on the screen, with their shares of these. False if it is known that
/// there are none.
fn agent_legend(app: &App, theme: &Theme, row: &mut RowWriter<'_>) -> bool {
    let Some(view) = app.view() else { return true };
    let top = view.pager.position.top;
    let end = top.saturating_add(u32::from(app.layout().code.height));
    let end = end.min(view.text.line_count());
    let mut lines: FxHashMap<&str, u64> = FxHashMap::default();
    for agent in (top..end).filter_map(|line| app.agent_of_line(view, line)) {
        *lines.entry(agent.name()).or_default() += 1;
    }
    let has_some = !lines.is_empty();
    let shares = largest(lines, u64::from(end - top.min(end)));
    let words = shares.into_iter().map(|(name, share)| {
        let words = format!("{} {share}", sanitize::line(name.as_bytes()));
        (hue(name.as_bytes()), words)
    });
    hue_swatches(theme, row, words);
    has_some || !(top..end).all(|line| app.is_without_agent(view, line))
}

/// Those with most lines, and their shares in words.
fn largest<K: Copy + Ord>(lines: FxHashMap<K, u64>, total: u64) -> Vec<(K, String)> {
    let mut all: Vec<(K, u64)> = lines.into_iter().collect();
    all.sort_unstable_by_key(|&(key, lines)| (Reverse(lines), key));
    let largest = all.into_iter().take(MAX_LEGEND_NAMES);
    largest
        .map(|(key, lines)| (key, people::share(lines, total)))
        .collect()
}

/// Draws the colors of ages, from the oldest to the newest, between words for both ends.
pub(crate) fn age_swatches(theme: &Theme, row: &mut RowWriter<'_>, words: [&str; 2]) {
    step_swatches(theme, row, words, 0..=tint::AGE_STEPS as u8 - 1);
}

/// As [`age_swatches`], of some steps.
pub(crate) fn step_swatches(
    theme: &Theme,
    row: &mut RowWriter<'_>,
    [oldest, newest]: [&str; 2],
    steps: RangeInclusive<u8>,
) {
    row.put_right(newest, theme.bar());
    for step in steps.rev() {
        row.put_right("█", theme.bar_tint(Foreground::Age(step)));
    }
    row.put_right(oldest, theme.bar());
}

/// Draws how many lines were written when, in the colors of their ages, once the blame is complete.
/// Dates that the filter leaves out are blank; a span is chosen with the mouse.
fn age_legend(app: &App, theme: &Theme, row: &mut RowWriter<'_>) {
    let Some(histogram) = app.date_histogram() else {
        return age_swatches(theme, row, ["old ", " new "]);
    };
    let (oldest, newest) = histogram.ends;
    let year = |time: i64| relative_dates::within(4, time, 0);
    if year(oldest) == year(newest) && app.display.filter.dates.is_none() {
        let step = tint::age_step(app.now.saturating_sub(newest));
        row.put_right("█ ", theme.bar_tint(Foreground::Age(step)));
        return row.put_right(&format!("{} ", year(newest)), theme.bar());
    }
    let dates = app.display.filter.dates.as_ref();
    let most = histogram.counts.iter().copied().max().unwrap_or(0).max(1);
    row.put_right(&format!(" {} ", year(newest)), theme.bar());
    for (at, &count) in histogram.counts.iter().enumerate().rev() {
        let time = histogram.start(at);
        let column = u16::try_from(at).unwrap_or(u16::MAX);
        let is_chosen = dates.is_none_or(|dates| dates.contains(time, 0));
        let step = tint::age_step(app.now.saturating_sub(histogram.newest(at)));
        let (symbol, style) = match count {
            0 if is_chosen && dates.is_some() => ("_", theme.bar_emphasis()),
            0 => (" ", theme.bar()),
            _ if !is_chosen => ("·", theme.bar()),
            count => {
                let height = (count * BARS.len() as u64).div_ceil(most);
                let bar = usize::try_from(height).unwrap_or(1).clamp(1, BARS.len());
                (BARS[bar - 1], theme.bar_tint(Foreground::Age(step)))
            }
        };
        let x = row.end().saturating_sub(1);
        row.put_target_right(symbol, style, ClickTarget::Date { column, x });
    }
    row.put_right(&format!("{} ", year(oldest)), theme.bar());
}

/// Draws the authors of most lines in their colors, with their shares.
fn author_legend(app: &App, theme: &Theme, row: &mut RowWriter<'_>) {
    let Some(view) = app.view() else { return };
    let authors = shares(view, author).into_iter().map(|(name, share)| {
        let words = format!("{} {share}", sanitize::line(name));
        (author_hue(view, name.into()), words)
    });
    hue_swatches(theme, row, authors);
}

/// Draws words in their hues, the first ones that have room.
pub(crate) fn hue_swatches(
    theme: &Theme,
    row: &mut RowWriter<'_>,
    words: impl Iterator<Item = (u8, String)>,
) {
    let room = usize::from(row.remaining());
    let room = (room / 2).min(room.saturating_sub(KEYS_WIDTH));
    let mut used = 0;
    let mut shown = Vec::new();
    for (hue, words) in words.take(MAX_LEGEND_NAMES) {
        used += words.width() + 3;
        if used > room {
            break;
        }
        shown.push((hue, format!(" {words} ")));
    }
    for (hue, text) in shown.into_iter().rev() {
        row.put_right(" ", theme.bar());
        let style = match (theme.tints_text(), Shade::all().get(1)) {
            (false, Some(&shade)) => theme.line(LineBackground::Hue(hue, shade), Foreground::Text),
            _ => theme.bar_tint(Foreground::Hue(hue)),
        };
        row.put_right(&text, style);
    }
}
