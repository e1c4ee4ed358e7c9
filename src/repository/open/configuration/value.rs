//! Values of configuration variables: booleans and numbers.

/// Why a number is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberError {
    /// Not a number with an optional unit.
    InvalidUnit,
    /// Too large or too small.
    OutOfRange,
}

impl NumberError {
    /// git's words.
    pub fn words(self) -> &'static str {
        match self {
            NumberError::InvalidUnit => "invalid unit",
            NumberError::OutOfRange => "out of range",
        }
    }
}

/// Parses a boolean; `None` if invalid.
pub fn boolean(value: &[u8]) -> Option<bool> {
    let is = |word: &str| value.eq_ignore_ascii_case(word.as_bytes());
    if is("true") || is("yes") || is("on") {
        return Some(true);
    }
    if is("") || is("false") || is("no") || is("off") {
        return Some(false);
    }
    int(value).ok().map(|number| number != 0)
}

/// Parses a number of 32 bits: decimal, hexadecimal (`0x10`) or octal (`010`), with an optional
/// unit.
///
/// # Errors
///
/// As in git.
pub fn int(value: &[u8]) -> Result<i32, NumberError> {
    let (negative, digits) = sign(value);
    let magnitude = i128::try_from(magnitude(digits)?).map_err(|_| NumberError::OutOfRange)?;
    let number = if negative { -magnitude } else { magnitude };
    i32::try_from(number).map_err(|_| NumberError::OutOfRange)
}

/// Parses a number of 64 bits without sign, as [`int`].
///
/// # Errors
///
/// As in git.
pub fn unsigned_long(value: &[u8]) -> Result<u64, NumberError> {
    if value.contains(&b'-') {
        return Err(NumberError::InvalidUnit);
    }
    u64::try_from(magnitude(sign(value).1)?).map_err(|_| NumberError::OutOfRange)
}

/// The sign of a number, true if it is negative, and the text after it.
pub(crate) fn sign(value: &[u8]) -> (bool, &[u8]) {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let text = &value[value.iter().take_while(|byte| blank(byte)).count()..];
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    }
}

/// Parses a number without sign: decimal, hexadecimal or octal, with an optional unit.
fn magnitude(text: &[u8]) -> Result<u128, NumberError> {
    let (radix, digits) = match text {
        [b'0', b'x' | b'X', rest @ ..] if rest.first().is_some_and(u8::is_ascii_hexdigit) => {
            (16, rest)
        }
        [b'0', ..] => (8, text),
        _ => (10, text),
    };
    let digit = |byte: &u8| char::from(*byte).to_digit(radix);
    let length = digits.iter().map_while(digit).count();
    if length == 0 {
        return Err(NumberError::InvalidUnit);
    }
    let number = digits[..length].iter().filter_map(digit);
    let number = number.fold(0_u128, |number, digit| {
        number
            .saturating_mul(u128::from(radix))
            .saturating_add(u128::from(digit))
    });
    if number > u128::from(u64::MAX) {
        return Err(NumberError::OutOfRange);
    }
    let unit = match &digits[length..] {
        [] => 1,
        [b'k' | b'K'] => 1 << 10,
        [b'm' | b'M'] => 1 << 20,
        [b'g' | b'G'] => 1 << 30,
        _ => return Err(NumberError::InvalidUnit),
    };
    Ok(number * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        use NumberError::{InvalidUnit, OutOfRange};
        let cases: [(&str, Result<i32, NumberError>); 18] = [
            ("2k", Ok(2048)),
            ("1G", Ok(1 << 30)),
            ("0x10", Ok(16)),
            ("-0x10", Ok(-16)),
            ("010", Ok(8)),
            (" +12", Ok(12)),
            ("-2g", Ok(i32::MIN)),
            ("2g", Err(OutOfRange)),
            ("99999999999", Err(OutOfRange)),
            (
                "99999999999999999999999999999999999999999999999",
                Err(OutOfRange),
            ),
            ("", Err(InvalidUnit)),
            ("k", Err(InvalidUnit)),
            ("0x", Err(InvalidUnit)),
            ("08", Err(InvalidUnit)),
            ("1 k", Err(InvalidUnit)),
            ("1kb", Err(InvalidUnit)),
            ("- 1", Err(InvalidUnit)),
            ("5 ", Err(InvalidUnit)),
        ];
        for (text, expected) in cases {
            assert_eq!(int(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(unsigned_long(b"-0"), Err(InvalidUnit));
        assert_eq!(unsigned_long(b"18446744073709551615"), Ok(u64::MAX));
        assert_eq!(unsigned_long(b"17179869184g"), Err(OutOfRange));
    }

    #[test]
    fn booleans() {
        for yes in ["true", "YES", "on", "1k", "-1", "0x1"] {
            assert_eq!(boolean(yes.as_bytes()), Some(true), "{yes}");
        }
        for no in ["", "False", "no", "OFF", "0", "00"] {
            assert_eq!(boolean(no.as_bytes()), Some(false), "{no}");
        }
        for invalid in ["x", " true", "2g", "99999999999"] {
            assert_eq!(boolean(invalid.as_bytes()), None, "{invalid}");
        }
    }
}
