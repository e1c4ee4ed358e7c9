//! What opens over a view: choosers, finder, help, tour.

pub mod column_chooser;
pub mod finder;
pub(crate) mod finder_actions;
pub mod help;
pub mod hints;
pub mod overlay;
pub mod profile_page;
pub mod prompt;
pub mod saved_settings;
pub(crate) mod settings_actions;
pub mod theme_chooser;
pub mod tour;
pub(crate) mod tour_steps;
