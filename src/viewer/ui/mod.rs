//! Drawing: reads the state, changes nothing.

pub(crate) mod ages;
pub mod click_targets;
pub(crate) mod code;
pub(crate) mod color_mode;
pub(crate) mod details;
pub(crate) mod diff;
pub mod draw;
mod finder;
pub(crate) mod gutter;
pub(crate) mod header;
mod help;
mod line_history;
mod list;
pub(crate) mod paint;
mod question;
pub(crate) mod status;
mod version_scale;
