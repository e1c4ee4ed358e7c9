//! The words that differ between a line and its counterpart in a diff.

use std::ops::Range;

/// Longest line that is compared, in bytes.
const MAX_LINE_LEN: usize = 4096;

/// The range of `line` between the prefix and the suffix that it shares with `other`, extended to
/// whole words; `None` if they share less than two fifths of their non-blank bytes.
pub fn differing(line: &[u8], other: &[u8]) -> Option<Range<usize>> {
    if line.len().max(other.len()) > MAX_LINE_LEN {
        return None;
    }
    let most = line.len().min(other.len());
    let same = line.iter().zip(other).take_while(|(a, b)| a == b).count();
    let prefix = (0..=same)
        .rev()
        .find(|&at| is_word_boundary(line, at) && is_word_boundary(other, at))?;
    let backwards = line.iter().rev().zip(other.iter().rev());
    let same = backwards
        .take(most - prefix)
        .take_while(|(a, b)| a == b)
        .count();
    let suffix = (0..=same).rev().find(|&at| {
        is_word_boundary(line, line.len() - at) && is_word_boundary(other, other.len() - at)
    })?;
    let non_blank_len = |bytes: &[u8]| {
        bytes
            .iter()
            .filter(|byte| !byte.is_ascii_whitespace())
            .count()
    };
    let common = non_blank_len(&line[..prefix]) + non_blank_len(&line[line.len() - suffix..]);
    let all = non_blank_len(line).max(non_blank_len(other));
    (5 * common >= 2 * all).then_some(prefix..line.len() - suffix)
}

/// True if a position is not inside a word.
fn is_word_boundary(line: &[u8], at: usize) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let before = at.checked_sub(1).and_then(|before| line.get(before));
    !(before.is_some_and(is_word) && line.get(at).is_some_and(is_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts<'a>(one: &'a str, other: &'a str) -> Option<(&'a str, &'a str)> {
        let found = differing(one.as_bytes(), other.as_bytes());
        let back = differing(other.as_bytes(), one.as_bytes());
        assert_eq!(found.is_some(), back.is_some());
        Some((&one[found?], &other[back?]))
    }

    #[test]
    fn whole_words_that_differ() {
        let cases = [
            ("    burn(oil);", "    burn(gas);", Some(("oil", "gas"))),
            ("    burn();", "    burn(oil);", Some(("", "oil"))),
            (
                "let old_name = 1;",
                "let new_name = 1;",
                Some(("old_name", "new_name")),
            ),
            ("a a a b", "a a a a b", Some(("", "a "))),
            ("\tif (x) {", "\t\tif (x) {", Some(("", "\t"))),
            (
                "naïve idea here",
                "naive idea here",
                Some(("naïve", "naive")),
            ),
            ("one two", "three four", None),
            ("", "x", None),
            ("", "", Some(("", ""))),
        ];
        for (one, other, expected) in cases {
            assert_eq!(parts(one, other), expected, "{one:?} {other:?}");
        }
    }
}
