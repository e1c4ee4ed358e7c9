//! A reader of JSON, strict where the format is.

use std::{collections::BTreeMap, iter::Peekable, str::Chars};

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Flag(bool),
    /// A number that is an integer, as written.
    Number(String),
    Text(String),
    List(Vec<Value>),
    Object(BTreeMap<String, Value>),
}

impl Value {
    /// Reads a value; panics unless the text is exactly one.
    pub fn read(text: &str) -> Value {
        let mut rest = text.chars().peekable();
        let value = value(&mut rest);
        blanks(&mut rest);
        assert_eq!(rest.next(), None, "text after the value: {text}");
        value
    }

    /// The value of a key of an object.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Object(object) => object.get(key),
            _ => None,
        }
    }

    /// The text that a value is.
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of the list that a value is.
    pub fn list(&self) -> Option<&[Value]> {
        match self {
            Value::List(list) => Some(list),
            _ => None,
        }
    }

    /// The number that a value is.
    pub fn number(&self) -> Option<u64> {
        match self {
            Value::Number(number) => number.parse().ok(),
            _ => None,
        }
    }
}

type Rest<'a> = Peekable<Chars<'a>>;

fn blanks(rest: &mut Rest<'_>) {
    while rest.next_if(|c| matches!(c, ' ' | '\n' | '\t')).is_some() {}
}

fn expect(rest: &mut Rest<'_>, text: &str) {
    for c in text.chars() {
        assert_eq!(rest.next(), Some(c), "expected {text}");
    }
}

fn value(rest: &mut Rest<'_>) -> Value {
    blanks(rest);
    match rest.peek() {
        Some('n') => {
            expect(rest, "null");
            Value::Null
        }
        Some('t') => {
            expect(rest, "true");
            Value::Flag(true)
        }
        Some('f') => {
            expect(rest, "false");
            Value::Flag(false)
        }
        Some('"') => Value::Text(text(rest)),
        Some('[') => {
            let mut list = Vec::new();
            members(rest, ['[', ']'], |rest| list.push(value(rest)));
            Value::List(list)
        }
        Some('{') => {
            let mut object = BTreeMap::new();
            members(rest, ['{', '}'], |rest| {
                let key = text(rest);
                blanks(rest);
                expect(rest, ":");
                let value = value(rest);
                let known = object.insert(key.clone(), value);
                assert_eq!(known, None, "the key {key} comes twice");
            });
            Value::Object(object)
        }
        _ => number(rest),
    }
}

fn members(rest: &mut Rest<'_>, [open, close]: [char; 2], mut read: impl FnMut(&mut Rest<'_>)) {
    assert_eq!(rest.next(), Some(open));
    blanks(rest);
    if rest.next_if_eq(&close).is_some() {
        return;
    }
    loop {
        blanks(rest);
        read(rest);
        blanks(rest);
        match rest.next() {
            Some(',') => {}
            end => return assert_eq!(end, Some(close)),
        }
    }
}

fn number(rest: &mut Rest<'_>) -> Value {
    let mut digits = String::new();
    while let Some(digit) = rest.next_if(|c| c.is_ascii_digit() || *c == '-') {
        digits.push(digit);
    }
    assert!(digits.parse::<i128>().is_ok(), "not an integer: {digits:?}");
    Value::Number(digits)
}

fn text(rest: &mut Rest<'_>) -> String {
    expect(rest, "\"");
    let mut text = String::new();
    loop {
        match rest.next().expect("a text ends with a quote") {
            '"' => return text,
            '\\' => text.push(escaped(rest)),
            c => {
                assert!(c >= ' ', "a control character that is not escaped");
                text.push(c);
            }
        }
    }
}

fn escaped(rest: &mut Rest<'_>) -> char {
    match rest.next().expect("something is escaped") {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'u' => {
            let digits: String = rest.by_ref().take(4).collect();
            let code = u32::from_str_radix(&digits, 16).expect("four digits");
            char::from_u32(code).expect("a character outside of surrogates")
        }
        c => {
            assert!(matches!(c, '"' | '\\' | '/'), "\\{c}");
            c
        }
    }
}
