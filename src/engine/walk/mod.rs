//! The walk through history, which passes lines from suspects to parents that have them.

pub(crate) mod cached;
pub(crate) mod children_first;
mod commit_places;
pub(crate) mod copies;
pub(crate) mod corrected_dates;
pub(crate) mod fetch_ahead;
pub(crate) mod ignored;
pub(crate) mod limit;
mod nearby_dates;
pub(crate) mod parents;
pub(crate) mod retained;
pub(crate) mod state;
pub(crate) mod texts;
pub(crate) mod traversal;
pub(crate) mod unchanged;
pub(crate) mod walk_cache;
