//! The state of the help page.

use crate::viewer::app::{blame::search::Search, pager::Pager};

/// The state of the help page.
#[derive(Debug, Clone, Default)]
pub struct HelpPage {
    /// The window.
    pub pager: Pager,
    /// The last search.
    pub search: Option<Search>,
    /// The row that it found.
    pub(crate) selected_match: Option<u32>,
}
