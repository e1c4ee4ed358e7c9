//! Integers as C's `strtol` family and git's configuration parse them: blanks and one sign may come
//! first, and nothing may follow.

use std::num::IntErrorKind;

use bstr::{BStr, ByteSlice};

/// `strtol`: a decimal number, saturated where it is out of range.
pub(super) fn parse_i64(value: &BStr) -> Option<i64> {
    let (negative, digits) = split_sign(value)?;
    let magnitude = saturating(digits, 10)?;
    Some(apply_sign(negative, magnitude))
}

/// As [`parse_i64`], for numbers that are not negative.
pub(super) fn parse_u32(value: &BStr) -> Option<u32> {
    if value.contains(&b'-') {
        return None;
    }
    u32::try_from(parse_i64(value)?).ok()
}

/// `strtoul`: negative numbers wrap.
///
/// # Errors
///
/// [`IntErrorKind::PosOverflow`] for what 64 bits cannot hold, another kind for what is no number.
pub(super) fn parse_wrapping(value: &BStr) -> Result<u64, IntErrorKind> {
    let (negative, digits) = split_sign(value).ok_or(IntErrorKind::InvalidDigit)?;
    let magnitude: u64 = digits.parse().map_err(|err| kind(&err))?;
    Ok(if negative {
        magnitude.wrapping_neg()
    } else {
        magnitude
    })
}

/// An integer of git's configuration: decimal, octal (`0…`) or hexadecimal (`0x…`), with an optional
/// unit `k`, `m` or `g`.
pub(super) fn parse_scaled(value: &BStr) -> Option<i64> {
    let (negative, number) = split_sign(value)?;
    let (number, factor) = match number.as_bytes().last()?.to_ascii_lowercase() {
        b'k' => (&number[..number.len() - 1], 1 << 10),
        b'm' => (&number[..number.len() - 1], 1 << 20),
        b'g' => (&number[..number.len() - 1], 1 << 30),
        _ => (number, 1),
    };
    let magnitude = match number.as_bytes() {
        [b'0', b'x' | b'X', ..] => saturating(&number[2..], 16),
        [b'0', _, ..] => saturating(&number[1..], 8),
        _ => saturating(number, 10),
    }?;
    Some(apply_sign(negative, magnitude.saturating_mul(factor)))
}

/// The sign, and the rest, which begins with a digit.
fn split_sign(value: &BStr) -> Option<(bool, &str)> {
    let value = value.trim_start().to_str().ok()?;
    let (negative, digits) = match value.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, value.strip_prefix('+').unwrap_or(value)),
    };
    digits
        .starts_with(|digit: char| digit.is_ascii_digit())
        .then_some((negative, digits))
}

fn saturating(digits: &str, radix: u32) -> Option<u64> {
    if digits.starts_with(['+', '-']) {
        return None;
    }
    match u64::from_str_radix(digits, radix) {
        Ok(number) => Some(number),
        Err(err) => (kind(&err) == IntErrorKind::PosOverflow).then_some(u64::MAX),
    }
}

fn kind(err: &std::num::ParseIntError) -> IntErrorKind {
    err.kind().clone()
}

fn apply_sign(negative: bool, magnitude: u64) -> i64 {
    match (i64::try_from(magnitude), negative) {
        (Ok(number), true) => -number,
        (Ok(number), false) => number,
        (Err(_), true) => i64::MIN,
        (Err(_), false) => i64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_parse_as_in_c() {
        let integer = |text: &str| parse_i64(text.into());
        assert_eq!(integer(" -12"), Some(-12));
        assert_eq!(integer("+08"), Some(8));
        assert_eq!(integer("99999999999999999999"), Some(i64::MAX));
        assert_eq!(integer("-99999999999999999999"), Some(i64::MIN));
        for invalid in ["", "-", "1k", "0x5", "1 ", "-+1"] {
            assert_eq!(integer(invalid), None, "{invalid}");
        }
        assert_eq!(parse_u32("-1".into()), None);
        let wrapping = |text: &str| parse_wrapping(text.into());
        assert_eq!(wrapping("-1"), Ok(u64::MAX));
        assert_eq!(
            wrapping("18446744073709551616"),
            Err(IntErrorKind::PosOverflow)
        );
        let scaled = |text: &str| parse_scaled(text.into());
        assert_eq!(scaled("5k"), Some(5120));
        assert_eq!(scaled("-0x10"), Some(-16));
        assert_eq!(scaled("010"), Some(8));
        for invalid in ["k", "0x", "0x+1", "0-1"] {
            assert_eq!(scaled(invalid), None, "{invalid}");
        }
    }
}
