//! Which lines stand out.

mod date_actions;
pub mod date_chooser;
mod filter_actions;
