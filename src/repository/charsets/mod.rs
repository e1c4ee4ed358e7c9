//! Character sets and conversion between them, as glibc's `iconv` does it: the same names, the same
//! mappings, and the same texts refused. Most sets are tables in `assets/charsets`, which were
//! written by asking `iconv`; see `assets/charsets/generate.py`.

mod iso2022_jp;
mod names;
mod table;
mod unicode;

use names::Method;
pub(crate) use names::is_utf8_locale;

/// A character set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Charset {
    name: &'static str,
    method: Method,
}

/// A text is not valid in its character set, or has characters that another set lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inconvertible;

type Result<T> = std::result::Result<T, Inconvertible>;

impl Charset {
    /// The character set with this name, in any case; `None` if it is unknown.
    pub fn named(name: &[u8]) -> Option<Charset> {
        names::find(name)
    }

    /// The name it was found by, as iconv lists it.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// True if this is UTF-8.
    pub fn is_utf8(self) -> bool {
        self.method == Method::Unicode(unicode::UnicodeForm::Utf8)
    }

    /// The code points of `text`.
    ///
    /// As in git, which does not tell `iconv` that a text ends, a last character is lost if the
    /// next one could combine with it.
    fn read(self, text: &[u8]) -> Result<Vec<u32>> {
        match self.method {
            Method::Unicode(format) => unicode::read(format, text),
            Method::Iso2022Jp => iso2022_jp::read(text),
            Method::Table(table) => table.get().read(text),
        }
    }

    /// The bytes of `characters`, without those that would end the text.
    fn write(self, characters: &[u32]) -> Result<Vec<u8>> {
        match self.method {
            Method::Unicode(format) => unicode::write(format, characters),
            Method::Iso2022Jp => iso2022_jp::write(characters),
            Method::Table(table) => table.get().write(characters),
        }
    }

    /// Appends `text` to `out` in UTF-8, with U+FFFD for what is invalid.
    pub fn read_lossy(self, text: &[u8], out: &mut Vec<u8>) {
        let mut push = |character: u32| {
            let mut utf8 = [0; 4];
            let character = char::from_u32(character).unwrap_or('\u{fffd}');
            out.extend_from_slice(character.encode_utf8(&mut utf8).as_bytes());
        };
        let read = match self.method {
            Method::Table(table) => Ok(table.get().read_lossy(text)),
            _ => self.read(text),
        };
        match read {
            Ok(characters) => characters.into_iter().for_each(push),
            Err(Inconvertible) => text.iter().for_each(|&byte| {
                if byte.is_ascii() {
                    push(u32::from(byte))
                } else {
                    push(0xfffd)
                }
            }),
        }
    }
}

impl std::fmt::Debug for Charset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Converts `text` from one character set to another.
///
/// # Errors
///
/// If any part of it cannot be converted.
pub fn convert(text: &[u8], from: Charset, to: Charset) -> Result<Vec<u8>> {
    if let (Method::Table(_), Method::Table(_)) = (from.method, to.method) {
        let is = |set: Charset, name: &str| {
            let named = Charset::named(name.as_bytes());
            named.is_some_and(|named| named.method == set.method)
        };
        let is_chinese = |set| is(set, "GBK") || is(set, "BIG5");
        // Between these sets `iconv` does not go by way of characters.
        if is_chinese(from) && is(to, "EUC-CN") || is(from, "EUC-CN") && is_chinese(to) {
            return Err(Inconvertible);
        }
    }
    to.write(&from.read(text)?)
}

/// True if this is a surrogate, which is no character.
fn is_surrogate(code: u32) -> bool {
    (0xd800..0xe000).contains(&code)
}

/// True if this is a language tag character, which most sets leave out in writing.
fn is_tag(code: u32) -> bool {
    (0xe_0000..0xe_0080).contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text to which `iconv` converted `text`; `None` if it did not.
    fn converted(text: &[u8], from: &str, to: &str) -> Option<Vec<u8>> {
        let set = |name: &str| Charset::named(name.as_bytes()).expect("a known set");
        convert(text, set(from), set(to)).ok()
    }

    #[test]
    fn names_are_found_as_in_iconv() {
        let known = |name: &str| Charset::named(name.as_bytes()).is_some();
        for name in [
            "latin1",
            "LATIN1//",
            "latin1/",
            " latin 1",
            "l1//IGNORE",
            "eucJP",
            "850",
        ] {
            assert!(known(name), "{name}");
        }
        for name in ["latin-1", "latin1/x/", "UTF-16LE-BOM", "no-such", "lat,in1"] {
            assert!(!known(name), "{name}");
        }
        assert!(known("ISO-10646/UTF8/"));
    }

    #[test]
    fn every_kind_of_set_converts_in_both_directions() {
        for (name, text, bytes) in [
            ("ISO-8859-1", "\u{80}ü", &b"\x80\xfc"[..]),
            ("CP1252", "€", b"\x80"),
            ("EUC-JP", "日丂", b"\xc6\xfc\x8f\xb0\xa1"),
            ("CP932", "①", b"\x87\x40"),
            ("BIG5-HKSCS", "Ê\u{304}a", b"\x88\x62a"),
            ("GB18030", "😀", b"\x94\x39\xfc\x36"),
            ("EUC-TW", "丂", b"\x8e\xa4\xa1\xa6"),
            ("ISO-2022-JP", "日a", b"\x1b$BF|\x1b(Ba"),
            ("UTF-16", "a", b"\xff\xfea\0"),
            ("UTF-32BE", "a", b"\0\0\0a"),
        ] {
            assert_eq!(
                converted(text.as_bytes(), "UTF-8", name).as_deref(),
                Some(bytes),
                "{name}"
            );
            assert_eq!(
                converted(bytes, name, "UTF-8").as_deref(),
                Some(text.as_bytes()),
                "{name}"
            );
        }
    }

    #[test]
    fn a_last_character_that_could_combine_is_lost() {
        assert_eq!(converted(b"xa", "CP1258", "UTF-8"), Some(b"x".to_vec()));
        assert_eq!(converted(b"a\xcc", "CP1258", "UTF-8"), Some("à".into()));
        let mut text = Vec::new();
        let set = Charset::named(b"CP1258").expect("a known set");
        set.read_lossy(b"xa", &mut text);
        assert_eq!(text, b"xa");
    }

    #[test]
    fn every_table_can_be_read() {
        let mut tables = 0;
        while let Some(table) = table::TableRef::nth(tables) {
            let ascii = table.get().read_lossy(b"abc");
            assert!(!ascii.is_empty());
            tables += 1;
        }
        assert!(tables > 200, "{tables} tables");
    }
}
