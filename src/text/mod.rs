//! Numbers, lines and words in bytes.

pub(crate) mod base64;
pub(crate) mod binary;
pub(crate) mod byte_codec;
pub(crate) mod c_quotes;
pub(crate) mod common_prefix;
pub(crate) mod decimal;
pub(crate) mod edit_distance;
pub(crate) mod json;
pub(crate) mod line_offsets;
pub(crate) mod percent;
pub(crate) mod shell_quotes;
pub(crate) mod thousands;
pub(crate) mod version_order;
