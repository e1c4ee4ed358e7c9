//! The legend of the colors in the status line of a directory, and how many lines a filter has.

use std::ops::RangeInclusive;

use crate::{
    output::people::year_bars::YearBars,
    sanitize,
    viewer::{
        app::state::App,
        pages::{
            commit_row::bar_step,
            directory::{
                columns::RowLayout,
                listing::Listing,
                row::{AGENT_STEPS, RowColor},
            },
        },
        theme::tint,
        ui::{
            color_mode::{hue_swatches, step_swatches},
            footer::Footer,
            header::thousands,
            paint::RowWriter,
        },
    },
};

/// The least columns that are left of the status line for the legend beside the keys of a filter.
const MIN_WIDTH_FOR_LEGEND: u16 = 80;

/// Draws them at the right end, the colors only if they leave the first keys, in `keys` columns.
pub(super) fn draw(
    shown: &Listing,
    (color, layout): (RowColor, &RowLayout),
    app: &App,
    (footer, keys): (&mut Footer<'_>, usize),
) {
    let (theme, row) = (footer.theme, &mut footer.row);
    // The filter stands after these numbers.
    if let Some((lines, all)) = shown.lines.counts()
        && shown.lines.are_filtered()
    {
        let words = format!(" {} of {}", thousands(lines), thousands(all));
        row.put_right(&words, theme.bar_emphasis());
    }
    // The colors from that of the oldest line up to that of the newest one.
    let span = &shown.lines.ages;
    let newest = tint::age_step(span.age_up_to(i64::MAX, app.now));
    let entries = || shown.lines.entries.iter().flatten();
    let oldest_bar = Some(layout.bars)
        .filter(|columns| *columns > 0)
        .and_then(|columns| {
            let bars = YearBars::between(shown.lines.years_of_bars(), columns);
            // 0 is no year.
            let years = entries().filter_map(|lines| lines.years.keys().find(|year| **year != 0));
            Some(bar_step(bars, bars.bar_of(*years.min()?), (span, app.now)))
        });
    let medians = entries().filter_map(|lines| lines.median).min();
    let medians = medians.filter(|_| color == RowColor::Age);
    let oldest_name = medians.map(|time| tint::age_step(span.age(time, app.now)));
    let oldest = oldest_bar.into_iter().chain(oldest_name).min();
    let ages = oldest.unwrap_or(0).min(newest)..=newest;
    let steps = |row: &mut RowWriter<'_>, words: [&str; 2], steps: RangeInclusive<u8>| {
        let width = words.map(str::len).iter().sum::<usize>() + steps.len();
        if width + keys <= usize::from(row.remaining()) {
            step_swatches(theme, row, words, steps);
        }
    };
    match color {
        _ if !theme.has_colors() && color != RowColor::Plain => {
            row.put_right(" needs colors ", theme.bar());
        }
        // The keys of a filter are more important.
        _ if shown.lines.are_filtered() && row.remaining() < MIN_WIDTH_FOR_LEGEND => {}
        RowColor::Agent if shown.has_no_agents() => {}
        RowColor::Agent => {
            steps(row, ["0% ", " 100% of agents "], AGENT_STEPS);
        }
        RowColor::Age => steps(row, ["old ", " new "], ages),
        RowColor::Plain if shown.lines.are_filtered() => {}
        RowColor::Plain if theme.has_colors() && layout.bars > 0 => {
            steps(row, ["old ", " new "], ages);
        }
        RowColor::Person => {
            let people = shown.lines.people.iter();
            let people = people.map(|(hue, _, name)| (*hue, sanitize::line(name)));
            hue_swatches(theme, row, people, keys);
        }
        RowColor::Plain => {}
    }
}
