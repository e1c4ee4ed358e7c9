//! Percent-encoding.

use std::fmt::Write as _;

/// Bytes as a URL has them: percent-encoded, except those that are `kept`, in ASCII.
pub(crate) fn encoded(bytes: &[u8], kept: impl Fn(u8) -> bool) -> String {
    let mut text = String::new();
    for &byte in bytes {
        if kept(byte) {
            text.push(char::from(byte));
        } else {
            write!(text, "%{byte:02X}").ok();
        }
    }
    text
}
