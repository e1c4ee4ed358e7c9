//! Which commits contain others: are them, or have them among their ancestors.

pub mod first_containing;
mod read_ahead;
mod search;
mod trunk;
