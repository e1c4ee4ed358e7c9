//! The order in which names with version numbers are offered.

use std::cmp::Ordering;

/// By letters, and of names that differ in a number, the one with the greater number first. So the
/// newest version is the first one, and stands before its release candidates.
pub(crate) fn newest_first(one: &[u8], other: &[u8]) -> Ordering {
    let (mut one, mut other) = (one, other);
    loop {
        let (words, other_words) = (words(&mut one), words(&mut other));
        let ranks = (rank(words, one), rank(other_words, other));
        let numbers = (number(&mut one), number(&mut other));
        let order = ranks.0.cmp(&ranks.1);
        let order = order.then_with(|| words.cmp(other_words));
        let order = order.then(numbers.1.len().cmp(&numbers.0.len()));
        let order = order.then_with(|| numbers.1.cmp(numbers.0));
        if order.is_ne() || ranks.0 == AT_END {
            return order;
        }
    }
}

/// The rank of a name that ends.
const AT_END: u8 = 1;

/// A further part makes a newer version, anything else makes one that came before.
fn rank(words: &[u8], rest: &[u8]) -> u8 {
    match words.first() {
        Some(b'.') => 0,
        None if rest.is_empty() => AT_END,
        _ => 2,
    }
}

/// What stands before the next digit, which is taken away.
fn words<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(u8::is_ascii_digit);
    take(text, end)
}

/// The number at the beginning, without zeros before it, which is taken away.
fn number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(|byte| !byte.is_ascii_digit());
    let digits = take(text, end);
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    &digits[zeros..]
}

fn take<'a>(text: &mut &'a [u8], end: Option<usize>) -> &'a [u8] {
    let (taken, rest) = text.split_at(end.unwrap_or(text.len()));
    *text = rest;
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_versions_come_first() {
        let sorted = [
            "HEAD",
            "main",
            "release-10",
            "release-9",
            "v2.45.0",
            "v2.45.0-rc1",
            "v2.45.0-rc0",
            "v2.9.10",
            "v2.9.9.1",
            "v2.9.9",
            "v2.9.8-x",
            "v2.9",
            "v1",
            "v",
        ];
        for (at, one) in sorted.iter().enumerate() {
            for (other_at, other) in sorted.iter().enumerate() {
                let order = newest_first(one.as_bytes(), other.as_bytes());
                assert_eq!(order, at.cmp(&other_at), "{one} {other}");
            }
        }
        assert_eq!(newest_first(b"a007", b"a7"), Ordering::Equal);
    }
}
