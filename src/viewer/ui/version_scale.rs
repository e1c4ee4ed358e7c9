//! The scale of versions: which one is shown, and where it is in time.

use ratatui::{buffer::Buffer, style::Modifier};

use crate::{
    sanitize,
    viewer::{
        app::{display::layout::Area, state::App},
        model::{abbreviation::short_or_uncommitted, relative_dates},
        pages::file_history::version_row::{counts, says_merge},
        theme::{roles::Foreground, styles::Theme},
        ui::{
            header::thousands,
            paint::{self, RowWriter},
        },
    },
};

/// Bars of the columns, the lowest first.
const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// Fewest columns of a screen on which the summary leaves room for what this is.
const MIN_WIDTH_FOR_NAME: u16 = 100;

/// Draws the version's commit, and below it how many versions there were when, with the place of
/// this one.
pub(super) fn scale(app: &App, theme: &Theme, area: Area, buffer: &mut Buffer) {
    let (Some(step), Some(known)) = (app.step_in_sight(), &app.history.versions) else {
        return;
    };
    let Some(revision) = known.list.get(step.at).filter(|_| area.height > 0) else {
        return;
    };
    paint::fill(buffer, area, theme.bar());
    let mut row = RowWriter::new(buffer, Area { height: 1, ..area });
    let more = if known.is_running() { "…" } else { "" };
    let count = thousands(known.list.revisions().len());
    let name = if area.width < MIN_WIDTH_FOR_NAME {
        ""
    } else {
        "time-lapse: "
    };
    let words = format!(" {name}{} of {count}{more} ", thousands(step.at + 1));
    row.put_right(&words, theme.bar());
    let name = short_or_uncommitted(&revision.commit);
    row.put(&format!(" {name} "), theme.bar_emphasis());
    if let Ok(metadata) = &revision.metadata {
        let author = &metadata.author;
        if !revision.commit.is_null() {
            let date = relative_dates::day(author.time, author.offset);
            let name = sanitize::line(&author.name);
            row.put(&format!("{date} {name} "), theme.bar());
        }
        row.put(&format!("{} ", counts(revision)), theme.bar_emphasis());
        if says_merge(revision, &metadata.message) {
            row.put("merge ", theme.bar());
        }
        row.put(&sanitize::line(&metadata.summary()), theme.bar());
    }
    let Some(scale) = app.version_scale().filter(|_| area.height > 1) else {
        return;
    };
    let y = area.y + 1;
    let (first, last) = scale.span;
    let year = |time| relative_dates::within(4, time, 0);
    paint::text(buffer, (area.x + 1, y), 4, &year(first), theme.bar());
    paint::text(
        buffer,
        (scale.columns.end + 1, y),
        4,
        &year(last),
        theme.bar(),
    );
    let mut counts = vec![0usize; scale.columns.len()];
    for revision in known.list.revisions() {
        let at = usize::from(scale.column(revision.time) - scale.columns.start);
        if let Some(count) = counts.get_mut(at) {
            *count += 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let here = scale.column(revision.time);
    for (x, count) in scale.columns.clone().zip(counts) {
        let (symbol, style) = match count {
            _ if x == here => {
                let style = theme.bar_tint(Foreground::Mark);
                ("◆", style.add_modifier(Modifier::BOLD))
            }
            0 => (" ", theme.bar()),
            count => (
                BARS[(count * BARS.len() / most).clamp(1, BARS.len()) - 1],
                theme.bar(),
            ),
        };
        paint::text(buffer, (x, y), 1, symbol, style);
    }
}
