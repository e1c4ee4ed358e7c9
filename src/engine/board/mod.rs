//! The scoreboard: which origins are suspected of which lines.

pub(crate) mod caches;
pub(crate) mod scoreboard;
pub(crate) mod split;
