//! The page with the history of lines.

mod line_history_actions;
pub mod line_history_page;
