//! The terminal interface.
//!
//! [`app`] holds the state and changes it in response to messages ([`protocol`]). [`ui`] and
//! [`theme`] draw it. [`pages`] has what opens above the blame, and how that is drawn. [`tasks`]
//! run blames, diffs and queries on threads. [`event_loop`] connects them with the terminal.

pub mod app;
pub mod config;
pub mod event_loop;
pub mod external;
mod frame_schedule;
pub mod hint_history;
pub mod model;
pub mod pages;
pub mod protocol;
pub mod repository;
pub mod start;
pub mod tasks;
pub mod terminal;
pub mod theme;
pub mod ui;

pub use start::run;
