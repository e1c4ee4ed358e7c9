//! Abbreviated ids.

/// An abbreviated id for display.
pub fn short(id: &crate::objects::oid) -> String {
    id.to_hex_with_len(8).to_string()
}

/// The same, or the word for what is not committed.
pub fn short_or_uncommitted(id: &crate::objects::oid) -> String {
    if id.is_null() {
        "uncommitted".to_owned()
    } else {
        short(id)
    }
}
