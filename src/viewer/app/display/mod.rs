//! Layout, encoding and syntax colors of what is shown, and the window onto it.

pub(crate) mod encoding_display;
pub mod highlight_cache;
pub mod layout;
pub mod pager;
pub mod rows;
pub(crate) mod tab_width;
