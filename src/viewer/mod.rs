//! The terminal program: a blame that can be walked through.
//!
//! The state and all that changes it is in [`app`]; how it looks is in `ui` and [`theme`]. The
//! worker blames, the highlighter colours, each on a thread of its own; the event loop brings their
//! messages, the keys and the terminal together.

pub mod app;
pub mod dates;
pub mod highlight;
pub mod landing;
pub mod source;
pub mod theme;
pub mod ui;
pub mod worker;
