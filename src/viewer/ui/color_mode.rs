//! Color modes: the background of a group in each, and the legend in the status line.

use std::hash::Hasher;

use rustc_hash::FxHasher;
use unicode_width::UnicodeWidthStr;

use crate::{
    repository::commits::people::{self, CommitPeople},
    sanitize,
    viewer::{
        app::{blame::view::View, state::App},
        model::{
            attribution::{Group, Shade},
            color_mode::ColorMode,
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
/// Most authors in the legend.
const MAX_LEGEND_AUTHORS: usize = 5;

/// The background of a line (0-based) of a group in the current color mode.
pub(super) fn background(
    app: &App,
    view: &View,
    theme: &Theme,
    group: &Group,
    line: u32,
) -> LineBackground {
    let shade = group.shade;
    if !theme.has_tints() || app.display.color_mode == ColorMode::Shades {
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
            LineBackground::Hue(hue(metadata.people().author().as_bytes()), shade)
        }
        (ColorMode::Commit, _) => LineBackground::Hue(hue(facts.commit.id.as_slice()), shade),
        (ColorMode::Request, _) => {
            let arrival = app.provenance.arrival(&facts.commit.id).unwrap_or_default();
            let number = arrival.request.map(|number| number.to_string());
            match (number, arrival.merge) {
                (Some(number), _) => LineBackground::Hue(hue(number.as_bytes()), shade),
                (None, Some(merge)) => LineBackground::Hue(hue(merge.as_slice()), shade),
                (None, None) => LineBackground::Shade(shade),
            }
        }
        (ColorMode::Agent, _) => match app.agent_of_line(view, line) {
            Some(agent) => LineBackground::Hue(hue(agent.name().as_bytes()), shade),
            None => LineBackground::Shade(shade),
        },
        _ => LineBackground::Shade(shade),
    }
}

/// A hue that depends only on the bytes, so that it is stable between runs.
pub(crate) fn hue(bytes: &[u8]) -> u8 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    (hasher.finish() >> 56) as u8
}

/// Draws the legend of the color mode.
pub(super) fn legend(app: &App, theme: &Theme, row: &mut RowWriter<'_>) {
    let label = match app.display.color_mode {
        ColorMode::Shades => return,
        _ if !theme.has_tints() => " needs 256 colors ",
        ColorMode::Age => {
            age_legend(app, theme, row);
            " age "
        }
        ColorMode::Author => {
            author_legend(app, theme, row);
            " authors "
        }
        ColorMode::Commit => " color: commit ",
        ColorMode::Request => " color: request ",
        ColorMode::Agent => " color: agent ",
    };
    row.put_right(label, theme.bar());
}

/// Draws the colors of ages, from the oldest to the newest, between words for both ends.
pub(crate) fn age_swatches(theme: &Theme, row: &mut RowWriter<'_>, [oldest, newest]: [&str; 2]) {
    row.put_right(newest, theme.bar());
    for step in (0..tint::AGE_STEPS as u8).rev() {
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
    let dates = app.display.filter.dates.as_ref();
    let most = histogram.counts.iter().copied().max().unwrap_or(0).max(1);
    row.put_right(&format!(" {} ", year(newest)), theme.bar());
    for (at, &count) in histogram.counts.iter().enumerate().rev() {
        let time = histogram.start(at);
        let column = u16::try_from(at).unwrap_or(u16::MAX);
        let is_chosen = dates.is_none_or(|dates| dates.contains(time, 0));
        let step = tint::age_step(app.now.saturating_sub(time));
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

/// Draws the authors of most lines in their colors, with their shares, once the blame is complete.
fn author_legend(app: &App, theme: &Theme, row: &mut RowWriter<'_>) {
    let Some(view) = app.view().filter(|view| !view.is_running()) else {
        return;
    };
    let commits = view.commits().iter().zip(0..);
    let authors = people::people(commits.filter_map(|(commit, at)| {
        let author = CommitPeople {
            co_authors: &[],
            ..commit.metadata.as_ref().ok()?.people()
        };
        Some((author, view.attribution.tally(at).lines))
    }));
    let total = u64::from(view.attribution.attributed());
    let authors = authors.into_iter().map(|author| {
        let share = people::share(author.lines.into(), total);
        let words = format!("{} {share}", sanitize::line(author.shown_name()));
        (hue(author.key.as_bytes()), words)
    });
    hue_swatches(theme, row, authors);
}

/// Draws words in their hues, the first ones that have room.
pub(crate) fn hue_swatches(
    theme: &Theme,
    row: &mut RowWriter<'_>,
    words: impl Iterator<Item = (u8, String)>,
) {
    let room = usize::from(row.remaining()) / 2;
    let mut used = 0;
    let mut shown = Vec::new();
    for (hue, words) in words.take(MAX_LEGEND_AUTHORS) {
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
