//! The legend of the colors in the status line of a directory, and how many lines a filter has.

use crate::viewer::{
    app::state::App,
    pages::directory::{
        columns::RowLayout,
        listing::Listing,
        row::{AGENT_STEPS, RowColor},
    },
    theme::tint,
    ui::{
        color_mode::{hue_swatches, step_swatches},
        footer::Footer,
        header::thousands,
    },
};

/// The least columns that are left of the status line for the legend beside the keys of a filter.
const MIN_WIDTH_FOR_LEGEND: u16 = 80;

/// Draws them at the right end.
pub(super) fn draw(
    shown: &Listing,
    (color, layout): (RowColor, &RowLayout),
    app: &App,
    footer: &mut Footer<'_>,
) {
    let (theme, row) = (footer.theme, &mut footer.row);
    // The filter stands after these numbers.
    if let Some((lines, all)) = shown.lines.counts()
        && shown.lines.are_filtered()
    {
        let words = format!(" {} of {}", thousands(lines), thousands(all));
        row.put_right(&words, theme.bar_emphasis());
    }
    // The colors up to that of the newest line.
    let ages = 0..=tint::age_step(shown.lines.ages.age_up_to(i64::MAX, app.now));
    match color {
        _ if !theme.has_colors() && color != RowColor::Plain => {
            row.put_right(" needs colors ", theme.bar());
        }
        // The keys of a filter are more important.
        _ if shown.lines.are_filtered() && row.remaining() < MIN_WIDTH_FOR_LEGEND => {}
        RowColor::Agent if shown.has_no_agents() => {}
        RowColor::Agent => {
            step_swatches(theme, row, ["0% ", " 100% of agents "], AGENT_STEPS);
        }
        RowColor::Age => step_swatches(theme, row, ["old ", " new "], ages),
        RowColor::Plain if shown.lines.are_filtered() => {}
        RowColor::Plain if theme.has_colors() && layout.bars > 0 => {
            step_swatches(theme, row, ["old ", " new "], ages);
        }
        RowColor::Person => hue_swatches(theme, row, shown.lines.people()),
        RowColor::Plain => {}
    }
}
