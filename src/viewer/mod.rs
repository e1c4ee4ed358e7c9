//! The terminal program: a blame that can be walked through.
//!
//! The state and all that changes it is in [`app`]; how it looks is in `ui` and [`theme`]. The
//! worker blames, the highlighter colours, each on a thread of its own; the event loop brings their
//! messages, the keys and the terminal together.

pub mod app;
pub mod config;
pub mod event_loop;
pub mod model;
pub mod protocol;
pub mod repository;
pub mod start;
pub mod tasks;
pub mod terminal;
pub mod theme;
pub mod ui;

pub use start::run;
