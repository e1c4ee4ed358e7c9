//! Drawing: reads the state, changes nothing.

pub(crate) mod ages;
pub(crate) mod chooser;
pub mod click_targets;
pub(crate) mod code;
pub(crate) mod color_mode;
pub(crate) mod details;
pub(crate) mod diff;
pub mod draw;
pub(crate) mod file_history;
mod finder;
pub(crate) mod gutter;
pub(crate) mod header;
mod help;
mod line_history;
pub(crate) mod paint;
mod people;
pub(crate) mod status;
mod version_scale;
pub mod word_diff;
