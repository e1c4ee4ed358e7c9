//! The character set of a POSIX bracket expression.

use std::{fmt::Write, sync::OnceLock};

use crate::{ranges::posix::syntax::RegexSyntax, sorting};

/// Codes from here on stand for bytes that are not valid UTF-8.
const RAW_BYTES: u32 = 0x11_0000;

/// A set of characters or bytes.
pub(super) struct BracketExpression {
    syntax: RegexSyntax,
    /// Inclusive ranges.
    ranges: Vec<(u32, u32)>,
}

impl BracketExpression {
    pub(super) fn new(syntax: RegexSyntax) -> Self {
        BracketExpression {
            syntax,
            ranges: Vec::new(),
        }
    }

    /// Adds the characters from `low` to `high`, inclusive.
    pub(super) fn add_range(&mut self, low: u32, high: u32) {
        self.ranges.push((low, high));
        if self.syntax.ignore_case {
            for (from, to) in [(b'a', b'A'), (b'A', b'a')] {
                let (first, last) = (low.max(from.into()), high.min(u32::from(from) + 25));
                if first <= last {
                    let other = |code: u32| code - u32::from(from) + u32::from(to);
                    self.ranges.push((other(first), other(last)));
                }
            }
        }
    }

    /// Adds a named character class; false if there is none of this name.
    pub(super) fn add_class(&mut self, name: &str) -> bool {
        let ignore_case = self.syntax.ignore_case;
        let name = match name {
            "upper" | "lower" if ignore_case => "alpha",
            name => name,
        };
        let Some((at, class)) = (0..).zip(&CLASSES).find(|(_, class)| class.0 == name) else {
            return false;
        };
        if self.syntax.utf8 {
            self.ranges
                .extend(UTF8_CLASSES[at].get_or_init(|| ranges_of(class.1, LAST_IN_CLASS)));
        } else {
            self.ranges.extend(ranges_of(class.1, 0x7f));
        }
        true
    }

    /// Appends the set in the syntax of the `regex` crate.
    pub(super) fn push_to(mut self, out: &mut String, negated: bool) {
        let last = if self.syntax.utf8 { 0x10_ffff } else { 0xff };
        // A Unicode class cannot contain raw bytes: these become an alternation.
        let raw: Vec<_> = self
            .ranges
            .extract_if(.., |range| range.1 >= RAW_BYTES)
            .collect();
        sorting::sort(&mut self.ranges);
        let mut ranges = if negated {
            complement(&self.ranges, last)
        } else {
            self.ranges
        };
        if negated && self.syntax.by_lines {
            ranges = without(&ranges, u32::from(b'\n'));
        }
        let flags = if self.syntax.utf8 { "-i" } else { "-iu" };
        // Writing to a string cannot fail.
        let _ = write!(out, "(?{flags}:");
        if ranges.is_empty() {
            out.push_str("[^\\x00-\\x{7f}&&\\x00]");
        } else {
            out.push('[');
            for (low, high) in ranges {
                let _ = if self.syntax.utf8 {
                    write!(out, "\\x{{{low:x}}}-\\x{{{high:x}}}")
                } else {
                    // `\xHH` is a byte, `\x{…}` a character.
                    write!(out, "\\x{low:02x}-\\x{high:02x}")
                };
            }
            out.push(']');
        }
        for (low, high) in raw.into_iter().filter(|_| !negated) {
            let byte = |code: u32| code.saturating_sub(RAW_BYTES).min(0xff);
            let _ = write!(out, "|(?-u:[\\x{:02x}-\\x{:02x}])", byte(low), byte(high));
        }
        out.push(')');
    }
}

/// The complement of sorted ranges up to `last`, without surrogates.
fn complement(ranges: &[(u32, u32)], last: u32) -> Vec<(u32, u32)> {
    let mut result = Vec::new();
    let mut next = 0;
    for &(low, high) in ranges {
        if low > next {
            result.push((next, low - 1));
        }
        next = next.max(high + 1);
    }
    if next <= last {
        result.push((next, last));
    }
    let halves = |(low, high): (u32, u32)| {
        let below = (low, high.min(0xd7ff));
        let above = (low.max(0xe000), high);
        [below, above]
    };
    let valid = |(low, high): &(u32, u32)| low <= high;
    result.into_iter().flat_map(halves).filter(valid).collect()
}

fn without(ranges: &[(u32, u32)], code: u32) -> Vec<(u32, u32)> {
    let mut result = Vec::new();
    for &(low, high) in ranges {
        if !(low..=high).contains(&code) {
            result.push((low, high));
            continue;
        }
        if low < code {
            result.push((low, code - 1));
        }
        if code < high {
            result.push((code + 1, high));
        }
    }
    result
}

/// Upper bound of the characters in any class.
const LAST_IN_CLASS: u32 = 0x3_ffff;

type Contains = fn(char) -> bool;

/// POSIX character classes by name.
const CLASSES: [(&str, Contains); 12] = [
    ("alpha", |c| c.is_alphabetic() && !c.is_ascii_digit()),
    ("digit", |c| c.is_ascii_digit()),
    ("alnum", char::is_alphanumeric),
    ("upper", char::is_uppercase),
    ("lower", char::is_lowercase),
    ("space", char::is_whitespace),
    ("blank", |c| c == ' ' || c == '\t'),
    ("punct", |c| is_graph(c) && !c.is_alphanumeric()),
    ("print", |c| is_graph(c) || c == ' '),
    ("graph", is_graph),
    ("cntrl", char::is_control),
    ("xdigit", |c| c.is_ascii_hexdigit()),
];

/// The ranges of each class in UTF-8, computed once: it means testing 262,144 characters.
static UTF8_CLASSES: [OnceLock<Vec<(u32, u32)>>; CLASSES.len()] =
    [const { OnceLock::new() }; CLASSES.len()];

fn is_graph(character: char) -> bool {
    !character.is_control() && !character.is_whitespace()
}

/// The characters of a class up to `last`, as ranges.
fn ranges_of(contains: Contains, last: u32) -> Vec<(u32, u32)> {
    let mut ranges = Vec::new();
    let mut open = None;
    for code in 0..=last + 1 {
        let character = char::from_u32(code).filter(|_| code <= last);
        if character.is_some_and(contains) {
            open.get_or_insert(code);
        } else if let Some(first) = open.take() {
            ranges.push((first, code - 1));
        }
    }
    ranges
}
