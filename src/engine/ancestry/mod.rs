//! Which commits contain others.

pub mod first_containing;
mod read_ahead;
