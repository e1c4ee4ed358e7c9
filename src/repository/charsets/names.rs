//! The names of character sets.

use super::{
    Charset,
    table::TableRef,
    unicode::{Order, UnicodeForm},
};

/// How a character set is converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Unicode(UnicodeForm),
    Iso2022Jp,
    Table(TableRef),
}

/// The sets that are not tables.
const ALGORITHMIC: &[(&[&str], Method)] = &[
    (
        &[
            "UTF-8",
            "UTF8",
            "ISO-10646/UTF-8/",
            "ISO-10646/UTF8/",
            "ISO-IR-193",
            "OSF05010001",
        ],
        Method::Unicode(UnicodeForm::Utf8),
    ),
    (
        &["UTF-16", "UTF16"],
        Method::Unicode(UnicodeForm::Utf16(Order::Marked)),
    ),
    (
        &["UTF-16LE", "UTF16LE"],
        Method::Unicode(UnicodeForm::Utf16(Order::Little)),
    ),
    (
        &["UTF-16BE", "UTF16BE"],
        Method::Unicode(UnicodeForm::Utf16(Order::Big)),
    ),
    (
        &["UTF-32", "UTF32"],
        Method::Unicode(UnicodeForm::Utf32(Order::Marked)),
    ),
    (
        &["UTF-32LE", "UTF32LE"],
        Method::Unicode(UnicodeForm::Utf32(Order::Little)),
    ),
    (
        &["UTF-32BE", "UTF32BE"],
        Method::Unicode(UnicodeForm::Utf32(Order::Big)),
    ),
    (
        &["UNICODE", "CSUNICODE"],
        Method::Unicode(UnicodeForm::Ucs2(Order::Marked)),
    ),
    (
        &[
            "UCS-2",
            "UCS2",
            "UCS-2LE",
            "UNICODELITTLE",
            "ISO-10646/UCS2/",
            "OSF00010100",
            "OSF00010101",
            "OSF00010102",
        ],
        Method::Unicode(UnicodeForm::Ucs2(Order::Little)),
    ),
    (
        &["UCS-2BE", "UNICODEBIG"],
        Method::Unicode(UnicodeForm::Ucs2(Order::Big)),
    ),
    (
        &[
            "UCS-4",
            "UCS4",
            "UCS-4BE",
            "CSUCS4",
            "ISO-10646",
            "ISO-10646/UCS4/",
            "10646-1:1993",
            "10646-1:1993/UCS4/",
            "OSF00010104",
            "OSF00010105",
            "OSF00010106",
        ],
        Method::Unicode(UnicodeForm::Ucs4(Order::Big)),
    ),
    (
        &["UCS-4LE", "WCHAR_T"],
        Method::Unicode(UnicodeForm::Ucs4(Order::Little)),
    ),
    (
        &["ISO-2022-JP", "ISO2022JP", "CSISO2022JP"],
        Method::Iso2022Jp,
    ),
];

/// The character set with this name as iconv understands it: in any case, with most punctuation
/// ignored, and with or without slashes at the end and what follows the second one.
pub(super) fn find(name: &[u8]) -> Option<Charset> {
    let name = normalized(name);
    let name = match name.as_slice() {
        b"" => locale_charset(),
        name => name,
    };
    let listed = ALGORITHMIC.iter().find_map(|(names, method)| {
        let found = names.iter().find(|other| other.as_bytes() == name);
        Some((*found?, *method))
    });
    let (name, method) = listed.or_else(|| {
        let (name, table) = TableRef::named(name)?;
        Some((name, Method::Table(table)))
    })?;
    Some(Charset { name, method })
}

/// In upper case, without ignored characters; `A/B/` for a set B of a family A, else without
/// slashes.
fn normalized(name: &[u8]) -> Vec<u8> {
    let counts = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-/.,:".contains(byte);
    let name: Vec<u8> = name.iter().filter(|byte| counts(byte)).copied().collect();
    let mut parts = name.split(|&byte| byte == b'/');
    let family = parts.next().unwrap_or_default().to_ascii_uppercase();
    match parts.next() {
        None | Some(b"") => family,
        Some(set) => [&family, &b"/"[..], &set.to_ascii_uppercase(), b"/"].concat(),
    }
}

/// The set that the empty name stands for.
fn locale_charset() -> &'static [u8] {
    if is_utf8_locale() {
        b"UTF-8"
    } else {
        b"ANSI_X3.4-1968"
    }
}

/// True if the C library's locale uses UTF-8: the part of its name between `.` and `@`.
pub(crate) fn is_utf8_locale() -> bool {
    let set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let variable = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find(set);
    let locale = variable.and_then(std::env::var_os).unwrap_or_default();
    let locale = locale.to_string_lossy().to_ascii_lowercase();
    let set = locale.split_once('.').map_or("", |(_, rest)| rest);
    matches!(set.split('@').next(), Some("utf-8" | "utf8"))
}
