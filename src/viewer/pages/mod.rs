//! What opens above the blame: one file for each page, with its state, its keys and its drawing, and what they have in common.

pub(crate) mod columns;
pub(crate) mod commit_row;
pub(crate) mod dates;
pub(crate) mod details;
pub(crate) mod diff;
pub(crate) mod dispatch;
pub(crate) mod file_history;
pub(crate) mod finder;
pub(crate) mod help;
pub(crate) mod line_history;
pub mod list;
pub(crate) mod mark_name;
pub mod page;
pub(crate) mod people;
pub(crate) mod prompt;
pub(crate) mod question;
pub(crate) mod themes;
