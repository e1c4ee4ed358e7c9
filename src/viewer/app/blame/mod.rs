//! The blame view: rows, motion, search, and steps through history.

pub mod kept_views;
pub(crate) mod line_selection;
pub(crate) mod marks;
mod merge_parents;
pub(crate) mod merge_step;
pub(crate) mod motion;
pub mod navigation;
pub(crate) mod options;
pub mod peel;
mod peel_actions;
pub(crate) mod places;
pub(crate) mod refusals;
pub(crate) mod reload;
mod request_groups;
mod returning;
pub mod search;
pub(crate) mod search_actions;
pub(crate) mod staged;
pub mod view;
