//! Interned commits and the orders in which they are visited.

pub(crate) mod children;
pub(crate) mod commits;
pub(crate) mod listing;
pub(crate) mod queue;
