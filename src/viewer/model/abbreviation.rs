//! Abbreviated ids.

/// An abbreviated id for display.
pub fn short(id: &crate::objects::oid) -> String {
    id.to_hex_with_len(8).to_string()
}
