//! Which commits contain others.

pub mod first_containing;
pub(crate) mod read_ahead;
