//! Teaching the keys by the tour and the key hints.

pub(crate) mod hint_actions;
pub mod hints;
mod text_hints;
pub mod tour;
pub(crate) mod tour_steps;
