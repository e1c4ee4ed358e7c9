//! The encoding of displayed text. It does not affect the blame: lines are split before conversion.

use std::{convert::Infallible, sync::Arc};

use crate::{
    repository::commits::encoding::ContentEncoding,
    viewer::model::{
        background::query::{AnswerTaker, Answers, Query},
        file_version::Failure,
        keys::key::{Key, KeyCode},
        texts::text::{SharedText, Text},
    },
};

/// The encoding of a file's contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8; invalid bytes are displayed as escapes.
    Utf8,
    /// An encoding that is converted to UTF-8.
    Charset(ContentEncoding),
    /// A hex dump: every byte as two digits, then the printable characters.
    Hex,
}

/// Names for completion, most common first.
const COMMON: &[&str] = &[
    "auto",
    "UTF-8",
    "ISO-8859-1",
    "windows-1252",
    "ISO-8859-15",
    "ISO-8859-2",
    "windows-1251",
    "KOI8-R",
    "Shift_JIS",
    "EUC-JP",
    "ISO-2022-JP",
    "GB18030",
    "Big5",
    "EUC-KR",
    "UTF-16LE",
    "UTF-16BE",
    "UTF-32LE",
    "hex",
];

impl Encoding {
    /// Looks up an encoding by its label.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim();
        let is = |other: &[&str]| other.iter().any(|other| name.eq_ignore_ascii_case(other));
        if is(&["utf-8", "utf8"]) {
            return Some(Encoding::Utf8);
        }
        if is(&["hex"]) {
            return Some(Encoding::Hex);
        }
        ContentEncoding::named(name).map(Encoding::Charset)
    }

    /// The name of the encoding.
    pub fn name(self) -> String {
        match self {
            Encoding::Utf8 => "UTF-8".to_owned(),
            Encoding::Hex => "bytes".to_owned(),
            Encoding::Charset(charset) => charset.name(),
        }
    }

    /// Detects the encoding from a byte order mark.
    pub(crate) fn detect(text: &Text) -> Self {
        ContentEncoding::marked(text.bytes()).map_or(Encoding::Utf8, Encoding::Charset)
    }

    /// Converts a file for display.
    pub fn convert(self, text: &Arc<Text>) -> Arc<Text> {
        match self {
            Encoding::Utf8 => text.clone(),
            Encoding::Hex => Arc::new(text.converted(|line, _, out| hex(line, out))),
            Encoding::Charset(charset) => {
                Arc::new(text.converted(|line, at, out| charset.read_line(line, at, out)))
            }
        }
    }
}

/// `68 6f 00 ff  ho..`
fn hex(line: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in line {
        let digits = [byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)]);
        out.extend([digits[0], digits[1], b' ']);
    }
    out.push(b' ');
    let shown = |byte: &u8| match byte {
        b' '..=b'~' => *byte,
        _ => b'.',
    };
    out.extend(line.iter().map(shown));
}

/// Largest file, in bytes, that is converted on the UI thread.
pub(crate) const SMALL: usize = 1 << 18;

/// A query for a file in another encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversionQuery {
    /// The encoding of the bytes.
    pub encoding: Encoding,
    /// The bytes.
    pub file: SharedText,
}

impl Query for ConversionQuery {
    type Item = Infallible;
    type End = Arc<Text>;
}

/// Converts files, for which it needs no repository.
#[derive(Debug, Clone, Copy)]
pub struct EncodingConverter;

impl Answers<ConversionQuery> for EncodingConverter {
    fn run(
        &mut self,
        query: &ConversionQuery,
        _: AnswerTaker<'_, ConversionQuery>,
    ) -> Result<Arc<Text>, Failure> {
        Ok(query.encoding.convert(&query.file.0))
    }
}

/// The text in the chosen encoding, or in the detected one.
pub(crate) fn shown(text: &Arc<Text>, chosen: Option<Encoding>) -> Arc<Text> {
    chosen
        .unwrap_or_else(|| Encoding::detect(text))
        .convert(text)
}

/// Completes the typed name with the next common one. Returns false if the key is none of Tab,
/// BackTab, Up and Down.
pub(crate) fn complete(key: Key, typed: &mut String) -> bool {
    let step = match key.code {
        KeyCode::Tab | KeyCode::Down => 1,
        KeyCode::BackTab | KeyCode::Up => COMMON.len() - 1,
        _ => return false,
    };
    let at = COMMON.iter().position(|name| name == typed);
    let next = match at {
        Some(at) => (at + step) % COMMON.len(),
        None => {
            let begins = |name: &&str| {
                let (name, typed) = (name.to_ascii_lowercase(), typed.to_ascii_lowercase());
                name.starts_with(&typed)
            };
            COMMON.iter().position(begins).unwrap_or(0)
        }
    };
    *typed = COMMON[next].to_owned();
    true
}
