//! What opens over a view: choosers, finder, help, tour.

pub mod column_chooser;
pub mod finder;
pub mod help;
pub mod hints;
pub mod profile_page;
pub mod theme_chooser;
pub mod tour;
