//! Configuration from the environment: `GIT_CONFIG_COUNT`, and `GIT_CONFIG_PARAMETERS`, in which
//! `git -c` passes its settings on.

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result},
    repository::open::environment::EnvironmentUse,
};

/// Key and value; no value means true.
pub(super) type Parameter = (BString, Option<BString>);

/// The variables, in git's order.
///
/// # Errors
///
/// In git's words, if one of the environment variables cannot be parsed.
pub(super) fn parameters(environment: EnvironmentUse) -> Result<Vec<Parameter>> {
    let mut all = numbered(environment)?;
    if let Some(text) = environment.variable("GIT_CONFIG_PARAMETERS") {
        parse(text.as_bstr(), &mut all)?;
    }
    Ok(all)
}

fn refuse(reason: impl Into<Vec<u8>>) -> Error {
    let note = [b"error: ", reason.into().as_slice()].concat();
    Error::fatal("unable to parse command-line config").after(vec![note.into()])
}

fn numbered(environment: EnvironmentUse) -> Result<Vec<Parameter>> {
    let mut all = Vec::new();
    let Some(count) = environment.variable("GIT_CONFIG_COUNT") else {
        return Ok(all);
    };
    for nth in 0..parse_count(count.as_bstr())? {
        let name = format!("GIT_CONFIG_KEY_{nth}");
        let key = environment.variable(&name);
        let key = key.ok_or_else(|| refuse(format!("missing config key {name}")))?;
        let name = format!("GIT_CONFIG_VALUE_{nth}");
        let value = environment.variable(&name);
        let value = value.ok_or_else(|| refuse(format!("missing config value {name}")))?;
        if key.is_empty() {
            return Err(refuse("empty config key"));
        }
        all.push((canonical(key.as_bstr())?, Some(value)));
    }
    Ok(all)
}

/// The count as `strtoul` reads it: a negative number becomes a large one.
fn parse_count(count: &BStr) -> Result<u64> {
    let text = count.trim_ascii_start();
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+"));
    let digits = digits.unwrap_or(text);
    let bogus = || refuse("bogus count in GIT_CONFIG_COUNT");
    if count.is_empty() {
        return Ok(0);
    }
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(bogus());
    }
    let number = digits.iter().fold(0_u64, |number, digit| {
        number
            .saturating_mul(10)
            .saturating_add(u64::from(digit - b'0'))
    });
    if number > i32::MAX as u64 || number > 0 && text.starts_with(b"-") {
        return Err(refuse("too many entries in GIT_CONFIG_COUNT"));
    }
    Ok(number)
}

/// Parses `'key=value'` and `'key'='value'`, quoted as for a shell and separated by spaces.
fn parse(text: &BStr, all: &mut Vec<Parameter>) -> Result<()> {
    let bogus = || refuse("bogus format in GIT_CONFIG_PARAMETERS");
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let (first, after) = unquote(rest).ok_or_else(bogus)?;
        let (key, value) = match after {
            [] | [b' ', ..] => {
                rest = after;
                before_equals(first.as_bstr())?
            }
            [b'=', after @ ..] => {
                let mut value = None;
                rest = after;
                if !matches!(after, [] | [b' ', ..]) {
                    let (text, after) = unquote(after).ok_or_else(bogus)?;
                    if !matches!(after, [] | [b' ', ..]) {
                        return Err(bogus());
                    }
                    rest = after;
                    value = Some(text);
                }
                if first.is_empty() {
                    return Err(refuse("empty config key"));
                }
                (first, value)
            }
            _ => return Err(bogus()),
        };
        all.push((canonical(key.as_bstr())?, value));
        rest = rest.trim_ascii_start();
    }
    Ok(())
}

/// The setting `key=value`, or `key`. Blanks around the key do not count.
fn before_equals(text: &BStr) -> Result<Parameter> {
    let (key, value) = match text.split_once_str("=") {
        Some((key, value)) => (key, Some(value.into())),
        None => (text.as_bytes(), None),
    };
    let key = key.trim_ascii();
    if key.is_empty() {
        return Err(refuse(
            [b"bogus config parameter: ", text.as_bytes()].concat(),
        ));
    }
    Ok((key.into(), value))
}

/// A word in single quotes, in which `'\''` and `'\!'` stand for the escaped characters, and the
/// rest.
fn unquote(text: &[u8]) -> Option<(BString, &[u8])> {
    let mut rest = text.strip_prefix(b"'")?;
    let mut word = BString::default();
    loop {
        let end = rest.find_byte(b'\'')?;
        word.push_str(&rest[..end]);
        rest = match &rest[end + 1..] {
            [b'\\', escaped @ (b'\'' | b'!'), b'\'', after @ ..] => {
                word.push(*escaped);
                after
            }
            after => return Some((word, after)),
        };
    }
}

/// The key with its section and name in lower case.
fn canonical(key: &BStr) -> Result<BString> {
    let wrong = |reason: &str| {
        let mut text = reason.as_bytes().to_vec();
        text.push_str(key);
        refuse(text)
    };
    let (Some(first), Some(last)) = (key.find_byte(b'.'), key.rfind_byte(b'.')) else {
        return Err(wrong("key does not contain a section: "));
    };
    if first == 0 {
        return Err(wrong("key does not contain a section: "));
    }
    if last + 1 == key.len() {
        return Err(wrong("key does not contain variable name: "));
    }
    let (section, name) = (&key[..first], &key[last + 1..]);
    let is_word = |text: &[u8]| {
        text.iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    };
    if !is_word(section) || !is_word(name) || !name[0].is_ascii_alphabetic() {
        return Err(wrong("invalid key: "));
    }
    if key[first..last].contains(&b'\n') {
        return Err(wrong("invalid key (newline): "));
    }
    let mut canonical = BString::from(section.to_ascii_lowercase());
    canonical.push_str(&key[first..=last]);
    canonical.push_str(name.to_ascii_lowercase());
    Ok(canonical)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<(String, Option<String>)>> {
        let mut all = Vec::new();
        parse(text.into(), &mut all)?;
        let text = |text: BString| text.to_string();
        Ok(all
            .into_iter()
            .map(|(key, value)| (text(key), value.map(text)))
            .collect())
    }

    #[test]
    fn settings_of_the_command_line() {
        let some = |value: &str| Some(value.to_owned());
        let expected = [
            ("a.b".to_owned(), some("c d=e")),
            ("e.X.f".to_owned(), some("g'h")),
            ("i.j".to_owned(), None),
        ];
        assert_eq!(
            parsed(r"'A.b=c d=e' 'e.X.F'='g'\''h' 'i.j'").unwrap(),
            expected
        );
        for wrong in ["a.b=c", "'a.b", "'a.b''c.d'", "'a.b'=c", "'ab'", "'a.1=c'"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
