//! A reader of JSON for texts that can be anything: metadata of notes, and findings of other programs.

use std::str::Chars;

/// Objects and arrays nested deeper than this are not read.
const MAX_DEPTH: u32 = 32;

/// A value of JSON, as far as its readers need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Json {
    Text(String),
    /// Keys and values in their order.
    Object(Vec<(String, Json)>),
    Array(Vec<Json>),
    /// A whole number from 0.
    Number(u64),
    /// Other numbers, true, false and null.
    Other,
}

impl Json {
    /// Reads one value; what follows it is ignored. `None` if it is malformed or nested too deeply.
    pub(crate) fn read(text: &str) -> Option<Json> {
        Json::read_first(text).map(|(value, _)| value)
    }

    /// Reads one value as [`Json::read`] does, and returns what follows it and blanks after it.
    pub(crate) fn read_first(text: &str) -> Option<(Json, &str)> {
        let mut chars = text.chars();
        let value = value(&mut chars, 0)?;
        skip_blanks(&mut chars);
        Some((value, chars.as_str()))
    }

    /// The value of a key of an object.
    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        self.members()
            .iter()
            .find(|(it, _)| it == key)
            .map(|(_, value)| value)
    }

    /// The keys and values of an object; nothing for other values.
    pub(crate) fn members(&self) -> &[(String, Json)] {
        match self {
            Json::Object(members) => members,
            _ => &[],
        }
    }

    /// The items of an array; nothing for other values.
    pub(crate) fn items(&self) -> &[Json] {
        match self {
            Json::Array(items) => items,
            _ => &[],
        }
    }

    /// A whole number from 0.
    pub(crate) fn number(&self) -> Option<u64> {
        match self {
            Json::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A text that is not empty.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }
}

fn skip_blanks(chars: &mut Chars<'_>) {
    let rest = chars.as_str();
    *chars = rest.trim_start_matches([' ', '\t', '\n', '\r']).chars();
}

fn accept(chars: &mut Chars<'_>, wanted: char) -> bool {
    skip_blanks(chars);
    let rest = chars.as_str().strip_prefix(wanted);
    if let Some(rest) = rest {
        *chars = rest.chars();
    }
    rest.is_some()
}

fn value(chars: &mut Chars<'_>, depth: u32) -> Option<Json> {
    if depth > MAX_DEPTH {
        return None;
    }
    if accept(chars, '{') {
        let mut members = Vec::new();
        if accept(chars, '}') {
            return Some(Json::Object(members));
        }
        loop {
            let key = accept(chars, '"').then(|| string(chars))??;
            if !accept(chars, ':') {
                return None;
            }
            members.push((key, value(chars, depth + 1)?));
            if accept(chars, '}') {
                return Some(Json::Object(members));
            }
            if !accept(chars, ',') {
                return None;
            }
        }
    }
    if accept(chars, '[') {
        let mut items = Vec::new();
        if accept(chars, ']') {
            return Some(Json::Array(items));
        }
        loop {
            items.push(value(chars, depth + 1)?);
            if accept(chars, ']') {
                return Some(Json::Array(items));
            }
            if !accept(chars, ',') {
                return None;
            }
        }
    }
    if accept(chars, '"') {
        return string(chars).map(Json::Text);
    }
    let is_scalar = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let text = chars.as_str();
    let rest = text.trim_start_matches(is_scalar);
    let scalar = &text[..text.len() - rest.len()];
    *chars = rest.chars();
    let number = scalar.parse().map_or(Json::Other, Json::Number);
    (!scalar.is_empty()).then_some(number)
}

/// A string after its first quote.
fn string(chars: &mut Chars<'_>) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            '"' => return Some(text),
            '\\' => text.push(match chars.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'u' => escaped(chars)?,
                other => other,
            }),
            other => text.push(other),
        }
    }
}

/// A character after `\u`.
fn escaped(chars: &mut Chars<'_>) -> Option<char> {
    let high = unit(chars)?;
    if !(0xd800..0xdc00).contains(&high) {
        return Some(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    let Some(rest) = chars.as_str().strip_prefix("\\u") else {
        return Some(char::REPLACEMENT_CHARACTER);
    };
    *chars = rest.chars();
    let low = unit(chars)?;
    let low = low.checked_sub(0xdc00).filter(|low| *low < 0x400);
    let joined = low.and_then(|low| char::from_u32(0x10000 + ((high - 0xd800) << 10) + low));
    Some(joined.unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// Four hexadecimal digits.
fn unit(chars: &mut Chars<'_>) -> Option<u32> {
    (0..4).try_fold(0, |unit, _| Some(unit * 16 + chars.next()?.to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        let json = Json::read(
            r#" {"a": {"b" : "x\"\u00e9\ud83d\ude00\n"}, "c": [1, -2.5e3, {}], "d": null} x"#,
        );
        let json = json.expect("an object");
        let text = json
            .get("a")
            .and_then(|it| it.get("b"))
            .and_then(Json::text);
        assert_eq!(text, Some("x\"é😀\n"));
        let items = vec![Json::Number(1), Json::Other, Json::Object(Vec::new())];
        assert_eq!(json.get("c"), Some(&Json::Array(items)));
        assert_eq!(json.members().len(), 3);
        assert_eq!(json.get("e"), None);
    }

    #[test]
    fn damage_is_no_value() {
        for text in [
            "", "{", "{\"a\"}", "{\"a\":}", "[1", "\"a", "\"\\u12", "\"\\", "{a:1}", "[,]",
        ] {
            assert_eq!(Json::read(text), None, "{text}");
        }
        assert_eq!(Json::read(&"[".repeat(1 << 20)), None);
        let lone = Json::read(r#""\ud800x\ud800\u0041""#);
        assert_eq!(lone, Some(Json::Text("\u{fffd}x\u{fffd}".into())));
    }
}
