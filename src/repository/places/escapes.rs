//! Text without the sequences that color it or make links of it.

use std::borrow::Cow;

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 7;

/// `line` without its terminal control sequences (`ESC [ … letter`, and `ESC ] …` up to a bell or
/// `ESC \`). Programs write these around file names and line numbers too.
pub fn without_escapes(line: &[u8]) -> Cow<'_, [u8]> {
    if !line.contains(&ESCAPE) {
        return Cow::Borrowed(line);
    }
    let mut plain = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = memchr::memchr(ESCAPE, rest) {
        plain.extend_from_slice(&rest[..at]);
        rest = after_sequence(&rest[at + 1..]);
    }
    plain.extend_from_slice(rest);
    Cow::Owned(plain)
}

/// What follows the sequence whose first byte after the escape begins `rest`.
fn after_sequence(rest: &[u8]) -> &[u8] {
    let len = match rest.first() {
        Some(b'[') => {
            let parameters = rest[1..].iter();
            let len = parameters.take_while(|byte| matches!(byte, 0x20..=0x3f));
            len.count() + 2
        }
        Some(b']') => {
            let end = memchr::memchr2(BELL, ESCAPE, rest);
            match end {
                Some(end) if rest[end] == BELL => end + 1,
                Some(end) => end + 2,
                None => rest.len(),
            }
        }
        Some(_) => 1,
        None => 0,
    };
    rest.get(len..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_removed() {
        for (line, plain) in [
            ("a.c:7", "a.c:7"),
            ("\x1b[0m\x1b[35ma.c\x1b[0m:\x1b[32m7\x1b[0m:", "a.c:7:"),
            ("\x1b[01m\x1b[Ka.c:7:\x1b[m\x1b[K x", "a.c:7: x"),
            ("\x1b]8;;file:///a.c\x1b\\a.c\x1b]8;;\x07:7", "a.c:7"),
            ("a\x1b", "a"),
            ("a\x1b[", "a"),
            ("a\x1b]8;;", "a"),
            ("a\x1bcb", "ab"),
        ] {
            assert_eq!(
                &*without_escapes(line.as_bytes()),
                plain.as_bytes(),
                "{line:?}"
            );
        }
    }
}
