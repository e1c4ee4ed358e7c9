//! POSIX regular expressions with GNU extensions, as glibc compiles them.
//!
//! A pattern is parsed here, with glibc's error messages, and translated to the syntax of the
//! `regex` crate. Only the start of a match is reliable: POSIX specifies the longest match, `regex`
//! takes the first alternative that matches.

use std::fmt::Write;

use regex::bytes::RegexBuilder;

use crate::ranges::{
    pattern::{BackReferences, Pattern},
    syntax::{Dialect, Syntax},
};

/// An error message of `regerror`.
pub(super) type PatternError = &'static str;

const BAD_PATTERN: PatternError = "Invalid regular expression";
const BAD_COLLATION: PatternError = "Invalid collation character";
const BAD_CLASS: PatternError = "Invalid character class name";
const TRAILING_BACKSLASH: PatternError = "Trailing backslash";
const BAD_BACK_REFERENCE: PatternError = "Invalid back reference";
const OPEN_BRACKET: PatternError = "Unmatched [, [^, [:, [., or [=";
const OPEN_PAREN: PatternError = "Unmatched ( or \\(";
const OPEN_BRACE: PatternError = "Unmatched \\{";
const BAD_REPEAT: PatternError = "Invalid content of \\{\\}";
const BAD_RANGE: PatternError = "Invalid range end";
const NOTHING_TO_REPEAT: PatternError = "Invalid preceding regular expression";
const TOO_BIG: PatternError = "Regular expression too big";

/// glibc's `RE_DUP_MAX`.
const MAX_REPEAT: u32 = 0x7fff;
/// Deeper nesting of groups is an error, to bound recursion.
const MAX_DEPTH: u32 = 200;

/// Compiles a pattern.
pub(super) fn compile(pattern: &[u8], syntax: Syntax) -> Result<Pattern, PatternError> {
    let parsed = Parser::parse(pattern, syntax)?;
    if parsed.back_references {
        let utf8 = syntax.utf8 && std::str::from_utf8(pattern).is_ok();
        let wide;
        let parsed = match utf8 {
            true => parsed,
            false => {
                let syntax = Syntax {
                    utf8: true,
                    ..syntax
                };
                wide = BackReferences::widened(pattern);
                Parser::parse(wide.as_bytes(), syntax)?
            }
        };
        let compiled = BackReferences::new(&parsed.out, syntax, utf8);
        return compiled.map(Pattern::BackReferences).ok_or(TOO_BIG);
    }
    RegexBuilder::new(&parsed.out)
        .unicode(syntax.utf8)
        .case_insensitive(syntax.ignore_case)
        .multi_line(syntax.by_lines)
        .dot_matches_new_line(!syntax.by_lines)
        .build()
        .map(Pattern::Plain)
        .map_err(|_| TOO_BIG)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    /// A byte that matches itself.
    Literal(u8),
    /// Any character.
    Any,
    Bracket,
    Open,
    Close,
    Alternative,
    Star,
    Plus,
    Question,
    OpenRepeat,
    /// An assertion, in the syntax of `regex`.
    Anchor(&'static str),
    /// A character class escape, in the syntax of `regex`.
    Class(&'static str),
    BackReference(u8),
    End,
}

struct Parser<'p> {
    pattern: &'p [u8],
    at: usize,
    syntax: Syntax,
    out: String,
    depth: u32,
    closed_groups: u8,
    back_references: bool,
}

impl<'p> Parser<'p> {
    /// Parses a whole pattern.
    fn parse(pattern: &'p [u8], syntax: Syntax) -> Result<Self, PatternError> {
        let mut parser = Parser {
            pattern,
            at: 0,
            syntax,
            out: String::new(),
            depth: 0,
            closed_groups: 0,
            back_references: false,
        };
        parser.alternatives()?;
        match parser.at < pattern.len() {
            true => Err(OPEN_PAREN),
            false => Ok(parser),
        }
    }

    fn is_basic(&self) -> bool {
        self.syntax.dialect == Dialect::Basic
    }

    /// The next token and its length. `start` is true at the start of a branch.
    fn token(&self, start: bool) -> Result<(Token, usize), PatternError> {
        let rest = &self.pattern[self.at..];
        let basic = self.is_basic();
        Ok(match *rest {
            [] => (Token::End, 0),
            [b'\\'] => return Err(TRAILING_BACKSLASH),
            [b'\\', escaped, ..] => (escape(escaped, basic), 2),
            [b'.', ..] => (Token::Any, 1),
            [b'[', ..] => (Token::Bracket, 1),
            [b'*', ..] => (Token::Star, 1),
            [b'^', ..] if !basic || start => (Token::Anchor("^"), 1),
            [b'$'] => (Token::Anchor("$"), 1),
            [b'$', b'\\', b')' | b'|', ..] if basic => (Token::Anchor("$"), 1),
            [b'$', ..] if !basic => (Token::Anchor("$"), 1),
            [b'(', ..] if !basic => (Token::Open, 1),
            [b')', ..] if !basic => (Token::Close, 1),
            [b'|', ..] if !basic => (Token::Alternative, 1),
            [b'+', ..] if !basic => (Token::Plus, 1),
            [b'?', ..] if !basic => (Token::Question, 1),
            [b'{', ..] if !basic => (Token::OpenRepeat, 1),
            [byte, ..] => (Token::Literal(byte), 1),
        })
    }

    fn alternatives(&mut self) -> Result<(), PatternError> {
        self.branch()?;
        while let (Token::Alternative, len) = self.token(false)? {
            self.at += len;
            self.out.push('|');
            self.branch()?;
        }
        Ok(())
    }

    fn branch(&mut self) -> Result<(), PatternError> {
        let mut start = true;
        loop {
            let (token, len) = self.token(start)?;
            let ends = match token {
                Token::End | Token::Alternative => true,
                // Unmatched in the extended dialect: a literal.
                Token::Close => self.depth > 0 || self.is_basic(),
                _ => false,
            };
            if ends {
                return Ok(());
            }
            self.at += len;
            if let Token::Anchor(anchor) = token {
                self.anchor(anchor);
                // Anchors cannot be repeated.
                self.after_anchor()?;
            } else {
                self.repeated(token, len)?;
            }
            start = false;
        }
    }

    fn anchor(&mut self, anchor: &str) {
        let anchor = match anchor {
            // Without `REG_NEWLINE`, these match only at the start and end of the text.
            "^" if !self.syntax.by_lines => "\\A",
            "$" if !self.syntax.by_lines => "\\z",
            anchor => anchor,
        };
        self.out.push_str(anchor);
    }

    /// After an anchor, repetition operators are literals (basic) or errors (extended).
    fn after_anchor(&mut self) -> Result<(), PatternError> {
        let (token, len) = self.token(false)?;
        match token {
            Token::Star | Token::Plus | Token::Question | Token::OpenRepeat => {
                self.at += len;
                self.repeated(token, len)
            }
            _ => Ok(()),
        }
    }

    /// Parses an atom, whose first token was consumed, and its repetition operators.
    fn repeated(&mut self, token: Token, len: usize) -> Result<(), PatternError> {
        let start = self.out.len();
        self.out.push_str("(?:");
        match token {
            Token::Literal(byte) => self.literal(byte),
            Token::Any => self.out.push('.'),
            Token::Bracket => self.bracket()?,
            Token::Open => self.group()?,
            Token::Class(class) => self.out.push_str(class),
            Token::BackReference(number) if number <= self.closed_groups => {
                self.back_references = true;
                // Writing to a string cannot fail.
                let _ = write!(self.out, "\\{number}");
            }
            Token::BackReference(_) => return Err(BAD_BACK_REFERENCE),
            Token::OpenRepeat => return Err(NOTHING_TO_REPEAT),
            Token::Star | Token::Plus | Token::Question if !self.is_basic() => {
                return Err(NOTHING_TO_REPEAT);
            }
            // An operator without operand is a literal: its last byte.
            _ => self.literal(self.pattern[self.at - len..self.at][len - 1]),
        }
        self.out.push(')');
        let mut repeated = false;
        loop {
            let (token, len) = self.token(false)?;
            let operator = match token {
                Token::Star => "*",
                Token::Plus => "+",
                Token::Question => "?",
                Token::OpenRepeat => "{",
                _ => return Ok(()),
            };
            if repeated && self.is_basic() && matches!(token, Token::Star | Token::OpenRepeat) {
                return Err(NOTHING_TO_REPEAT);
            }
            repeated = true;
            self.at += len;
            if operator == "{" {
                self.repeat_counts()?;
            } else {
                self.out.push_str(operator);
            }
            self.out.insert_str(start, "(?:");
            self.out.push(')');
        }
    }

    fn group(&mut self) -> Result<(), PatternError> {
        if self.depth == MAX_DEPTH {
            return Err(TOO_BIG);
        }
        self.depth += 1;
        self.out.push('(');
        self.alternatives()?;
        self.out.push(')');
        self.depth -= 1;
        let (token, len) = self.token(false)?;
        if token != Token::Close {
            return Err(OPEN_PAREN);
        }
        self.at += len;
        self.closed_groups = self.closed_groups.saturating_add(1);
        Ok(())
    }

    /// Parses `n}`, `n,}`, `,m}` or `n,m}`; the brace is escaped in the basic dialect.
    fn repeat_counts(&mut self) -> Result<(), PatternError> {
        let rest = &self.pattern[self.at..];
        let close: &[u8] = if self.is_basic() { b"\\}" } else { b"}" };
        let Some(len) = rest.windows(close.len()).position(|bytes| bytes == close) else {
            let plausible = rest
                .iter()
                .all(|byte| byte.is_ascii_digit() || *byte == b',');
            return Err(if plausible { OPEN_BRACE } else { BAD_REPEAT });
        };
        let content = std::str::from_utf8(&rest[..len]).map_err(|_| BAD_REPEAT)?;
        self.at += len + close.len();
        let count = |text: &str| -> Result<Option<u32>, PatternError> {
            if !text.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(BAD_REPEAT);
            }
            if text.is_empty() {
                return Ok(None);
            }
            match text.parse() {
                Ok(count) if count <= MAX_REPEAT => Ok(Some(count)),
                _ => Err(TOO_BIG),
            }
        };
        let (least, most) = match content.split_once(',') {
            Some((least, most)) => (count(least)?.unwrap_or(0), count(most)?),
            None => {
                let exactly = count(content)?.ok_or(BAD_REPEAT)?;
                (exactly, Some(exactly))
            }
        };
        let written = match most {
            Some(most) if most < least => return Err(BAD_REPEAT),
            Some(most) => write!(self.out, "{{{least},{most}}}"),
            None => write!(self.out, "{{{least},}}"),
        };
        written.map_err(|_| TOO_BIG)
    }

    /// Emits a literal byte; in UTF-8, consumes and emits the whole character.
    fn literal(&mut self, byte: u8) {
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            self.out.push(byte.into());
            return;
        }
        if self.syntax.utf8 && byte >= 0x80 {
            let (character, len) = decode(&self.pattern[self.at - 1..]);
            if let Some(character) = character {
                self.at += len - 1;
                // Writing to a string cannot fail.
                let _ = write!(self.out, "\\x{{{:x}}}", u32::from(character));
                return;
            }
        }
        let _ = match byte {
            0..0x80 => write!(self.out, "\\x{byte:02x}"),
            _ => write!(self.out, "(?-u:\\x{byte:02x})"),
        };
    }

    /// Parses a bracket expression after its `[`.
    fn bracket(&mut self) -> Result<(), PatternError> {
        let mut bracket = super::bracket::Bracket::new(self.syntax);
        let negated = self.pattern.get(self.at) == Some(&b'^');
        self.at += usize::from(negated);
        if self.at == self.pattern.len() {
            return Err(BAD_PATTERN);
        }
        let mut first = true;
        loop {
            match self.pattern.get(self.at) {
                None => return Err(OPEN_BRACKET),
                Some(b']') if !first => break,
                Some(_) => {}
            }
            first = false;
            match self.bracket_item()? {
                Item::Class(name) => {
                    if !bracket.add_class(name) {
                        return Err(BAD_CLASS);
                    }
                    // `[[:alpha:]-z]`: a class cannot be an endpoint of a range.
                    if self.range_follows() {
                        return Err(BAD_RANGE);
                    }
                }
                Item::Character(low) if self.range_follows() => {
                    self.at += 1;
                    match self.bracket_item()? {
                        Item::Character(high) if low <= high => bracket.add_range(low, high),
                        _ => return Err(BAD_RANGE),
                    }
                    if self.range_follows() {
                        return Err(BAD_RANGE);
                    }
                }
                Item::Character(character) => bracket.add_range(character, character),
            }
        }
        self.at += 1;
        bracket.push_to(&mut self.out, negated);
        Ok(())
    }

    /// At a `-` that is not the last character of its bracket expression.
    fn range_follows(&self) -> bool {
        let rest = &self.pattern[self.at..];
        rest.first() == Some(&b'-') && rest.get(1) != Some(&b']')
    }

    fn bracket_item(&mut self) -> Result<Item, PatternError> {
        let rest = &self.pattern[self.at..];
        match *rest {
            [] => Err(OPEN_BRACKET),
            [b'[', kind @ (b':' | b'.' | b'='), ref rest @ ..] => {
                let end = rest.windows(2).position(|bytes| bytes == [kind, b']']);
                let name = &rest[..end.ok_or(OPEN_BRACKET)?];
                self.at += name.len() + 4;
                if kind == b':' {
                    return Ok(Item::Class(class_name(name).ok_or(BAD_CLASS)?));
                }
                let (character, len) = self.character(name);
                match character {
                    Some(character) if len == name.len() => Ok(Item::Character(character)),
                    _ => Err(BAD_COLLATION),
                }
            }
            _ => {
                let (character, len) = self.character(rest);
                self.at += len;
                // Bytes that are not valid UTF-8 get codes beyond all characters.
                Ok(Item::Character(
                    character.unwrap_or(0x11_0000 + u32::from(rest[0])),
                ))
            }
        }
    }

    /// The character at the start of `bytes` and its length.
    fn character(&self, bytes: &[u8]) -> (Option<u32>, usize) {
        if self.syntax.utf8 {
            let (character, len) = decode(bytes);
            return (character.map(u32::from), len);
        }
        (bytes.first().copied().map(u32::from), 1)
    }
}

/// An element of a bracket expression.
enum Item {
    Class(&'static str),
    Character(u32),
}

fn class_name(name: &[u8]) -> Option<&'static str> {
    const NAMES: [&str; 12] = [
        "alpha", "digit", "alnum", "upper", "lower", "space", "blank", "punct", "print", "graph",
        "cntrl", "xdigit",
    ];
    NAMES.into_iter().find(|known| known.as_bytes() == name)
}

/// Decodes the UTF-8 character at the start of `bytes`; returns its length too, 1 if invalid.
fn decode(bytes: &[u8]) -> (Option<char>, usize) {
    match bstr::decode_utf8(bytes) {
        (Some(character), len) => (Some(character), len),
        (None, _) => (None, 1),
    }
}

/// The meaning of a byte after a backslash.
fn escape(byte: u8, basic: bool) -> Token {
    match byte {
        b'(' if basic => Token::Open,
        b')' if basic => Token::Close,
        b'|' if basic => Token::Alternative,
        b'+' if basic => Token::Plus,
        b'?' if basic => Token::Question,
        b'{' if basic => Token::OpenRepeat,
        b'<' => Token::Anchor("\\b{start}"),
        b'>' => Token::Anchor("\\b{end}"),
        b'b' => Token::Anchor("\\b"),
        b'B' => Token::Anchor("\\B"),
        b'`' => Token::Anchor("\\A"),
        b'\'' => Token::Anchor("\\z"),
        b'w' => Token::Class("\\w"),
        b'W' => Token::Class("\\W"),
        b's' => Token::Class("\\s"),
        b'S' => Token::Class("\\S"),
        b'1'..=b'9' => Token::BackReference(byte - b'0'),
        byte => Token::Literal(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASIC: Syntax = Syntax {
        dialect: Dialect::Basic,
        ignore_case: false,
        by_lines: true,
        utf8: false,
    };
    const EXTENDED: Syntax = Syntax {
        dialect: Dialect::Extended,
        by_lines: false,
        ..BASIC
    };

    fn found(pattern: &str, text: &str, syntax: Syntax) -> Option<usize> {
        let regex = compile(pattern.as_bytes(), syntax).expect(pattern);
        regex.find(text.as_bytes()).map(|found| found.start)
    }

    #[test]
    fn basic() {
        for (pattern, text, at) in [
            ("o\\|w", "two", Some(1)),
            ("*", "x*", Some(1)),
            ("\\(*x\\)", "x*x", Some(1)),
            ("^*", "a\n*", Some(2)),
            ("^**", "a", Some(0)),
            ("^^int", "int", None),
            ("a\\+", "+aa", Some(1)),
            ("\\+", "a+", Some(1)),
            ("r$b", "$r$b", Some(1)),
            ("o^b", "o^b", Some(0)),
            ("e$", "ex\ne\n", Some(3)),
            ("\\(^b\\)", "a\nb", Some(2)),
            ("a\\{,2\\}b", "aab", Some(0)),
            ("(a)", "a(a)", Some(1)),
            ("[]x]", "a]", Some(1)),
            ("[^]]", "]a", Some(1)),
            ("[^a]", "a\nb", Some(2)),
            ("a.b", "a\nb", None),
            ("[\\n]", "a\\", Some(1)),
            ("[[.x.]]", "ax", Some(1)),
            ("[[:digit:]a-]", "b-", Some(1)),
            ("\\n", "an", Some(1)),
            ("\\<ret", "xret ret", Some(5)),
            ("\\}", "}", Some(0)),
            ("a\\|", "b", Some(0)),
            ("\\b*", "a*", Some(1)),
        ] {
            assert_eq!(found(pattern, text, BASIC), at, "{pattern} in {text}");
        }
    }

    #[test]
    fn extended() {
        for (pattern, text, at) in [
            ("^(a|b)+$", "ab", Some(0)),
            ("^[^#]", "#", None),
            ("a)", "a)", Some(0)),
            ("a{2}", "aaa", Some(0)),
            ("x+?y", "y", Some(0)),
            ("\\(", "a(", Some(1)),
            ("a^b", "a^b", None),
            ("()x", "x", Some(0)),
        ] {
            assert_eq!(found(pattern, text, EXTENDED), at, "{pattern} in {text}");
        }
        let any_case = Syntax {
            ignore_case: true,
            ..EXTENDED
        };
        assert_eq!(found("[[:lower:]]b", "AB", any_case), Some(0));
        assert_eq!(found("[^a]", "Ab", any_case), Some(1));
    }

    #[test]
    fn utf8_characters() {
        let utf8 = Syntax {
            utf8: true,
            ..BASIC
        };
        assert_eq!(found("[é]x", "éx", utf8), Some(0));
        assert_eq!(found("^.x", "éx", utf8), Some(0));
        assert_eq!(found("^.x", "éx", BASIC), None);
        assert_eq!(found("^\\wx", "éx", utf8), Some(0));
        assert_eq!(found("é*x", "ééx", utf8), Some(0));
        let regex = compile(b"\xff", utf8).expect("a byte is a pattern");
        assert_eq!(regex.find(b"a\xff").map(|found| found.start), Some(1));
    }

    #[test]
    fn errors() {
        for (pattern, error) in [
            ("[", BAD_PATTERN),
            ("[^", BAD_PATTERN),
            ("[]", OPEN_BRACKET),
            ("[a-", OPEN_BRACKET),
            ("[z-a]", BAD_RANGE),
            ("[a-c-e]", BAD_RANGE),
            ("[[:alpha:]-z]", BAD_RANGE),
            ("[a-[:digit:]]", BAD_RANGE),
            ("[[:foo:]]", BAD_CLASS),
            ("[[:alpha:", OPEN_BRACKET),
            ("[[.space.]]", BAD_COLLATION),
            ("\\(", OPEN_PAREN),
            ("\\)", OPEN_PAREN),
            ("a\\{", OPEN_BRACE),
            ("a\\{1,", OPEN_BRACE),
            ("a\\{2,1\\}", BAD_REPEAT),
            ("a\\{x\\}", BAD_REPEAT),
            ("a\\{\\}", BAD_REPEAT),
            ("a\\{40000\\}", TOO_BIG),
            ("\\{1\\}", NOTHING_TO_REPEAT),
            ("a**", NOTHING_TO_REPEAT),
            ("\\1", BAD_BACK_REFERENCE),
            ("a\\", TRAILING_BACKSLASH),
        ] {
            assert_eq!(
                compile(pattern.as_bytes(), BASIC).unwrap_err(),
                error,
                "{pattern}"
            );
        }
        for pattern in ["*", "a|*b", "(+)", "^*", "a{", "a{x}", "(", "{1}"] {
            assert!(compile(pattern.as_bytes(), EXTENDED).is_err(), "{pattern}");
        }
        let deep = "\\(".repeat(100_000);
        assert!(compile(deep.as_bytes(), BASIC).is_err());
    }
}
