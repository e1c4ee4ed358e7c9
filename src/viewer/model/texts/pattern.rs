//! What is typed to be searched for, in every prompt.

use regex::bytes::{Regex, RegexBuilder};

/// Before text that is searched for as it is.
const LITERAL: &str = "\\V";

/// What a prompt says about patterns, longest first.
pub const PATTERN_WORDS: &[&str] = &[
    "regex, any case if in lowercase; \\V first: plain text",
    "regex; \\V: plain text",
    "\\V: plain text",
    "\\V: plain",
];

/// What gives the characters of a regular expression another meaning than as text.
const SYNTAX: &[char] = &[
    '\\', '.', '+', '*', '?', '(', ')', '[', ']', '{', '}', '^', '$', '|',
];

/// A regular expression, which ignores case unless it has capitals; after `\V`, as in Vim, plain
/// text as it is. What is no regular expression is plain text too, and a search for one that
/// matches nothing goes on [as text](Pattern::as_text).
#[derive(Debug, Clone)]
pub struct Pattern {
    typed: Box<str>,
    regex: Regex,
    /// It is text though it was not typed as such.
    is_as_text: bool,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        (&self.typed, self.is_as_text) == (&other.typed, other.is_as_text)
    }
}

impl Eq for Pattern {}

impl Pattern {
    /// The pattern that was typed; `None` for an empty one, or one that is too large even
    /// as plain text.
    pub fn new(typed: &str) -> Option<Pattern> {
        let expression = match typed.strip_prefix(LITERAL) {
            Some("") => return None,
            None if typed.is_empty() => return None,
            Some(text) => built(&regex::escape(text), false),
            None => match built(typed, !has_capitals(typed)) {
                None => return Pattern::text(typed),
                expression => expression,
            },
        };
        Some(Pattern {
            typed: typed.into(),
            regex: expression?,
            is_as_text: false,
        })
    }

    /// What was typed without `\V`, as text.
    fn text(typed: &str) -> Option<Pattern> {
        Some(Pattern {
            typed: typed.into(),
            regex: built(&regex::escape(typed), !has_capitals(typed))?,
            is_as_text: true,
        })
    }

    /// True if it means something else than its text.
    pub fn is_expression(&self) -> bool {
        let is_text = self.is_as_text || self.typed.starts_with(LITERAL);
        !is_text && self.typed.contains(SYNTAX)
    }

    /// The same as text, where it is a regular expression that matches nothing; `None` if it is text
    /// already.
    pub fn as_text(&self) -> Option<Pattern> {
        self.is_expression().then(|| Pattern::text(&self.typed))?
    }

    /// True if it is text though it was not typed as such.
    pub fn is_as_text(&self) -> bool {
        self.is_as_text
    }

    /// The pattern as it was typed.
    pub fn typed(&self) -> &str {
        &self.typed
    }

    /// The regular expression that it stands for.
    pub fn regex(&self) -> &Regex {
        &self.regex
    }

    /// True if a text has it.
    pub fn is_match(&self, text: &[u8]) -> bool {
        self.regex.is_match(text)
    }
}

fn built(expression: &str, any_case: bool) -> Option<Regex> {
    RegexBuilder::new(expression)
        .case_insensitive(any_case)
        .size_limit(1 << 20)
        .build()
        .ok()
}

/// True if there are capitals that are not the names of classes, as in `\S`.
fn has_capitals(typed: &str) -> bool {
    let mut chars = typed.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c.is_uppercase() {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_counts_with_capitals_and_in_plain_text() {
        let cases = [
            ("ab", "xAB", true),
            ("Ab", "AB", false),
            ("Ab", "xAb", true),
            ("\\Sb", "AB", true),
            ("a.c", "ABC", true),
            ("\\Va.c", "abc", false),
            ("\\Va.c", "A.C", false),
            ("\\Va.c", "a.c", true),
            ("f(", "F(x)", true),
            ("\\V\\V", "\\V", true),
        ];
        for (typed, text, matches) in cases {
            let pattern = Pattern::new(typed).expect("it is a pattern");
            assert_eq!(pattern.is_match(text.as_bytes()), matches, "{typed} {text}");
            assert_eq!(pattern.typed(), typed);
        }
        for typed in ["", "\\V"] {
            assert!(Pattern::new(typed).is_none(), "{typed}");
        }
    }

    #[test]
    fn an_expression_can_be_read_as_text() {
        // Whether it is text from the beginning, and what it matches as text.
        for (typed, is_as_text, matches) in [
            ("f(ci)", false, Some("F(CI);")),
            ("F(ci)", false, Some("F(ci);")),
            ("a.b*", false, Some("a.b*")),
            ("f(", true, None),
            ("\\Vf(ci)", false, None),
            ("plain-text #1", false, None),
        ] {
            let pattern = Pattern::new(typed).expect("it is a pattern");
            assert_eq!(pattern.is_as_text(), is_as_text, "{typed}");
            let text = pattern.as_text();
            assert_eq!(text.is_some(), matches.is_some(), "{typed}");
            if let (Some(text), Some(line)) = (text, matches) {
                assert!(text.is_match(line.as_bytes()), "{typed}");
                assert!(text.is_as_text() && text.as_text().is_none() && text != pattern);
                assert_eq!(text.typed(), typed);
            }
        }
    }
}
