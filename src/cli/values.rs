//! Checking and reading the values of options.

use bstr::{BStr, ByteSlice};

use crate::{
    cli::inherited::is_listed,
    dates::date_format::DateMode,
    diff::Algorithm,
    error::{Error, Result},
    repository::open::configuration::value::sign,
    system::git_version::GitVersion,
};

/// Checks the `value` of the long option `name`; of `max-count` in its short form, a number that
/// stands for an option. Values without an effect on a blame are not looked at.
///
/// # Errors
///
/// The error of git's parsers.
pub(super) fn check_value(name: &str, value: &BStr) -> Result<()> {
    let expects = |what: &str| {
        let message = format!("option `{name}' expects {what}");
        Err(Error::option(message))
    };
    let fatal = |parts: [&[u8]; 3]| Err(Error::fatal(parts.concat()));
    match name {
        "abbrev" if parse_decimal(value).is_none() => expects("a numerical value"),
        "date" => match DateMode::parse(value, false) {
            Ok(_) => Ok(()),
            Err(err) => Err(Error::fatal(err.to_string())),
        },
        "diff-algorithm" if Algorithm::from_name(value).is_none() => Err(Error::option(
            "option diff-algorithm accepts \"myers\", \"minimal\", \"patience\" and \"histogram\"",
        )),
        "exclude-hidden" if !is_one_of("fetch receive uploadpack", value) => {
            fatal([b"unsupported section for hidden refs: ", value, b""])
        }
        "git-compat" if !is_version(value) => expects("a version such as 2.47, or newest"),
        "max-age" | "min-age" if parse_decimal(value).and_then(wrap_u64).is_none() => {
            fatal([b"'", value, b"': not a number of seconds since epoch"])
        }
        "max-count" if parse_decimal(value).is_none_or(|it| i32::try_from(it).is_err()) => {
            fatal([b"'", value, b"': not an integer"])
        }
        "threads" if parse_threads(value).is_none() => expects("a number of at least 1"),
        _ => Ok(()),
    }
}

fn is_one_of(names: &str, value: &BStr) -> bool {
    value.to_str().is_ok_and(|value| is_listed(names, value))
}

fn is_version(value: &BStr) -> bool {
    let is_known = |text: &str| text == "newest" || GitVersion::parse(text).is_some();
    value.to_str().is_ok_and(is_known)
}

/// The score of `-M` and `-C`, a C `int` in git; 0 stands for the default.
pub(super) fn parse_score(value: &BStr) -> u32 {
    parse_decimal(value).map_or(0, |score| wrap_u64(score).unwrap_or(u64::MAX) as u32)
}

/// The number of digits of `--abbrev`, a C `int` in git.
pub(super) fn parse_abbrev(value: &BStr) -> Option<i64> {
    let digits = parse_decimal(value)?.clamp(i64::MIN.into(), i64::MAX.into());
    Some(i64::from(digits as i32))
}

pub(super) fn parse_threads(value: &BStr) -> Option<usize> {
    let threads = value.to_str().ok()?.parse().ok()?;
    (threads > 0).then_some(threads)
}

/// Seconds since the epoch. git's dates are unsigned, and the largest stands for none.
pub(super) fn parse_timestamp(value: &BStr) -> Option<i64> {
    match wrap_u64(parse_decimal(value)?)? {
        u64::MAX => None,
        seconds => Some(i64::try_from(seconds).unwrap_or(i64::MAX)),
    }
}

/// A decimal number as C's `strtol` family parses it: blanks and one sign may come first, and
/// nothing may follow. Saturated far beyond 64 bits, so that callers can check ranges.
fn parse_decimal(value: &BStr) -> Option<i128> {
    let (negative, digits) = sign(value);
    if digits.is_empty() {
        return None;
    }
    let magnitude = digits.iter().try_fold(0_i128, |number, &digit| {
        let digit = char::from(digit).to_digit(10)?;
        Some(number.saturating_mul(10).saturating_add(digit.into()))
    })?;
    Some(if negative { -magnitude } else { magnitude })
}

/// `number` as `strtoul` returns it: negative numbers wrap. `None` if it overflows.
fn wrap_u64(number: i128) -> Option<u64> {
    let magnitude = u64::try_from(number.unsigned_abs()).ok()?;
    Some(if number < 0 {
        magnitude.wrapping_neg()
    } else {
        magnitude
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
    }
}
