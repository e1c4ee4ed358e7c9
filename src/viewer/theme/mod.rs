//! Themes: palettes, contrast, and the style of every part of the screen.

pub(crate) mod contrast;
pub(crate) mod hue_colors;
pub(crate) mod palette;
pub mod roles;
pub mod styles;
pub mod terminal_colors;
pub mod theme_set;
pub mod tint;
