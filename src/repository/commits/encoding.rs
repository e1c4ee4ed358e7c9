//! Conversion of commit texts and of file lines between character encodings.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};
use encoding_rs::Encoding;

/// How an encoding is implemented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EncodingKind {
    /// ISO 8859-1 proper: the WHATWG standard, hence encoding_rs, maps the label to windows-1252.
    Latin1,
    Ascii,
    Wide(WideUnits),
    Other(&'static Encoding),
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

/// The encoding if `name`, in lower case, is one of UTF-16 or UTF-32.
fn wide(name: &[u8]) -> Option<WideUnits> {
    let digits: Vec<u8> = name
        .iter()
        .copied()
        .filter(|byte| !b"-_".contains(byte))
        .collect();
    let (bytes, rest) = match digits.strip_prefix(b"utf")? {
        [b'1', b'6', rest @ ..] => (2, rest),
        [b'3', b'2', rest @ ..] => (4, rest),
        _ => return None,
    };
    let (big_endian, marked) = match rest {
        b"" => (false, true),
        b"le" => (false, false),
        b"be" => (true, false),
        _ => return None,
    };
    Some(WideUnits {
        bytes,
        big_endian,
        marked,
    })
}

/// The encoding of this name, in any case; `None` if it is unknown.
fn by_name(name: &BStr) -> Option<EncodingKind> {
    match name.to_ascii_lowercase().as_slice() {
        b"iso-8859-1" | b"iso8859-1" | b"iso_8859-1" | b"iso88591" | b"latin1" | b"latin-1"
        | b"l1" => Some(EncodingKind::Latin1),
        b"us-ascii" | b"ascii" => Some(EncodingKind::Ascii),
        lower => match wide(lower) {
            Some(wide) => Some(EncodingKind::Wide(wide)),
            None => Encoding::for_label(lower).map(EncodingKind::Other),
        },
    }
}

/// A character encoding of a file's contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charset(EncodingKind);

impl Charset {
    /// The encoding with this name, or `None` if it is unknown.
    pub fn named(name: &str) -> Option<Self> {
        by_name(name.trim().into()).map(Charset)
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
        Some(Charset(EncodingKind::Wide(WideUnits {
            bytes,
            big_endian,
            marked: false,
        })))
    }

    /// Its name.
    pub fn name(self) -> String {
        match self.0 {
            EncodingKind::Latin1 => "ISO-8859-1".to_owned(),
            EncodingKind::Ascii => "US-ASCII".to_owned(),
            EncodingKind::Other(encoding) => encoding.name().to_owned(),
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

    /// Appends a line of a file (without its newline) to `out` in UTF-8, invalid sequences as U+FFFD;
    /// UTF-8 is copied unchecked. `offset` is the byte offset of the line in the file: git splits
    /// lines at the byte `\n`, which may be the middle of a code unit.
    pub fn read_line(self, line: &[u8], offset: usize, out: &mut Vec<u8>) {
        match self.0 {
            EncodingKind::Other(encoding) if encoding == encoding_rs::UTF_8 => {
                out.extend_from_slice(line);
            }
            EncodingKind::Other(encoding) => {
                let (text, _) = encoding.decode_without_bom_handling(line);
                out.extend_from_slice(text.as_bytes());
            }
            EncodingKind::Latin1 => {
                for &byte in line {
                    let mut utf8 = [0; 4];
                    out.extend_from_slice(char::from(byte).encode_utf8(&mut utf8).as_bytes());
                }
            }
            EncodingKind::Ascii => {
                for &byte in line {
                    match byte.is_ascii() {
                        true => out.push(byte),
                        false => out.extend_from_slice("\u{fffd}".as_bytes()),
                    }
                }
            }
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
        match wide.big_endian {
            true => unit.iter().fold(0, add),
            false => unit.iter().rev().fold(0, add),
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
    if from.eq_ignore_ascii_case(to) {
        return Cow::Borrowed(text);
    }
    let (Some(from), Some(to)) = (by_name(from), by_name(to)) else {
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

fn decode(text: &[u8], from: EncodingKind) -> Option<Cow<'_, str>> {
    match from {
        EncodingKind::Latin1 => Some(text.iter().map(|&byte| char::from(byte)).collect()),
        EncodingKind::Ascii => text.is_ascii().then(|| text.to_str_lossy()),
        EncodingKind::Wide(wide) => decode_wide(text, wide).map(Cow::Owned),
        EncodingKind::Other(encoding) => {
            encoding.decode_without_bom_handling_and_without_replacement(text)
        }
    }
}

fn encode(text: &str, to: EncodingKind) -> Option<Vec<u8>> {
    match to {
        EncodingKind::Latin1 => text.chars().map(|c| u8::try_from(c).ok()).collect(),
        EncodingKind::Ascii => text.is_ascii().then(|| text.as_bytes().to_vec()),
        EncodingKind::Wide(wide) => Some(encode_wide(text, wide)),
        EncodingKind::Other(encoding) => {
            let (bytes, used, unmappable) = encoding.encode(text);
            // encoding_rs substitutes another encoding for those it cannot write.
            (!unmappable && used == encoding).then(|| bytes.into_owned())
        }
    }
}

/// Without a byte order mark, little-endian, as iconv does on little-endian machines.
fn decode_wide(text: &[u8], wide: WideUnits) -> Option<String> {
    let (big_endian, text) = match (wide.marked, wide.bytes, text) {
        (true, 2, [0xff, 0xfe, rest @ ..]) => (false, rest),
        (true, 2, [0xfe, 0xff, rest @ ..]) => (true, rest),
        (true, 4, [0xff, 0xfe, 0, 0, rest @ ..]) => (false, rest),
        (true, 4, [0, 0, 0xfe, 0xff, rest @ ..]) => (true, rest),
        _ => (wide.big_endian, text),
    };
    let units = text.chunks_exact(wide.bytes);
    if !units.remainder().is_empty() {
        return None;
    }
    let add = |unit: u32, byte: &u8| unit << 8 | u32::from(*byte);
    let units = units.map(|unit| match big_endian {
        true => unit.iter().fold(0, add),
        false => unit.iter().rev().fold(0, add),
    });
    match wide.bytes {
        2 => char::decode_utf16(units.map(|unit| unit as u16))
            .collect::<Result<_, _>>()
            .ok(),
        _ => units.map(char::from_u32).collect(),
    }
}

fn encode_wide(text: &str, wide: WideUnits) -> Vec<u8> {
    let mark = wide.marked.then_some('\u{feff}');
    let mut bytes = Vec::with_capacity(text.len() * wide.bytes);
    for c in mark.into_iter().chain(text.chars()) {
        let mut units = [0; 2];
        let units: &[u32] = match wide.bytes {
            2 => {
                let mut halves = [0; 2];
                let count = c.encode_utf16(&mut halves).len();
                units = halves.map(u32::from);
                &units[..count]
            }
            _ => {
                units[0] = u32::from(c);
                &units[..1]
            }
        };
        for unit in units {
            match wide.big_endian {
                true => bytes.extend_from_slice(&unit.to_be_bytes()[4 - wide.bytes..]),
                false => bytes.extend_from_slice(&unit.to_le_bytes()[..wide.bytes]),
            }
        }
    }
    bytes
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
            let charset = Charset::marked(file).or_else(|| Charset::named(name));
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
                file.extend(match big_endian {
                    true => unit.to_be_bytes(),
                    false => unit.to_le_bytes(),
                });
            }
            assert_eq!(read("", &file), ["a\r", "ß日", "𝄞"], "{big_endian}");
        }
        assert_eq!(read("latin1", b"\xfc\x80\na"), ["ü\u{80}", "a"]);
        assert_eq!(read("windows-1251", b"\xcf"), ["П"]);
        assert_eq!(read("EUC-JP", b"\xa4\xa2\xff"), ["あ\u{fffd}"]);
        assert_eq!(read("us-ascii", b"a\xe9"), ["a\u{fffd}"]);
        assert_eq!(Charset::named("no-such"), None);
        assert_eq!(
            Charset::named("utf-16").map(Charset::name),
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
