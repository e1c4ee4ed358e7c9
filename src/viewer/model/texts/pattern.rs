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

/// A regular expression, which ignores case unless it has capitals; after `\V`, as in Vim, plain
/// text as it is. What is no regular expression is plain text too.
#[derive(Debug, Clone)]
pub struct Pattern {
    typed: String,
    regex: Regex,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.typed == other.typed
    }
}

impl Eq for Pattern {}

impl Pattern {
    /// The pattern that was typed; `None` for an empty one, or one that is too large even
    /// as plain text.
    pub fn new(typed: &str) -> Option<Pattern> {
        let build = |pattern: &str, any_case| {
            RegexBuilder::new(pattern)
                .case_insensitive(any_case)
                .size_limit(1 << 20)
                .build()
        };
        let regex = match typed.strip_prefix(LITERAL) {
            Some("") => return None,
            None if typed.is_empty() => return None,
            Some(text) => build(&regex::escape(text), false),
            None => {
                let any_case = !has_capitals(typed);
                build(typed, any_case).or_else(|_| build(&regex::escape(typed), any_case))
            }
        };
        let typed = typed.to_owned();
        let regex = regex.ok()?;
        Some(Pattern { typed, regex })
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
}
