//! Layout, encoding and syntax colours of what is shown.

pub(crate) mod encoding_display;
pub mod highlight_cache;
pub mod layout;
