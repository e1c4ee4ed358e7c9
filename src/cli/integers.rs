//! Integers as C's `strtol` family and git's configuration parse them: blanks and one sign may come
//! first, and nothing may follow. Saturated far beyond 64 bits, so that callers can check ranges.

use bstr::BStr;

use crate::repository::open::configuration::value::{self, NumberError};

/// A decimal number.
pub(super) fn parse_decimal(value: &BStr) -> Option<i128> {
    let (negative, digits) = value::sign(value);
    let magnitude = parse_digits(digits)?;
    Some(if negative { -magnitude } else { magnitude })
}

/// An integer of git's configuration: decimal, octal (`0…`) or hexadecimal (`0x…`), with an optional
/// unit `k`, `m` or `g`.
pub(super) fn parse_scaled(value: &BStr) -> Option<i128> {
    let (negative, number) = value::sign(value);
    let magnitude = match value::magnitude(number) {
        Ok(magnitude) => i128::try_from(magnitude).unwrap_or(i128::MAX),
        Err(NumberError::OutOfRange) => i128::MAX,
        Err(NumberError::InvalidUnit) => return None,
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// `number` as `strtoul` returns it: negative numbers wrap. `None` if it overflows.
pub(super) fn wrap_u64(number: i128) -> Option<u64> {
    let magnitude = u64::try_from(number.unsigned_abs()).ok()?;
    Some(if number < 0 {
        magnitude.wrapping_neg()
    } else {
        magnitude
    })
}

fn parse_digits(digits: &[u8]) -> Option<i128> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_i128, |number, &digit| {
        let digit = char::from(digit).to_digit(10)?;
        Some(number.saturating_mul(10).saturating_add(digit.into()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_parse_as_in_c() {
        let decimal = |text: &str| parse_decimal(text.into());
        assert_eq!(decimal(" -12"), Some(-12));
        assert_eq!(decimal("+08"), Some(8));
        let long = "9".repeat(60);
        assert_eq!(decimal(&long), Some(i128::MAX));
        for invalid in ["", "-", "1k", "0x5", "1 ", "-+1"] {
            assert_eq!(decimal(invalid), None, "{invalid}");
        }
        assert_eq!(wrap_u64(-1), Some(u64::MAX));
        assert_eq!(wrap_u64(1 << 64), None);
        let scaled = |text: &str| parse_scaled(text.into());
        assert_eq!(scaled("5k"), Some(5120));
        assert_eq!(scaled("-0x10"), Some(-16));
        assert_eq!(scaled("010"), Some(8));
        for invalid in ["k", "0x", "0x+1", "0-1"] {
            assert_eq!(scaled(invalid), None, "{invalid}");
        }
    }
}
