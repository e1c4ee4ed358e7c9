//! Drawing: reads the state, changes nothing.

pub(crate) mod ages;
pub(crate) mod changed_lines;
pub mod click_targets;
pub(crate) mod code;
pub(crate) mod color_mode;
pub(crate) mod details;
pub mod draw;
pub mod footer;
pub(crate) mod gutter;
pub(crate) mod header;
pub(crate) mod hyperlinks;
pub(crate) mod list;
pub mod paint;
pub(crate) mod status;
mod version_scale;
