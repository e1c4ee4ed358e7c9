//! Conversion of commit texts between encodings, all or nothing.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};
use encoding_rs::Encoding;

/// An encoding by one of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// Bytes are the first 256 code points; the standard that browsers follow says otherwise.
    Latin1,
    Ascii,
    Other(&'static Encoding),
}

fn known(name: &BStr) -> Option<Known> {
    match name.to_ascii_lowercase().as_slice() {
        b"iso-8859-1" | b"iso8859-1" | b"iso_8859-1" | b"iso88591" | b"latin1" | b"latin-1"
        | b"l1" => Some(Known::Latin1),
        b"us-ascii" | b"ascii" => Some(Known::Ascii),
        lower => Encoding::for_label(lower).map(Known::Other),
    }
}

/// `text` converted from one encoding to another, as it is if that cannot be done wholly.
pub fn convert<'a>(text: &'a [u8], from: &BStr, to: &BStr) -> Cow<'a, [u8]> {
    if from.eq_ignore_ascii_case(to) {
        return Cow::Borrowed(text);
    }
    let (Some(from), Some(to)) = (known(from), known(to)) else {
        return Cow::Borrowed(text);
    };
    if from == to {
        return Cow::Borrowed(text);
    }
    match decode(text, from).and_then(|text| encode(&text, to)) {
        Some(converted) => Cow::Owned(converted),
        None => Cow::Borrowed(text),
    }
}

fn decode(text: &[u8], from: Known) -> Option<Cow<'_, str>> {
    match from {
        Known::Latin1 => Some(text.iter().map(|&byte| char::from(byte)).collect()),
        Known::Ascii => text.is_ascii().then(|| text.to_str_lossy()),
        Known::Other(encoding) => {
            encoding.decode_without_bom_handling_and_without_replacement(text)
        }
    }
}

fn encode(text: &str, to: Known) -> Option<Vec<u8>> {
    match to {
        Known::Latin1 => text.chars().map(|c| u8::try_from(c).ok()).collect(),
        Known::Ascii => text.is_ascii().then(|| text.as_bytes().to_vec()),
        Known::Other(encoding) => {
            let (bytes, used, unmappable) = encoding.encode(text);
            // UTF-16 cannot be written: another encoding is used in its place.
            (!unmappable && used == encoding).then(|| bytes.into_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(text: &[u8], from: &str, to: &str) -> Vec<u8> {
        convert(text, from.into(), to.into()).into_owned()
    }

    #[test]
    fn all_or_nothing() {
        assert_eq!(converted(b"\xfc", "latin1", "UTF-8"), "ü".as_bytes());
        assert_eq!(converted("ü".as_bytes(), "utf8", "ISO-8859-1"), b"\xfc");
        assert_eq!(
            converted("a€".as_bytes(), "utf-8", "latin1"),
            "a€".as_bytes()
        );
        assert_eq!(converted(b"\xff", "UTF-8", "latin1"), b"\xff");
        assert_eq!(converted(b"\xff", "UTF-8", "utf8"), b"\xff");
        assert_eq!(converted(b"\xfc", "no-such", "UTF-8"), b"\xfc");
        assert_eq!(
            converted(b"\x82\xa0", "Shift_JIS", "UTF-8"),
            "あ".as_bytes()
        );
    }
}
