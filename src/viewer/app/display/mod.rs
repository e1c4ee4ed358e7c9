//! Layout, encoding and syntax colors of what is shown.

pub(crate) mod encoding_display;
pub mod highlight_cache;
pub mod layout;
