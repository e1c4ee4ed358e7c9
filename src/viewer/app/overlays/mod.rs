//! The overlays: components above the blame view that receive input first.

pub mod finder;
pub(crate) mod finder_actions;
pub(crate) mod list_actions;
pub mod overlay;
pub mod prompt;
pub(crate) mod prompt_actions;
