//! Choosing a span of dates in a list of the spans of the histogram, the oldest first.

use crate::viewer::{
    model::{
        color_mode::ColorMode, date_histogram::DateHistogram, line_filter::DateSpan, relative_dates,
    },
    pages::list::{ItemList, Items, KeyHelp, ListRow},
    theme::roles::Foreground,
};

/// Columns of the longest bar.
const BAR_COLUMNS: u64 = 12;

/// The keys of the choice.
const KEYS: &[KeyHelp] = &[
    ("Enter", "keep"),
    ("{close}  {choose-dates}", "return: to the span before"),
    ("Space", "span: begin it here, or end it"),
    ("{left}", "earlier"),
    ("{right}", "later"),
    ("{help}", "keys"),
];

/// The choice of a span in the histogram of dates.
#[derive(Debug, Clone)]
pub struct DateChooser {
    /// The list.
    pub list: ItemList,
    /// The item at which a span began.
    pub(crate) anchor: Option<usize>,
    /// What the choice began with: the span and the colors.
    pub(crate) before: (Option<DateSpan>, ColorMode),
}

/// The spans of the histogram as a list.
#[derive(Debug, Clone)]
pub(crate) struct DateRows<'a> {
    pub(crate) chooser: &'a DateChooser,
    pub(crate) histogram: Option<DateHistogram>,
}

impl Items for DateRows<'_> {
    fn count(&self) -> usize {
        let histogram = self.histogram.as_ref();
        histogram.map_or(0, |histogram| histogram.counts.len())
    }

    fn rows(&self, at: usize, _width: usize) -> Vec<ListRow> {
        let Some(histogram) = &self.histogram else {
            return Vec::new();
        };
        let count = histogram.counts.get(at).copied().unwrap_or(0);
        let most = histogram.counts.iter().copied().max().unwrap_or(0).max(1);
        let (anchor, selected) = (self.chooser.anchor, self.chooser.list.selected);
        let is_in_span = anchor
            .is_some_and(|anchor| (anchor.min(selected)..=anchor.max(selected)).contains(&at));
        let day = relative_dates::day(histogram.start(at), 0);
        let bar = "█".repeat((count * BAR_COLUMNS).div_ceil(most) as usize);
        let row = ListRow::new(if is_in_span { "·" } else { " " });
        vec![
            row.put(format!("{day} {bar}"), Foreground::Text)
                .right(format!("{count} ")),
        ]
    }

    fn title(&self) -> Option<String> {
        Some(" Dates".to_owned())
    }

    fn help(&self) -> (&'static str, &'static [KeyHelp]) {
        ("Dates", KEYS)
    }
}
