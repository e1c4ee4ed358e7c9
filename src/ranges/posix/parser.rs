//! Parses POSIX regular expressions and translates them to the syntax of the `regex` crate.

use std::fmt::Write;

use crate::ranges::posix::{
    bracket_expression::BracketExpression,
    syntax::{RegexDialect, RegexSyntax},
};

/// An error message of `regerror`.
pub(super) type PatternError = &'static str;

pub(super) const BAD_PATTERN: PatternError = "Invalid regular expression";
pub(super) const BAD_COLLATION: PatternError = "Invalid collation character";
pub(super) const BAD_CLASS: PatternError = "Invalid character class name";
pub(super) const TRAILING_BACKSLASH: PatternError = "Trailing backslash";
pub(super) const BAD_BACK_REFERENCE: PatternError = "Invalid back reference";
pub(super) const OPEN_BRACKET: PatternError = "Unmatched [, [^, [:, [., or [=";
pub(super) const OPEN_PAREN: PatternError = "Unmatched ( or \\(";
pub(super) const OPEN_BRACE: PatternError = "Unmatched \\{";
pub(super) const BAD_REPEAT: PatternError = "Invalid content of \\{\\}";
pub(super) const BAD_RANGE: PatternError = "Invalid range end";
pub(super) const NOTHING_TO_REPEAT: PatternError = "Invalid preceding regular expression";
pub(super) const TOO_BIG: PatternError = "Regular expression too big";

/// glibc's `RE_DUP_MAX`.
const MAX_REPEAT: u32 = 0x7fff;
/// Deeper nesting of groups is an error, to bound recursion.
const MAX_DEPTH: u32 = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PatternToken {
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

/// A recursive-descent parser that writes the translation as it goes.
pub(super) struct PatternParser<'p> {
    pattern: &'p [u8],
    at: usize,
    syntax: RegexSyntax,
    /// The translation.
    pub(super) out: String,
    depth: u32,
    closed_groups: u8,
    pub(super) back_references: bool,
}

impl<'p> PatternParser<'p> {
    /// Parses a whole pattern.
    pub(super) fn parse(pattern: &'p [u8], syntax: RegexSyntax) -> Result<Self, PatternError> {
        let mut parser = PatternParser {
            pattern,
            at: 0,
            syntax,
            out: String::new(),
            depth: 0,
            closed_groups: 0,
            back_references: false,
        };
        parser.alternatives()?;
        if parser.at < pattern.len() {
            Err(OPEN_PAREN)
        } else {
            Ok(parser)
        }
    }

    fn is_basic(&self) -> bool {
        self.syntax.dialect == RegexDialect::Basic
    }

    /// The next token and its length. `start` is true at the start of a branch.
    fn token(&self, start: bool) -> Result<(PatternToken, usize), PatternError> {
        let rest = &self.pattern[self.at..];
        let basic = self.is_basic();
        Ok(match *rest {
            [] => (PatternToken::End, 0),
            [b'\\'] => return Err(TRAILING_BACKSLASH),
            [b'\\', escaped, ..] => (escape(escaped, basic), 2),
            [b'.', ..] => (PatternToken::Any, 1),
            [b'[', ..] => (PatternToken::Bracket, 1),
            [b'*', ..] => (PatternToken::Star, 1),
            [b'^', ..] if !basic || start => (PatternToken::Anchor("^"), 1),
            [b'$'] => (PatternToken::Anchor("$"), 1),
            [b'$', b'\\', b')' | b'|', ..] if basic => (PatternToken::Anchor("$"), 1),
            [b'$', ..] if !basic => (PatternToken::Anchor("$"), 1),
            [b'(', ..] if !basic => (PatternToken::Open, 1),
            [b')', ..] if !basic => (PatternToken::Close, 1),
            [b'|', ..] if !basic => (PatternToken::Alternative, 1),
            [b'+', ..] if !basic => (PatternToken::Plus, 1),
            [b'?', ..] if !basic => (PatternToken::Question, 1),
            [b'{', ..] if !basic => (PatternToken::OpenRepeat, 1),
            [byte, ..] => (PatternToken::Literal(byte), 1),
        })
    }

    fn alternatives(&mut self) -> Result<(), PatternError> {
        self.branch()?;
        while let (PatternToken::Alternative, len) = self.token(false)? {
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
                PatternToken::End | PatternToken::Alternative => true,
                // Unmatched in the extended dialect: a literal.
                PatternToken::Close => self.depth > 0 || self.is_basic(),
                _ => false,
            };
            if ends {
                return Ok(());
            }
            self.at += len;
            if let PatternToken::Anchor(anchor) = token {
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
            PatternToken::Star
            | PatternToken::Plus
            | PatternToken::Question
            | PatternToken::OpenRepeat => {
                self.at += len;
                self.repeated(token, len)
            }
            _ => Ok(()),
        }
    }

    /// Parses an atom, whose first token was consumed, and its repetition operators.
    fn repeated(&mut self, token: PatternToken, len: usize) -> Result<(), PatternError> {
        let start = self.out.len();
        self.out.push_str("(?:");
        match token {
            PatternToken::Literal(byte) => self.literal(byte),
            PatternToken::Any => self.out.push('.'),
            PatternToken::Bracket => self.bracket()?,
            PatternToken::Open => self.group()?,
            PatternToken::Class(class) => self.out.push_str(class),
            PatternToken::BackReference(number) if number <= self.closed_groups => {
                self.back_references = true;
                // Writing to a string cannot fail.
                let _ = write!(self.out, "\\{number}");
            }
            PatternToken::BackReference(_) => return Err(BAD_BACK_REFERENCE),
            PatternToken::OpenRepeat => return Err(NOTHING_TO_REPEAT),
            PatternToken::Star | PatternToken::Plus | PatternToken::Question
                if !self.is_basic() =>
            {
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
                PatternToken::Star => "*",
                PatternToken::Plus => "+",
                PatternToken::Question => "?",
                PatternToken::OpenRepeat => "{",
                _ => return Ok(()),
            };
            if repeated
                && self.is_basic()
                && matches!(token, PatternToken::Star | PatternToken::OpenRepeat)
            {
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
        if token != PatternToken::Close {
            return Err(OPEN_PAREN);
        }
        self.at += len;
        self.closed_groups = self.closed_groups.saturating_add(1);
        Ok(())
    }

    /// Parses `n}`, `n,}`, `,m}` or `n,m}`; the brace is escaped in the basic dialect.
    fn repeat_counts(&mut self) -> Result<(), PatternError> {
        let rest = &self.pattern[self.at..];
        let close_len = if self.is_basic() { 2 } else { 1 };
        let Some(len) = closing_brace(rest, self.is_basic()) else {
            // Open to the end, unless it is wrong before a comma.
            let mut parts = rest.split(|byte| *byte == b',');
            let least = parts.next().unwrap_or_default();
            let is_open = match (parts.next(), parts.next()) {
                (None, _) => true,
                (Some(_), None) => least.iter().all(u8::is_ascii_digit),
                (Some(_), Some(_)) => false,
            };
            return Err(if is_open { OPEN_BRACE } else { BAD_REPEAT });
        };
        let content = std::str::from_utf8(&rest[..len]).map_err(|_| BAD_REPEAT)?;
        self.at += len + close_len;
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
        let mut bracket = BracketExpression::new(self.syntax);
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
                BracketItem::Class(name) => {
                    if !bracket.add_class(name) {
                        return Err(BAD_CLASS);
                    }
                    // `[[:alpha:]-z]`: a class cannot be an endpoint of a range.
                    if self.range_follows() {
                        return Err(BAD_RANGE);
                    }
                }
                BracketItem::Character(low) if self.range_follows() => {
                    self.at += 1;
                    match self.bracket_item()? {
                        BracketItem::Character(high) if low <= high => bracket.add_range(low, high),
                        _ => return Err(BAD_RANGE),
                    }
                    if self.range_follows() {
                        return Err(BAD_RANGE);
                    }
                }
                BracketItem::Character(character) => bracket.add_range(character, character),
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

    fn bracket_item(&mut self) -> Result<BracketItem, PatternError> {
        let rest = &self.pattern[self.at..];
        match *rest {
            [] => Err(OPEN_BRACKET),
            [b'[', kind @ (b':' | b'.' | b'='), ref rest @ ..] => {
                let end = rest.windows(2).position(|bytes| bytes == [kind, b']']);
                let name = &rest[..end.ok_or(OPEN_BRACKET)?];
                self.at += name.len() + 4;
                if kind == b':' {
                    return Ok(BracketItem::Class(class_name(name).ok_or(BAD_CLASS)?));
                }
                let (character, len) = self.character(name);
                match character {
                    Some(character) if len == name.len() => Ok(BracketItem::Character(character)),
                    _ => Err(BAD_COLLATION),
                }
            }
            _ => {
                let (character, len) = self.character(rest);
                self.at += len;
                // Bytes that are not valid UTF-8 get codes beyond all characters.
                Ok(BracketItem::Character(
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
enum BracketItem {
    Class(&'static str),
    Character(u32),
}

/// Where `\}` is in a basic expression, or `}` in an extended one; a backslash may itself be
/// escaped.
fn closing_brace(expression: &[u8], is_basic: bool) -> Option<usize> {
    let mut at = 0;
    loop {
        match expression.get(at..)? {
            [b'\\', b'}', ..] if is_basic => return Some(at),
            [b'\\', _, ..] => at += 2,
            [b'}', ..] if !is_basic => return Some(at),
            [] => return None,
            _ => at += 1,
        }
    }
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
fn escape(byte: u8, basic: bool) -> PatternToken {
    match byte {
        b'(' if basic => PatternToken::Open,
        b')' if basic => PatternToken::Close,
        b'|' if basic => PatternToken::Alternative,
        b'+' if basic => PatternToken::Plus,
        b'?' if basic => PatternToken::Question,
        b'{' if basic => PatternToken::OpenRepeat,
        b'<' => PatternToken::Anchor("\\b{start}"),
        b'>' => PatternToken::Anchor("\\b{end}"),
        b'b' => PatternToken::Anchor("\\b"),
        b'B' => PatternToken::Anchor("\\B"),
        b'`' => PatternToken::Anchor("\\A"),
        b'\'' => PatternToken::Anchor("\\z"),
        b'w' => PatternToken::Class("\\w"),
        b'W' => PatternToken::Class("\\W"),
        b's' => PatternToken::Class("\\s"),
        b'S' => PatternToken::Class("\\S"),
        b'1'..=b'9' => PatternToken::BackReference(byte - b'0'),
        byte => PatternToken::Literal(byte),
    }
}
