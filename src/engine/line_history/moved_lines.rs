//! Where lines stood in the file before a commit moved them.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::diff::{LineInterner, Token};

/// Most places of the same line that are tried.
const MAX_PLACES: usize = 16;

/// The lines of `old` that `added`, which a commit added, are most likely the same as: the run with
/// the most letters and digits in common, line by line, if these are more than `threshold`, and
/// their number. `key` says which lines are the same.
pub(super) fn find_moved(
    added: &[Token],
    old: &[Token],
    threshold: u32,
    interned: &LineInterner,
    key: impl Fn(Token) -> Token,
) -> Option<(u64, Range<u32>)> {
    let score = |token: Token| {
        let bytes = interned.bytes(token).iter();
        bytes.filter(|byte| byte.is_ascii_alphanumeric()).count() as u64
    };
    let mut places: FxHashMap<Token, Vec<usize>> = FxHashMap::default();
    for &token in added {
        places.entry(key(token)).or_default();
    }
    for (at, &token) in old.iter().enumerate() {
        if let Some(places) = places.get_mut(&key(token))
            && places.len() < MAX_PLACES
        {
            places.push(at);
        }
    }
    // By the distance that the lines would have moved.
    let mut scores: FxHashMap<usize, u64> = FxHashMap::default();
    for (nth, &token) in added.iter().enumerate() {
        let score = score(token);
        for &at in places.get(&key(token)).into_iter().flatten() {
            *scores.entry(at + added.len() - nth).or_default() += score;
        }
    }
    let best = scores
        .into_iter()
        .max_by_key(|&(distance, score)| (score, std::cmp::Reverse(distance)))?;
    let (distance, score) = best;
    if score <= u64::from(threshold) {
        return None;
    }
    let old_line = |nth: usize| (distance + nth).checked_sub(added.len());
    let is_same = |nth: &usize| {
        let before = old_line(*nth).and_then(|at| old.get(at));
        before.is_some_and(|&before| key(before) == key(added[*nth]))
    };
    let first = old_line((0..added.len()).find(is_same)?)?;
    let last = old_line((0..added.len()).rev().find(is_same)?)?;
    Some((score, first as u32..last as u32 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::line_history::tokens_of;

    #[track_caller]
    fn check(added: &str, old: &str, threshold: u32, expected: Option<Range<u32>>) {
        let mut interned = LineInterner::new(false);
        let mut tokens = |text: &str| tokens_of(text, &mut interned);
        let (added, old) = (tokens(added), tokens(old));
        let found = find_moved(&added, &old, threshold, &interned, |token| token);
        assert_eq!(found.map(|(_, range)| range), expected);
    }

    #[test]
    fn the_run_with_most_in_common_is_found() {
        let old = "a\nthe first\nthe second\nthe third\nb\nthe second\nx\n";
        check("the first\nthe second\n", old, 5, Some(1..3));
        check("new\nthe second\nthe third\n", old, 5, Some(2..4));
        // A line in the middle may differ.
        check("the first\nanother\nthe third\n", old, 5, Some(1..4));
        check("x\n", old, 0, Some(6..7));
    }

    #[test]
    fn too_little_in_common_is_nothing() {
        check("x\n", "x\n", 1, None);
        check("}\n\n", "{\n}\n\n", 0, None);
        check("one\n", "two\n", 0, None);
        check("", "two\n", 0, None);
        check("one\n", "", 0, None);
    }
}
