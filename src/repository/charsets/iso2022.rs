//! Sets of ISO 2022, in which escape sequences choose between several sets.

use super::{
    Inconvertible, Result, is_tag,
    table::{Table, TableRef},
};

/// The sets that are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    /// ISO-2022-JP: ASCII, JIS X 0201 Roman, JIS X 0208.
    Japanese,
    /// ISO-2022-KR: ASCII, KS C 5601.
    Korean,
}

const ESCAPE: u8 = 0x1b;
const SHIFT_OUT: u8 = 0x0e;
const SHIFT_IN: u8 = 0x0f;
const KOREAN_HEADER: &[u8] = b"\x1b$)C";
const YEN: u32 = 0xa5;
const OVERLINE: u32 = 0x203e;

/// The set that the next bytes are read in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Current {
    Ascii,
    Roman,
    Double,
}

impl Current {
    fn escape(self) -> &'static [u8] {
        match self {
            Current::Ascii => b"\x1b(B",
            Current::Roman => b"\x1b(J",
            Current::Double => b"\x1b$B",
        }
    }
}

/// The character of two bytes with their highest bits unset, in the set's EUC encoding.
fn read_double(table: &Table, bytes: &[u8]) -> Result<u32> {
    let &[a @ 0x21..=0x7e, b @ 0x21..=0x7e, ..] = bytes else {
        return Err(Inconvertible);
    };
    table.character(&[a | 0x80, b | 0x80]).ok_or(Inconvertible)
}

/// Two bytes with their highest bits unset.
fn write_double(table: &Table, character: u32) -> Option<[u8; 2]> {
    let code = table.code_of(character)?;
    let [a @ 0xa1..=0xfe, b @ 0xa1..=0xfe] = code.to_be_bytes().last_chunk().copied()? else {
        return None;
    };
    (code < 0x1_0000).then_some([a & 0x7f, b & 0x7f])
}

fn table(name: &str) -> Result<&'static Table> {
    let (_, table) = TableRef::named(name.as_bytes()).ok_or(Inconvertible)?;
    Ok(table.get())
}

pub(super) fn read(variant: Variant, text: &[u8]) -> Result<Vec<u32>> {
    match variant {
        Variant::Japanese => read_japanese(text),
        Variant::Korean => read_korean(text),
    }
}

pub(super) fn write(variant: Variant, characters: &[u32]) -> Result<Vec<u8>> {
    match variant {
        Variant::Japanese => write_japanese(characters),
        Variant::Korean => write_korean(characters),
    }
}

fn read_japanese(text: &[u8]) -> Result<Vec<u32>> {
    let table = table("EUC-JP")?;
    let mut characters = Vec::with_capacity(text.len());
    let mut current = Current::Ascii;
    let mut rest = text;
    while let [byte, others @ ..] = rest {
        if *byte == ESCAPE {
            let (set, len) = match others {
                [b'(', b'B', ..] => (Some(Current::Ascii), 3),
                [b'(', b'J', ..] => (Some(Current::Roman), 3),
                [b'$', b'@' | b'B', ..] => (Some(Current::Double), 3),
                [] | [_] | [b'$', b'('] => return Err(Inconvertible),
                _ => (None, 1),
            };
            match set {
                Some(set) => current = set,
                None => characters.push(u32::from(ESCAPE)),
            }
            rest = &rest[len..];
            continue;
        }
        let (character, len) = match (current, *byte) {
            (_, 0x80..) => return Err(Inconvertible),
            (_, 0..=0x20 | 0x7f) | (Current::Ascii, _) => (u32::from(*byte), 1),
            (Current::Roman, b'\\') => (YEN, 1),
            (Current::Roman, b'~') => (OVERLINE, 1),
            (Current::Roman, _) => (u32::from(*byte), 1),
            (Current::Double, _) => (read_double(table, rest)?, 2),
        };
        characters.push(character);
        rest = &rest[len..];
    }
    Ok(characters)
}

fn write_japanese(characters: &[u32]) -> Result<Vec<u8>> {
    let table = table("EUC-JP")?;
    let mut out = Vec::with_capacity(characters.len());
    let mut current = Current::Ascii;
    for &character in characters {
        if is_tag(character) {
            continue;
        }
        let single = |current: Current| match (current, character) {
            (Current::Roman, YEN) => Some(b'\\'),
            (Current::Roman, OVERLINE) => Some(b'~'),
            (Current::Roman, 0x5c | 0x7e) => None,
            (Current::Ascii | Current::Roman, 0..0x80) => Some(character as u8),
            _ => None,
        };
        let line_end = character == u32::from(b'\n') || character == u32::from(b'\r');
        let wanted = [current, Current::Ascii, Current::Roman];
        let wanted = wanted.iter().skip(usize::from(line_end));
        let found = wanted.copied().find_map(|set| Some((set, single(set)?)));
        let set = match found {
            Some((set, _)) => set,
            None => Current::Double,
        };
        if set != current {
            out.extend_from_slice(set.escape());
            current = set;
        }
        match found {
            Some((_, byte)) => out.push(byte),
            None => out.extend(write_double(table, character).ok_or(Inconvertible)?),
        }
    }
    Ok(out)
}

fn read_korean(text: &[u8]) -> Result<Vec<u32>> {
    let table = table("EUC-KR")?;
    let mut characters = Vec::with_capacity(text.len());
    let mut shifted = false;
    let mut rest = text;
    while let [byte, others @ ..] = rest {
        if let Some(others) = rest.strip_prefix(KOREAN_HEADER) {
            rest = others;
            continue;
        }
        match *byte {
            ESCAPE if KOREAN_HEADER.starts_with(rest) => return Err(Inconvertible),
            0x80.. => return Err(Inconvertible),
            SHIFT_OUT | SHIFT_IN => shifted = *byte == SHIFT_OUT,
            _ if shifted && *byte != ESCAPE => {
                characters.push(read_double(table, rest)?);
                rest = &rest[2..];
                continue;
            }
            _ => characters.push(u32::from(*byte)),
        }
        rest = others;
    }
    Ok(characters)
}

fn write_korean(characters: &[u32]) -> Result<Vec<u8>> {
    if characters.is_empty() {
        return Ok(Vec::new());
    }
    let table = table("EUC-KR")?;
    let mut out = KOREAN_HEADER.to_vec();
    let mut shifted = false;
    for &character in characters {
        if is_tag(character) {
            continue;
        }
        let double = match character {
            0..0x80 => None,
            _ => Some(write_double(table, character).ok_or(Inconvertible)?),
        };
        if shifted != double.is_some() {
            shifted = double.is_some();
            out.push(if shifted { SHIFT_OUT } else { SHIFT_IN });
        }
        match double {
            Some(bytes) => out.extend(bytes),
            None => out.push(character as u8),
        }
    }
    Ok(out)
}
