//! Numbers as C's library reads them.

use bstr::{BStr, ByteSlice};

/// A decimal number with an optional sign, after blanks; what is too large saturates.
pub(super) fn parse_integer(value: &BStr) -> Option<i64> {
    let (negative, digits) = signed(value);
    let number = read(digits, 10)?;
    Some(if negative { -number } else { number })
}

/// As [`parse_integer`], of numbers that are not negative.
pub(super) fn parse_unsigned(value: &BStr) -> Option<u32> {
    if value.contains(&b'-') {
        return None;
    }
    u32::try_from(parse_integer(value)?).ok()
}

/// A number of the configuration: decimal, octal or hexadecimal, and `k`, `m` or `g` after it.
pub(super) fn parse_scaled(value: &BStr) -> Option<i64> {
    let (negative, number) = signed(value);
    let (number, factor) = match number.last()?.to_ascii_lowercase() {
        b'k' => (&number[..number.len() - 1], 1 << 10),
        b'm' => (&number[..number.len() - 1], 1 << 20),
        b'g' => (&number[..number.len() - 1], 1 << 30),
        _ => (number, 1),
    };
    let number = match number {
        [b'0', b'x' | b'X', digits @ ..] => read(digits, 16),
        [b'0', digits @ ..] if !digits.is_empty() => read(digits, 8),
        digits => read(digits, 10),
    }?;
    let number = number.saturating_mul(factor);
    Some(if negative { -number } else { number })
}

fn signed(value: &BStr) -> (bool, &[u8]) {
    let value = value.trim_start();
    match value {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    }
}

fn read(digits: &[u8], base: u32) -> Option<i64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_i64, |number, &digit| {
        let digit = char::from(digit).to_digit(base)?;
        Some(
            number
                .saturating_mul(i64::from(base))
                .saturating_add(i64::from(digit)),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_c_does() {
        let integer = |text: &str| parse_integer(text.into());
        assert_eq!(integer(" -12"), Some(-12));
        assert_eq!(integer("+08"), Some(8));
        assert_eq!(integer("99999999999999999999"), Some(i64::MAX));
        for wrong in ["", "-", "1k", "0x5", "1 "] {
            assert_eq!(integer(wrong), None, "{wrong}");
        }
        assert_eq!(parse_unsigned("-1".into()), None);
        let scaled = |text: &str| parse_scaled(text.into());
        assert_eq!(scaled("5k"), Some(5120));
        assert_eq!(scaled("-0x10"), Some(-16));
        assert_eq!(scaled("010"), Some(8));
        assert_eq!(scaled("k"), None);
    }
}
