//! What git says about lines of attributes files that it ignores (gitattributes(5)).

use bstr::{BStr, BString, ByteSlice};

use crate::error::until_nul;

const NEGATIVE_PATTERN: &str = "warning: Negative patterns are ignored in git attributes\n\
    Use '\\!' for literal leading exclamation.";

/// The bytes between the words of a line.
const BLANKS: &[u8] = b" \t\r\n";

/// Adds what git says about the lines of a file, which it calls `name`.
pub(super) fn add_warnings(text: &[u8], name: &BStr, notes: &mut Vec<BString>) {
    for (at, line) in text.lines().enumerate() {
        match ignored(until_nul(line)) {
            Some(Ignored::Pattern) => notes.push(NEGATIVE_PATTERN.into()),
            Some(Ignored::Name(attribute)) => {
                let place = format!(":{}", at + 1);
                let problem = b" is not a valid attribute name: ";
                notes.push([attribute, problem, name, place.as_bytes()].concat().into());
            }
            None => {}
        }
    }
}

/// Why a line is ignored.
#[derive(Debug, PartialEq, Eq)]
enum Ignored<'a> {
    /// Its pattern begins with an exclamation mark.
    Pattern,
    /// No attribute can have this name.
    Name(&'a [u8]),
}

fn ignored(line: &[u8]) -> Option<Ignored<'_>> {
    let line = line.trim_start_with(is_blank);
    if line.is_empty() || line[0] == b'#' || line.starts_with(b"[attr]") {
        return None;
    }
    let unquoted = match line[0] {
        b'"' => gix::quote::ansi_c::undo(line.as_bstr()).ok(),
        _ => None,
    };
    let (is_negative, attributes) = match unquoted {
        Some((pattern, len)) => (pattern.starts_with(b"!"), &line[len..]),
        None => {
            let end = line.find_byteset(BLANKS).unwrap_or(line.len());
            (line[0] == b'!', &line[end..])
        }
    };
    for word in attributes.fields_with(is_blank) {
        let name = word.strip_prefix(b"-").or(word.strip_prefix(b"!"));
        let name = name.unwrap_or(word);
        let name = &name[..name.find_byte(b'=').unwrap_or(name.len())];
        if !is_valid(name) {
            return Some(Ignored::Name(name));
        }
    }
    is_negative.then_some(Ignored::Pattern)
}

fn is_blank(character: char) -> bool {
    u8::try_from(character).is_ok_and(|byte| BLANKS.contains(&byte))
}

fn is_valid(name: &[u8]) -> bool {
    let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._".contains(byte);
    !name.is_empty()
        && name[0] != b'-'
        && name.iter().all(is_allowed)
        && !name.starts_with(b"builtin_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_ignored() {
        let negative = [
            "!",
            "!x a",
            "\t!x -a b=c",
            "\"!q\" a",
            "\"\\041q\"",
            "![attr]b",
            "!!x",
        ];
        for line in negative {
            assert_eq!(ignored(line.as_bytes()), Some(Ignored::Pattern), "{line}");
        }
        for (line, name) in [
            ("!x a/b", "a/b"),
            ("x ok --a", "-a"),
            ("x =v", ""),
            ("x !", ""),
            ("x #c", "#c"),
            ("x builtin_objectmode=1", "builtin_objectmode"),
            ("x a \"b c\"", "\"b"),
        ] {
            let expected = Some(Ignored::Name(name.as_bytes()));
            assert_eq!(ignored(line.as_bytes()), expected, "{line}");
        }
        for line in [
            "",
            " ",
            "#!x a/b",
            "x",
            "x a=/ -b !c .d",
            "\\!x a",
            "\"!x a",
            "[attr]!x a/b",
            "\x0b!x",
        ] {
            assert_eq!(ignored(line.as_bytes()), None, "{line}");
        }
    }
}
