//! The overlays: components above the blame view that receive input first.

pub mod column_chooser;
pub mod finder;
pub(crate) mod finder_actions;
pub mod help;
pub mod help_page;
pub(crate) mod list_actions;
pub mod overlay;
pub mod prompt;
pub(crate) mod prompt_actions;
pub mod question;
pub(crate) mod question_actions;
pub(crate) mod theme_actions;
pub mod theme_chooser;
