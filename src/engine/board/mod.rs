//! The scoreboard, the splitting of its entries, and the caches kept between blames.

pub(crate) mod caches;
pub(crate) mod edited_entries;
pub(crate) mod scoreboard;
pub(crate) mod shared_work;
pub(crate) mod split;
