//! Sets of ISO 2022, in which escape sequences choose between several sets.

use super::{
    Inconvertible, Result, is_tag,
    table::{CharsetTable, TableRef},
};

/// The sets that are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Iso2022Variant {
    /// ISO-2022-JP (RFC 1468).
    Japanese,
    /// ISO-2022-JP-2 (RFC 1554), which adds Chinese, Korean, Greek and Latin sets.
    Japanese2,
    /// ISO-2022-KR (RFC 1557).
    Korean,
}

const ESCAPE: u8 = 0x1b;
const SHIFT_OUT: u8 = 0x0e;
const SHIFT_IN: u8 = 0x0f;
const KOREAN_HEADER: &[u8] = b"\x1b$)C";
/// Precedes one character of the set that [`High`] names.
const SINGLE_SHIFT: &[u8] = b"\x1bN";
const YEN: u32 = 0xa5;
const OVERLINE: u32 = 0x203e;
const WON: u32 = 0x20a9;
/// Halfwidth katakana: the character of 0x21.
const KATAKANA: u32 = 0xff61;

/// A set that the following bytes are read in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    Ascii,
    /// JIS X 0201 Roman.
    Roman,
    /// JIS X 0201 Katakana.
    Katakana,
    Jisx0208,
    Jisx0212,
    Gb2312,
    Ksc5601,
}

/// A set of 96 characters, of which a [`SINGLE_SHIFT`] chooses one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum High {
    Latin,
    Greek,
}

/// The escape sequences of ISO-2022-JP; the first of a set is the one that is written.
const JAPANESE: &[(&[u8], Set)] = &[
    (b"\x1b(B", Set::Ascii),
    (b"\x1b(J", Set::Roman),
    (b"\x1b$B", Set::Jisx0208),
    (b"\x1b$@", Set::Jisx0208),
];
/// Those that ISO-2022-JP-2 adds.
const JAPANESE2: &[(&[u8], Set)] = &[
    (b"\x1b$(D", Set::Jisx0212),
    (b"\x1b$A", Set::Gb2312),
    (b"\x1b$(C", Set::Ksc5601),
    (b"\x1b(I", Set::Katakana),
];
const HIGH: &[(&[u8], High)] = &[(b"\x1b.A", High::Latin), (b"\x1b.F", High::Greek)];

/// The tables of the sets with two bytes, in EUC encodings.
struct Tables {
    japanese: &'static CharsetTable,
    chinese: &'static CharsetTable,
    korean: &'static CharsetTable,
    greek: &'static CharsetTable,
}

impl Tables {
    fn new() -> Result<Tables> {
        let table = |name: &str| {
            let (_, table) = TableRef::named(name.as_bytes()).ok_or(Inconvertible)?;
            Ok(table.get())
        };
        Ok(Tables {
            japanese: table("EUC-JP")?,
            chinese: table("EUC-CN")?,
            korean: table("EUC-KR")?,
            greek: table("ISO-8859-7")?,
        })
    }

    /// The character at the start of `text`, and its length.
    fn read(&self, set: Set, text: &[u8]) -> Result<(u32, usize)> {
        let first = *text.first().ok_or(Inconvertible)?;
        if first >= 0x80 {
            return Err(Inconvertible);
        }
        let table = match (set, first) {
            (_, 0..=0x20 | 0x7f) | (Set::Ascii, _) => return Ok((u32::from(first), 1)),
            (Set::Roman, b'\\') => return Ok((YEN, 1)),
            (Set::Roman, b'~') => return Ok((OVERLINE, 1)),
            (Set::Roman, _) => return Ok((u32::from(first), 1)),
            (Set::Katakana, 0x21..=0x5f) => return Ok((KATAKANA + u32::from(first) - 0x21, 1)),
            (Set::Katakana, _) => return Err(Inconvertible),
            (Set::Jisx0208 | Set::Jisx0212, _) => self.japanese,
            (Set::Gb2312, _) => self.chinese,
            (Set::Ksc5601, _) => self.korean,
        };
        let Some(second @ 0x21..=0x7e) = text.get(1) else {
            return Err(Inconvertible);
        };
        let pair = [first | 0x80, second | 0x80];
        let character = match set {
            Set::Jisx0212 => table.character(&[0x8f, pair[0], pair[1]]),
            _ => table.character(&pair),
        };
        Ok((character.ok_or(Inconvertible)?, 2))
    }

    /// Appends a character; `None` if the set lacks it.
    fn write(&self, set: Set, character: u32, out: &mut Vec<u8>) -> Option<()> {
        let single = match (set, character) {
            (Set::Roman, YEN) => Some(b'\\'),
            (Set::Roman, OVERLINE) => Some(b'~'),
            (Set::Roman, 0x5c | 0x7e) => None,
            (Set::Ascii | Set::Roman, 0..0x80) => Some(character as u8),
            (Set::Katakana, KATAKANA..=0xff9f) => Some((character - KATAKANA) as u8 + 0x21),
            _ => None,
        };
        if let Some(byte) = single {
            out.push(byte);
            return Some(());
        }
        let (table, len) = match set {
            Set::Ascii | Set::Roman | Set::Katakana => return None,
            // EUC-KR alone has it, in place of the fullwidth one.
            Set::Ksc5601 if character == WON => return None,
            Set::Jisx0208 => (self.japanese, 2),
            Set::Jisx0212 => (self.japanese, 3),
            Set::Gb2312 => (self.chinese, 2),
            Set::Ksc5601 => (self.korean, 2),
        };
        let sequence = table.sequence(character)?;
        let pair = match (len, sequence.as_slice()) {
            (3, &[0x8f, a, b]) => [a, b],
            (2, &[a @ 0xa1..=0xff, b]) => [a, b],
            _ => return None,
        };
        out.extend(pair.map(|byte| byte & 0x7f));
        Some(())
    }

    fn read_high(&self, set: High, byte: u8) -> Result<u32> {
        match set {
            High::Latin => Ok(u32::from(byte | 0x80)),
            High::Greek => self.greek.character(&[byte | 0x80]).ok_or(Inconvertible),
        }
    }

    fn write_high(&self, set: High, character: u32) -> Option<u8> {
        match set {
            High::Latin => u8::try_from(character).ok().filter(|&byte| byte >= 0x80),
            High::Greek => match self.greek.sequence(character)?.as_slice() {
                &[byte @ 0x80..=0xff] => Some(byte),
                _ => None,
            },
        }
        .map(|byte| byte & 0x7f)
    }
}

pub(super) fn read(variant: Iso2022Variant, text: &[u8]) -> Result<Vec<u32>> {
    match variant {
        Iso2022Variant::Japanese | Iso2022Variant::Japanese2 => read_japanese(variant, text),
        Iso2022Variant::Korean => read_korean(text),
    }
}

pub(super) fn write(variant: Iso2022Variant, characters: &[u32]) -> Result<Vec<u8>> {
    match variant {
        Iso2022Variant::Japanese | Iso2022Variant::Japanese2 => write_japanese(variant, characters),
        Iso2022Variant::Korean => write_korean(characters),
    }
}

/// The sets of a variant with their escape sequences, in the order in which they are tried.
fn sets(variant: Iso2022Variant) -> impl Iterator<Item = (&'static [u8], Set)> {
    let added = match variant {
        Iso2022Variant::Japanese2 => JAPANESE2,
        _ => &[],
    };
    JAPANESE.iter().chain(added).copied()
}

fn high_sets(variant: Iso2022Variant) -> impl Iterator<Item = (&'static [u8], High)> {
    let sets = match variant {
        Iso2022Variant::Japanese2 => HIGH,
        _ => &[],
    };
    sets.iter().copied()
}

fn read_japanese(variant: Iso2022Variant, text: &[u8]) -> Result<Vec<u32>> {
    let tables = Tables::new()?;
    let mut characters = Vec::with_capacity(text.len());
    let mut current = Set::Ascii;
    let mut high = None;
    let mut rest = text;
    while let [byte, others @ ..] = rest {
        if *byte == ESCAPE {
            if let [] | [_] | [b'$', b'('] = others {
                return Err(Inconvertible);
            }
            let chosen = sets(variant).find(|(escape, _)| rest.starts_with(escape));
            let chosen_high = high_sets(variant).find(|(escape, _)| rest.starts_with(escape));
            rest = match (chosen, chosen_high) {
                (Some((escape, set)), _) => {
                    current = set;
                    &rest[escape.len()..]
                }
                (None, Some((escape, set))) => {
                    high = Some(set);
                    &rest[escape.len()..]
                }
                (None, None) if variant == Iso2022Variant::Japanese2 && others[0] == b'N' => {
                    characters.push(tables.read_high(high.ok_or(Inconvertible)?, others[1])?);
                    &rest[SINGLE_SHIFT.len() + 1..]
                }
                (None, None) => {
                    characters.push(u32::from(ESCAPE));
                    others
                }
            };
            continue;
        }
        let (character, len) = tables.read(current, rest)?;
        characters.push(character);
        rest = &rest[len..];
    }
    Ok(characters)
}

fn write_japanese(variant: Iso2022Variant, characters: &[u32]) -> Result<Vec<u8>> {
    let tables = Tables::new()?;
    let mut out = Vec::with_capacity(characters.len());
    let mut current = Set::Ascii;
    let mut high = None;
    for &character in characters {
        if variant == Iso2022Variant::Japanese2 && is_tag(character) {
            continue;
        }
        let line_feed = character == u32::from(b'\n');
        let line_end = line_feed || character == u32::from(b'\r');
        if !line_end && tables.write(current, character, &mut out).is_some() {
            continue;
        }
        if let Some(set) = high
            && let Some(byte) = tables.write_high(set, character)
        {
            out.extend_from_slice(SINGLE_SHIFT);
            out.push(byte);
            continue;
        }
        let start = out.len();
        let mut choose = |(escape, set): (&[u8], Set)| {
            if set != current {
                out.extend_from_slice(escape);
            }
            let written = tables.write(set, character, &mut out);
            match written {
                Some(()) => current = set,
                None => out.truncate(start),
            }
            written.is_some()
        };
        let latin = |(_, set): &(&[u8], Set)| match set {
            Set::Gb2312 | Set::Ksc5601 | Set::Katakana => false,
            Set::Ascii | Set::Roman | Set::Jisx0208 | Set::Jisx0212 => true,
        };
        if !sets(variant).filter(latin).any(&mut choose) {
            let found = high_sets(variant)
                .find_map(|(escape, set)| Some((escape, set, tables.write_high(set, character)?)));
            match found {
                Some((escape, set, byte)) => {
                    high = Some(set);
                    out.extend_from_slice(escape);
                    out.extend_from_slice(SINGLE_SHIFT);
                    out.push(byte);
                }
                None if sets(variant).filter(|set| !latin(set)).any(&mut choose) => {}
                None => return Err(Inconvertible),
            }
        }
        if line_feed {
            high = None;
        }
    }
    Ok(out)
}

fn read_korean(text: &[u8]) -> Result<Vec<u32>> {
    let tables = Tables::new()?;
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
            SHIFT_OUT | SHIFT_IN => shifted = *byte == SHIFT_OUT,
            _ if shifted => {
                let (character, len) = tables.read(Set::Ksc5601, rest)?;
                if len == 1 {
                    return Err(Inconvertible);
                }
                characters.push(character);
                rest = &rest[len..];
                continue;
            }
            0x80.. => return Err(Inconvertible),
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
    let tables = Tables::new()?;
    let mut out = KOREAN_HEADER.to_vec();
    let mut shifted = false;
    for &character in characters {
        if is_tag(character) {
            continue;
        }
        let double = character >= 0x80;
        if shifted != double {
            shifted = double;
            out.push(if shifted { SHIFT_OUT } else { SHIFT_IN });
        }
        let set = if double { Set::Ksc5601 } else { Set::Ascii };
        tables
            .write(set, character, &mut out)
            .ok_or(Inconvertible)?;
    }
    Ok(out)
}
