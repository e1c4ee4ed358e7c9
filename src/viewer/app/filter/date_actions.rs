//! Choosing a span of dates in the legend of ages.

use crate::viewer::{
    app::state::{App, Dragged},
    model::{color_mode::ColorMode, date_histogram::DateHistogram},
};

/// Columns of the screen for each one of the histogram.
const SCREEN_SHARE: u16 = 8;

impl App {
    /// The numbers of lines over time by the clocks of their authors, as wide as the legend has
    /// room for; `None` until the blame is complete.
    pub fn date_histogram(&self) -> Option<DateHistogram> {
        let is_shown = self.display.color_mode == ColorMode::Age;
        let view = self.view().filter(|view| is_shown && !view.is_running())?;
        let commits = view.commits().iter().zip(0..);
        let dates = commits.filter_map(|(commit, at)| {
            let metadata = commit.metadata.as_ref().ok()?;
            Some((
                metadata.author.date().shown_in_utc(),
                view.attribution.tally(at).lines,
            ))
        });
        DateHistogram::new(dates, (self.size.0 / SCREEN_SHARE).clamp(4, 30))
    }

    /// Starts a span at a column of the histogram, which is at column `x` of the screen. A span of
    /// only this column ends the restriction to it.
    pub(crate) fn press_date(&mut self, column: u16, x: u16) {
        let Some(histogram) = self.date_histogram() else {
            return;
        };
        let dates = histogram.days(column.into(), column.into());
        let was_chosen = self.display.filter.dates == dates;
        self.display.filter.dates = dates.filter(|_| !was_chosen);
        self.dragging = Some(Dragged::Dates { column, x });
    }

    /// Extends the span to column `to` of the screen.
    pub(crate) fn drag_dates(&mut self, column: u16, x: u16, to: u16) {
        if let Some(histogram) = self.date_histogram() {
            let other = (i32::from(column) + i32::from(to) - i32::from(x)).max(0);
            let other = usize::try_from(other).unwrap_or(0);
            self.display.filter.dates = histogram.days(column.into(), other);
        }
    }
}
