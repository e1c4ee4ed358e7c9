//! UTF-7 (RFC 2152), and its variant for the names of IMAP folders (RFC 3501).

use super::{
    Inconvertible, Result, is_surrogate,
    unicode::{self, Order, UnicodeForm},
};

/// The two variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Utf7Variant {
    Mail,
    Imap,
}

impl Utf7Variant {
    /// What begins a section in base 64.
    fn shift(self) -> u8 {
        match self {
            Utf7Variant::Mail => b'+',
            Utf7Variant::Imap => b'&',
        }
    }

    fn digit(self, byte: u8) -> Option<u32> {
        Some(u32::from(match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' if self == Utf7Variant::Mail => 63,
            b',' if self == Utf7Variant::Imap => 63,
            _ => return None,
        }))
    }

    fn byte(self, digit: u32) -> u8 {
        match (digit as u8 & 63, self) {
            (digit @ 0..26, _) => b'A' + digit,
            (digit @ 26..52, _) => b'a' + digit - 26,
            (digit @ 52..62, _) => b'0' + digit - 52,
            (62, _) => b'+',
            (_, Utf7Variant::Mail) => b'/',
            (_, Utf7Variant::Imap) => b',',
        }
    }

    /// Whether a byte may stand for itself in a text that is read.
    fn may_be_direct(self, byte: u8) -> bool {
        match self {
            Utf7Variant::Mail => match byte {
                b'\t' | b'\n' | b'\r' => true,
                b'+' | b'\\' | b'~' => false,
                _ => matches!(byte, b' '..=b'}'),
            },
            Utf7Variant::Imap => byte != b'&' && matches!(byte, b' '..=b'~'),
        }
    }

    /// Whether a character is written as itself.
    fn is_direct(self, character: u32) -> bool {
        let Ok(byte) = u8::try_from(character) else {
            return false;
        };
        match self {
            Utf7Variant::Mail => {
                byte.is_ascii_alphanumeric() || b"\t\n\r '(),-./:?".contains(&byte)
            }
            Utf7Variant::Imap => self.may_be_direct(byte),
        }
    }
}

pub(super) fn read(variant: Utf7Variant, text: &[u8]) -> Result<Vec<u32>> {
    let mut units = Vec::with_capacity(text.len() * 2);
    let mut rest = text;
    while let [byte, others @ ..] = rest {
        rest = others;
        if *byte == variant.shift() {
            rest = match others {
                [] => return Err(Inconvertible),
                [b'-', others @ ..] => {
                    units.push(u16::from(*byte));
                    others
                }
                _ => read_section(variant, others, &mut units)?,
            };
        } else if variant.may_be_direct(*byte) {
            units.push(u16::from(*byte));
        } else {
            return Err(Inconvertible);
        }
    }
    characters(&units)
}

/// Reads a section in base 64; returns what follows. What is missing at the end of the text is no
/// error.
fn read_section<'a>(
    variant: Utf7Variant,
    mut text: &'a [u8],
    units: &mut Vec<u16>,
) -> Result<&'a [u8]> {
    let (mut bits, mut count) = (0, 0);
    while let [byte, rest @ ..] = text {
        if let Some(digit) = variant.digit(*byte) {
            bits = bits << 6 | digit;
            count += 6;
            if count >= 16 {
                count -= 16;
                units.push((bits >> count) as u16);
                bits &= (1 << count) - 1;
            }
            // What follows the first half of a character must begin as a second half does.
            if is_half(units) && count >= 6 && bits >> (count - 6) != 0b11_0111 {
                return Err(Inconvertible);
            }
            text = rest;
            continue;
        }
        if count >= 6 || bits != 0 || is_half(units) {
            return Err(Inconvertible);
        }
        return match *byte {
            b'-' => Ok(rest),
            _ if variant == Utf7Variant::Imap => Err(Inconvertible),
            _ => Ok(text),
        };
    }
    // Half of a character at the end is left out, too.
    if is_half(units) {
        units.pop();
    }
    Ok(text)
}

/// Whether the last unit is the first half of a character.
fn is_half(units: &[u16]) -> bool {
    let last = units.last();
    last.is_some_and(|unit| (0xd800..0xdc00).contains(unit))
}

fn characters(units: &[u16]) -> Result<Vec<u32>> {
    char::decode_utf16(units.iter().copied())
        .map(|unit| unit.map(u32::from).map_err(|_| Inconvertible))
        .collect()
}

pub(super) fn write(variant: Utf7Variant, characters: &[u32]) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(characters.len());
    let mut shifted = false;
    let (mut bits, mut count) = (0_u32, 0);
    for &character in characters {
        if is_surrogate(character) {
            return Err(Inconvertible);
        }
        if variant.is_direct(character) {
            if shifted {
                if count > 0 {
                    out.push(variant.byte(bits << (6 - count)));
                }
                let digit = character == u32::from(b'-')
                    || variant.digit(character as u8).is_some()
                    || variant == Utf7Variant::Imap;
                if digit {
                    out.push(b'-');
                }
                (shifted, bits, count) = (false, 0, 0);
            }
            out.push(character as u8);
            continue;
        }
        if !shifted {
            out.push(variant.shift());
            if character == u32::from(variant.shift()) {
                out.push(b'-');
                continue;
            }
            shifted = true;
        } else if variant == Utf7Variant::Imap && character == u32::from(b'&') {
            if count > 0 {
                out.push(variant.byte(bits << (6 - count)));
            }
            out.extend_from_slice(b"-&-");
            (shifted, bits, count) = (false, 0, 0);
            continue;
        }
        let units = unicode::write(UnicodeForm::Utf16(Order::Big), &[character])?;
        for byte in units {
            bits = bits << 8 | u32::from(byte);
            count += 8;
            while count >= 6 {
                count -= 6;
                out.push(variant.byte(bits >> count));
            }
            bits &= (1 << count) - 1;
        }
    }
    Ok(out)
}
