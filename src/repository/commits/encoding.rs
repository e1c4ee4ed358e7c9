//! Conversion of commit texts and of file lines between character encodings.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};

use crate::repository::charsets;

/// How an encoding is implemented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EncodingKind {
    Wide(WideUnits),
    Other(charsets::Charset),
}

/// UTF-16 or UTF-32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WideUnits {
    /// Bytes per code unit: 2 or 4.
    bytes: usize,
    big_endian: bool,
    /// A byte order mark comes first.
    marked: bool,
}

/// The encoding if this is the name of UTF-16 or UTF-32.
fn wide(name: &str) -> Option<WideUnits> {
    let (bytes, rest) = match name.strip_prefix("UTF-")?.split_at_checked(2)? {
        ("16", rest) => (2, rest),
        ("32", rest) => (4, rest),
        _ => return None,
    };
    let (big_endian, marked) = match rest {
        "" => (false, true),
        "LE" => (false, false),
        "BE" => (true, false),
        _ => return None,
    };
    Some(WideUnits {
        bytes,
        big_endian,
        marked,
    })
}

/// The character set that git means by this name; `None` if it is unknown.
fn charset(name: &BStr) -> Option<charsets::Charset> {
    let other = name.eq_ignore_ascii_case(b"latin-1");
    charsets::Charset::named(if other { b"ISO-8859-1" } else { name })
}

/// A character encoding of a file's contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentEncoding(EncodingKind);

impl ContentEncoding {
    /// The encoding with this name, or `None` if it is unknown.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim();
        if name.is_empty() {
            return None;
        }
        let charset = charset(name.into())?;
        let wide = wide(
            &charset
                .name()
                .replace("UTF1", "UTF-1")
                .replace("UTF3", "UTF-3"),
        );
        Some(ContentEncoding(match wide {
            Some(wide) => EncodingKind::Wide(wide),
            None => EncodingKind::Other(charset),
        }))
    }

    /// UTF-16 or UTF-32 by the file's byte order mark.
    pub fn marked(file: &[u8]) -> Option<Self> {
        let (bytes, big_endian) = match file {
            [0xff, 0xfe, 0, 0, ..] => (4, false),
            [0, 0, 0xfe, 0xff, ..] => (4, true),
            [0xff, 0xfe, ..] => (2, false),
            [0xfe, 0xff, ..] => (2, true),
            _ => return None,
        };
        Some(ContentEncoding(EncodingKind::Wide(WideUnits {
            bytes,
            big_endian,
            marked: false,
        })))
    }

    /// Its name.
    pub fn name(self) -> String {
        match self.0 {
            EncodingKind::Other(charset) => charset.name().to_owned(),
            EncodingKind::Wide(wide) => {
                let order = match (wide.marked, wide.big_endian) {
                    (true, _) => "",
                    (false, true) => "BE",
                    (false, false) => "LE",
                };
                format!("UTF-{}{order}", wide.bytes * 8)
            }
        }
    }

    /// Appends a line of a file (without its newline) to `out` in UTF-8, invalid sequences as
    /// U+FFFD; UTF-8 is copied unchecked. `offset` is the byte offset of the line in the file: git
    /// splits lines at the byte `\n`, which may be the middle of a code unit.
    pub fn read_line(self, line: &[u8], offset: usize, out: &mut Vec<u8>) {
        match self.0 {
            EncodingKind::Other(charset) if charset.is_utf8() => out.extend_from_slice(line),
            EncodingKind::Other(charset) => charset.read_lossy(line, out),
            EncodingKind::Wide(wide) => read_wide_line(line, offset, wide, out),
        }
    }
}

/// Code units are aligned to the start of the file; partial ones at either end are dropped.
fn read_wide_line(line: &[u8], offset: usize, wide: WideUnits, out: &mut Vec<u8>) {
    let skipped = (wide.bytes - offset % wide.bytes) % wide.bytes;
    let units = line.get(skipped..).unwrap_or_default();
    let units = units.chunks_exact(wide.bytes).map(|unit| {
        let add = |unit: u32, byte: &u8| unit << 8 | u32::from(*byte);
        if wide.big_endian {
            unit.iter().fold(0, add)
        } else {
            unit.iter().rev().fold(0, add)
        }
    });
    let mut push = |c: char| {
        let mut utf8 = [0; 4];
        // A byte order mark is not part of the text.
        if c != '\u{feff}' || offset > 0 {
            out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
        }
    };
    if wide.bytes == 2 {
        let decoded = char::decode_utf16(units.map(|unit| unit as u16));
        decoded.for_each(|c| push(c.unwrap_or('\u{fffd}')));
    } else {
        units.for_each(|unit| push(char::from_u32(unit).unwrap_or('\u{fffd}')));
    }
}

/// Converts `text` between encodings; returns it unchanged if any part cannot be converted or an
/// encoding is unknown.
pub fn convert<'a>(text: &'a [u8], from: &BStr, to: &BStr) -> Cow<'a, [u8]> {
    if is_same(from, to) {
        return Cow::Borrowed(text);
    }
    match reencode(text, from, to) {
        Some(converted) => Cow::Owned(converted),
        None => Cow::Borrowed(text),
    }
}

/// True if two names differ only in the spelling that git knows of: `UTF-8` and `utf8`.
pub fn is_same(a: &BStr, b: &BStr) -> bool {
    match (after_utf(a), after_utf(b)) {
        (Some(a), Some(b)) => a.eq_ignore_ascii_case(b),
        _ => a.eq_ignore_ascii_case(b),
    }
}

/// The rest of an encoding's name after `utf` or `utf-`, in any case.
pub fn after_utf(name: &BStr) -> Option<&BStr> {
    let (utf, rest) = name.split_at_checked(3)?;
    let rest = rest.strip_prefix(b"-").unwrap_or(rest);
    utf.eq_ignore_ascii_case(b"utf").then_some(rest.as_bstr())
}

/// Converts `text` between encodings as git does; `None` if any part cannot be converted or an
/// encoding is unknown.
pub fn reencode(text: &[u8], from: &BStr, to: &BStr) -> Option<Vec<u8>> {
    // Names that only git knows: with a byte order mark in a certain order. It is not required in
    // reading.
    let variant = |name| after_utf(name).map(|rest| rest.to_ascii_lowercase());
    let from = match variant(from).as_deref() {
        Some(b"16le-bom") => BStr::new("UTF-16"),
        _ => from,
    };
    let (mark, to): (&[u8], _) = match variant(to).as_deref() {
        Some(b"16le-bom") => (b"\xff\xfe", BStr::new("UTF-16LE")),
        Some(b"16be-bom") => (b"\xfe\xff", BStr::new("UTF-16BE")),
        _ => (b"", to),
    };
    let converted = charsets::convert(text, charset(from)?, charset(to)?).ok()?;
    Some([mark, &converted].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(text: &[u8], from: &str, to: &str) -> Vec<u8> {
        convert(text, from.into(), to.into()).into_owned()
    }

    #[test]
    fn lines_are_read_wherever_git_ends_them() {
        let read = |name: &str, file: &[u8]| {
            let charset = ContentEncoding::marked(file).or_else(|| ContentEncoding::named(name));
            let charset = charset.expect("an encoding");
            let mut lines = Vec::new();
            let mut offset = 0;
            for line in file.split(|&byte| byte == b'\n') {
                let mut text = Vec::new();
                charset.read_line(line, offset, &mut text);
                offset += line.len() + 1;
                lines.push(String::from_utf8(text).expect("UTF-8"));
            }
            lines
        };
        for (mark, big_endian) in [(&b"\xff\xfe"[..], false), (b"\xfe\xff", true)] {
            let mut file = mark.to_vec();
            for unit in "a\r\nß日\n𝄞".encode_utf16() {
                file.extend(if big_endian {
                    unit.to_be_bytes()
                } else {
                    unit.to_le_bytes()
                });
            }
            assert_eq!(read("", &file), ["a\r", "ß日", "𝄞"], "{big_endian}");
        }
        assert_eq!(read("latin1", b"\xfc\x80\na"), ["ü\u{80}", "a"]);
        assert_eq!(read("windows-1251", b"\xcf"), ["П"]);
        assert_eq!(read("EUC-JP", b"\xa4\xa2\xff"), ["あ\u{fffd}"]);
        assert_eq!(read("us-ascii", b"a\xe9"), ["a\u{fffd}"]);
        assert_eq!(ContentEncoding::named("no-such"), None);
        assert_eq!(
            ContentEncoding::named("utf-16").map(ContentEncoding::name),
            Some("UTF-16".to_owned())
        );
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
