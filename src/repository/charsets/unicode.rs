//! UTF-8, UTF-16, UTF-32 and their predecessors UCS-2 and UCS-4.

use super::{Inconvertible, Result, is_surrogate, is_tag};

/// How code points are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnicodeForm {
    Utf8,
    Utf16(Order),
    Utf32(Order),
    Ucs2(Order),
    Ucs4(Order),
}

/// The order of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
    /// By the byte order mark; without one, little-endian.
    Marked,
}

/// The last code point of Unicode.
const LAST: u32 = 0x10_ffff;
/// The last code that UTF-8 and UCS-4 could store when they were defined.
const LAST_UCS4: u32 = 0x7fff_ffff;
const MARK: u32 = 0xfeff;

impl UnicodeForm {
    fn order(self) -> Order {
        match self {
            UnicodeForm::Utf8 => Order::Big,
            UnicodeForm::Utf16(order)
            | UnicodeForm::Utf32(order)
            | UnicodeForm::Ucs2(order)
            | UnicodeForm::Ucs4(order) => order,
        }
    }
}

pub(super) fn read(format: UnicodeForm, text: &[u8]) -> Result<Vec<u32>> {
    match format {
        UnicodeForm::Utf8 => read_utf8(text),
        UnicodeForm::Utf16(order) => read_utf16(&units::<2>(order, text)?),
        UnicodeForm::Utf32(order) => checked(units::<4>(order, text)?, LAST),
        UnicodeForm::Ucs2(order) => checked(units::<2>(order, text)?, LAST),
        UnicodeForm::Ucs4(order) => checked_ucs4(units::<4>(order, text)?),
    }
}

/// The code units of a text, without a byte order mark that says their order.
fn units<const N: usize>(order: Order, text: &[u8]) -> Result<Vec<u32>> {
    let (units, []) = text.as_chunks::<N>() else {
        return Err(Inconvertible);
    };
    let big = |unit: &[u8; N]| unit.iter().fold(0, |n, &byte| n << 8 | u32::from(byte));
    let little = |unit: &[u8; N]| {
        unit.iter()
            .rev()
            .fold(0, |n, &byte| n << 8 | u32::from(byte))
    };
    Ok(match (order, units) {
        (Order::Marked, [mark, rest @ ..]) if little(mark) == MARK => {
            rest.iter().map(little).collect()
        }
        (Order::Marked, [mark, rest @ ..]) if big(mark) == MARK => rest.iter().map(big).collect(),
        (Order::Big, _) => units.iter().map(big).collect(),
        _ => units.iter().map(little).collect(),
    })
}

fn checked(codes: Vec<u32>, last: u32) -> Result<Vec<u32>> {
    let valid = codes
        .iter()
        .all(|&code| code <= last && !is_surrogate(code));
    valid.then_some(codes).ok_or(Inconvertible)
}

fn checked_ucs4(codes: Vec<u32>) -> Result<Vec<u32>> {
    let valid = codes.iter().all(|&code| code <= LAST_UCS4);
    valid.then_some(codes).ok_or(Inconvertible)
}

fn read_utf16(units: &[u32]) -> Result<Vec<u32>> {
    let mut characters = Vec::with_capacity(units.len());
    let mut rest = units;
    while let [first, others @ ..] = rest {
        rest = others;
        characters.push(match (*first, others) {
            (0xd800..0xdc00, [second @ 0xdc00..0xe000, others @ ..]) => {
                rest = others;
                0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)
            }
            (0xd800..0xe000, _) => return Err(Inconvertible),
            (unit, _) => unit,
        });
    }
    Ok(characters)
}

/// Sequences of up to six bytes, as UTF-8 was first defined.
fn read_utf8(text: &[u8]) -> Result<Vec<u32>> {
    let mut characters = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [lead, others @ ..] = rest {
        let (len, bits, least) = match *lead {
            0..0x80 => (0, u32::from(*lead), 0),
            0xc2..0xe0 => (1, u32::from(lead & 0x1f), 0x80),
            0xe0..0xf0 => (2, u32::from(lead & 0x0f), 0x800),
            0xf0..0xf8 => (3, u32::from(lead & 0x07), 0x1_0000),
            0xf8..0xfc => (4, u32::from(lead & 0x03), 0x20_0000),
            0xfc..0xfe => (5, u32::from(lead & 0x01), 0x400_0000),
            _ => return Err(Inconvertible),
        };
        let (trail, others) = others.split_at_checked(len).ok_or(Inconvertible)?;
        let code = trail.iter().try_fold(bits, |code, byte| match byte {
            0x80..0xc0 => Ok(code << 6 | u32::from(byte & 0x3f)),
            _ => Err(Inconvertible),
        })?;
        if code < least || is_surrogate(code) {
            return Err(Inconvertible);
        }
        characters.push(code);
        rest = others;
    }
    Ok(characters)
}

pub(super) fn write(format: UnicodeForm, characters: &[u32]) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(characters.len() * 2);
    let order = format.order();
    let mark = (order == Order::Marked && !characters.is_empty()).then_some(&MARK);
    for &code in mark.into_iter().chain(characters) {
        match format {
            UnicodeForm::Utf8 => push_utf8(code, &mut out)?,
            UnicodeForm::Ucs4(order) if code <= LAST_UCS4 => push::<4>(code, order, &mut out),
            _ if is_surrogate(code) || code > LAST => return Err(Inconvertible),
            UnicodeForm::Utf32(order) => push::<4>(code, order, &mut out),
            UnicodeForm::Utf16(order) if code >= 0x1_0000 => {
                let code = code - 0x1_0000;
                push::<2>(0xd800 + (code >> 10), order, &mut out);
                push::<2>(0xdc00 + (code & 0x3ff), order, &mut out);
            }
            UnicodeForm::Utf16(order) => push::<2>(code, order, &mut out),
            UnicodeForm::Ucs2(order) if code < 0x1_0000 => push::<2>(code, order, &mut out),
            UnicodeForm::Ucs2(_) if is_tag(code) => {}
            UnicodeForm::Ucs2(_) | UnicodeForm::Ucs4(_) => return Err(Inconvertible),
        }
    }
    Ok(out)
}

fn push<const N: usize>(unit: u32, order: Order, out: &mut Vec<u8>) {
    match order {
        Order::Big => out.extend_from_slice(&unit.to_be_bytes()[4 - N..]),
        Order::Little | Order::Marked => out.extend_from_slice(&unit.to_le_bytes()[..N]),
    }
}

fn push_utf8(code: u32, out: &mut Vec<u8>) -> Result<()> {
    let (lead, trails) = match code {
        0..0x80 => (0, 0),
        _ if is_surrogate(code) => return Err(Inconvertible),
        0x80..0x800 => (0xc0, 1),
        0x800..0x1_0000 => (0xe0, 2),
        0x1_0000..0x20_0000 => (0xf0, 3),
        0x20_0000..0x400_0000 => (0xf8, 4),
        0x400_0000..=LAST_UCS4 => (0xfc, 5),
        _ => return Err(Inconvertible),
    };
    out.push(lead | (code >> (6 * trails)) as u8);
    let trail = |n: u32| 0x80 | (code >> (6 * n)) as u8 & 0x3f;
    out.extend((0..trails).rev().map(trail));
    Ok(())
}
