//! Which lines stand out.

mod date_actions;
mod filter_actions;
