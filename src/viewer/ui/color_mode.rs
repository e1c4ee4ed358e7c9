//! Color modes: the background of a group in each, and the legend in the status line.

use std::{cmp::Reverse, collections::BTreeMap, hash::Hasher};

use bstr::BString;
use rustc_hash::FxHasher;
use unicode_width::UnicodeWidthStr;

use crate::{
    sanitize,
    viewer::{
        app::{blame::view::View, state::App},
        model::{
            attribution::{Group, Shade},
            color_mode::ColorMode,
            relative_dates,
        },
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
            tint,
        },
        ui::paint::RowWriter,
    },
};

/// Most authors in the legend.
const MAX_LEGEND_AUTHORS: usize = 5;

/// The background of a group in the current color mode.
pub(super) fn background(app: &App, view: &View, theme: &Theme, group: &Group) -> LineBackground {
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
            LineBackground::Hue(hue(&metadata.author.mail), shade)
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
        _ => LineBackground::Shade(shade),
    }
}

/// A hue that depends only on the bytes, so that it is stable between runs.
fn hue(bytes: &[u8]) -> u8 {
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
    };
    row.put_right(label, theme.bar());
}

/// Draws the colors from the oldest line's to the newest's, with their years once the blame is complete.
fn age_legend(app: &App, theme: &Theme, row: &mut RowWriter<'_>) {
    let complete = app.view().filter(|view| !view.is_running());
    let commits = complete.into_iter().flat_map(View::commits);
    let times = commits.filter_map(|commit| Some(commit.metadata.as_ref().ok()?.author.time));
    let range = times.fold(None, |range: Option<(i64, i64)>, time| {
        let (oldest, newest) = range.unwrap_or((time, time));
        Some((oldest.min(time), newest.max(time)))
    });
    let step = |time: i64| tint::age_step(app.now.saturating_sub(time));
    let year = |time: i64| {
        relative_dates::day(time, 0)
            .chars()
            .take(4)
            .collect::<String>()
    };
    let (old, new) = range.map_or_else(
        || ("old".to_owned(), "new".to_owned()),
        |(oldest, newest)| (year(oldest), year(newest)),
    );
    let steps = range.map_or(0..=tint::AGE_STEPS as u8 - 1, |(oldest, newest)| {
        step(oldest)..=step(newest)
    });
    row.put_right(&format!(" {new} "), theme.bar());
    for step in steps.rev() {
        row.put_right("██", theme.bar_tint(Foreground::Age(step)));
    }
    row.put_right(&format!("{old} "), theme.bar());
}

/// Draws the authors of most lines in their colors, with their shares, once the blame is complete.
fn author_legend(app: &App, theme: &Theme, row: &mut RowWriter<'_>) {
    let Some(view) = app.view().filter(|view| !view.is_running()) else {
        return;
    };
    let mut lines: BTreeMap<&BString, (u64, &BString)> = BTreeMap::new();
    for (commit, at) in view.commits().iter().zip(0..) {
        if let Ok(metadata) = &commit.metadata {
            let author = &metadata.author;
            let entry = lines.entry(&author.mail).or_insert((0, &author.name));
            entry.0 += u64::from(view.attribution.tally(at).lines);
        }
    }
    let total = u64::from(view.attribution.attributed()).max(1);
    let mut authors: Vec<_> = lines.into_iter().collect();
    authors.sort_by_key(|(_, (lines, _))| Reverse(*lines));
    let room = usize::from(row.remaining()) / 2;
    let mut used = 0;
    let mut shown = Vec::new();
    for (mail, (count, name)) in authors.into_iter().take(MAX_LEGEND_AUTHORS) {
        let text = format!(" {} {}% ", sanitize::line(name), count * 100 / total);
        used += text.width() + 1;
        if used > room {
            break;
        }
        shown.push((hue(mail), text));
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
