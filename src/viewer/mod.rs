//! The terminal viewer: a blame in which the user moves through the file and its history.
//!
//! `app` holds the state and everything that changes it, `ui` and `theme` draw it, and `tasks` run in
//! the background, each on a thread of its own. `event_loop` passes input and the results of tasks to the
//! state as messages, and runs the effects that the state returns.

pub mod app;
pub mod config;
pub mod event_loop;
mod frame_schedule;
pub mod model;
pub mod protocol;
pub mod repository;
pub mod start;
pub mod tasks;
pub mod terminal;
pub mod theme;
pub mod ui;

pub use start::run;
