//! Choosing a span of dates with keys.

use crate::viewer::model::{color_mode::ColorMode, line_filter::DateSpan};

/// The choice of a span in the histogram of dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateChooser {
    /// The column of the histogram at which one is.
    pub(crate) at: usize,
    /// The column at which a span began.
    pub(crate) anchor: Option<usize>,
    /// What the choice began with: the span and the colors.
    pub(crate) before: (Option<DateSpan>, ColorMode),
}
