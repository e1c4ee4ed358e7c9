//! ISO-2022-JP (RFC 1468), in which escape sequences choose between several sets.

use super::{
    Inconvertible, Result,
    table::{CharsetTable, TableRef},
};

const ESCAPE: u8 = 0x1b;
const YEN: u32 = 0xa5;
const OVERLINE: u32 = 0x203e;

/// A set that the following bytes are read in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    Ascii,
    /// JIS X 0201 Roman.
    Roman,
    Jisx0208,
}

/// The escape sequences; the first of a set is the one that is written.
const SETS: [(&[u8], Set); 4] = [
    (b"\x1b(B", Set::Ascii),
    (b"\x1b(J", Set::Roman),
    (b"\x1b$B", Set::Jisx0208),
    (b"\x1b$@", Set::Jisx0208),
];

/// The table of JIS X 0208, in EUC-JP.
fn table() -> Result<&'static CharsetTable> {
    let (_, table) = TableRef::named(b"EUC-JP").ok_or(Inconvertible)?;
    Ok(table.get())
}

pub(super) fn read(text: &[u8]) -> Result<Vec<u32>> {
    let table = table()?;
    let mut characters = Vec::with_capacity(text.len());
    let mut current = Set::Ascii;
    let mut rest = text;
    while let [first, others @ ..] = rest {
        if *first == ESCAPE {
            // `ESC $ (` begins an escape sequence of other variants.
            if let [] | [_] | [b'$', b'('] = others {
                return Err(Inconvertible);
            }
            match SETS.iter().find(|(escape, _)| rest.starts_with(escape)) {
                Some((escape, set)) => {
                    current = *set;
                    rest = &rest[escape.len()..];
                }
                None => {
                    characters.push(u32::from(ESCAPE));
                    rest = others;
                }
            }
            continue;
        }
        let (character, len) = match (current, *first) {
            (_, 0x80..) => return Err(Inconvertible),
            (Set::Roman, b'\\') => (YEN, 1),
            (Set::Roman, b'~') => (OVERLINE, 1),
            (_, 0..=0x20 | 0x7f) | (Set::Ascii | Set::Roman, _) => (u32::from(*first), 1),
            (Set::Jisx0208, _) => {
                let Some(second @ 0x21..=0x7e) = others.first() else {
                    return Err(Inconvertible);
                };
                let character = table.character(&[first | 0x80, second | 0x80]);
                (character.ok_or(Inconvertible)?, 2)
            }
        };
        characters.push(character);
        rest = &rest[len..];
    }
    Ok(characters)
}

pub(super) fn write(characters: &[u32]) -> Result<Vec<u8>> {
    let table = table()?;
    let mut out = Vec::with_capacity(characters.len());
    let mut current = Set::Ascii;
    for &character in characters {
        let is_line_end = character == u32::from(b'\n') || character == u32::from(b'\r');
        // A line ends in ASCII.
        let tried = (!is_line_end).then_some((&b""[..], current));
        let mut sets = tried.into_iter().chain(SETS);
        let found =
            sets.find_map(|(escape, set)| Some((escape, set, bytes(set, character, table)?)));
        let (escape, set, bytes) = found.ok_or(Inconvertible)?;
        if set != current {
            out.extend_from_slice(escape);
            current = set;
        }
        out.extend_from_slice(&bytes);
    }
    Ok(out)
}

/// The bytes of a character; `None` if the set lacks it.
fn bytes(set: Set, character: u32, table: &CharsetTable) -> Option<Vec<u8>> {
    match (set, character) {
        (Set::Roman, YEN) => Some(vec![b'\\']),
        (Set::Roman, OVERLINE) => Some(vec![b'~']),
        (Set::Roman, 0x5c | 0x7e) => None,
        (Set::Ascii | Set::Roman, 0..0x80) => Some(vec![character as u8]),
        (Set::Ascii | Set::Roman, _) => None,
        (Set::Jisx0208, _) => match table.sequence(character)?.as_slice() {
            &[first @ 0xa1..=0xff, second] => Some(vec![first & 0x7f, second & 0x7f]),
            _ => None,
        },
    }
}
