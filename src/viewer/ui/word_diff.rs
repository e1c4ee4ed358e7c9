//! What differs between a line and the one that replaces it.

use std::ops::Range;

/// Longer lines are not compared.
const LONGEST: usize = 4096;

/// The part of `line` that `other` has not, in whole words, if the rest of both is much alike; nothing
/// if they have too little in common for that to tell anything.
pub fn differing(line: &[u8], other: &[u8]) -> Option<Range<usize>> {
    if line.len().max(other.len()) > LONGEST {
        return None;
    }
    let most = line.len().min(other.len());
    let same = line.iter().zip(other).take_while(|(a, b)| a == b).count();
    let prefix = (0..=same)
        .rev()
        .find(|&at| is_border(line, at) && is_border(other, at))?;
    let backwards = line.iter().rev().zip(other.iter().rev());
    let same = backwards
        .take(most - prefix)
        .take_while(|(a, b)| a == b)
        .count();
    let suffix = (0..=same)
        .rev()
        .find(|&at| is_border(line, line.len() - at) && is_border(other, other.len() - at))?;
    let solid = |bytes: &[u8]| {
        bytes
            .iter()
            .filter(|byte| !byte.is_ascii_whitespace())
            .count()
    };
    let common = solid(&line[..prefix]) + solid(&line[line.len() - suffix..]);
    let all = solid(line).max(solid(other));
    (5 * common >= 2 * all).then_some(prefix..line.len() - suffix)
}

/// Between two words, or between a word and something else.
fn is_border(line: &[u8], at: usize) -> bool {
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
