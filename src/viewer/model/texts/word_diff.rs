//! The words that differ between a line and its counterpart in a diff.

use std::{iter, ops::Range};

use crate::diff::{ComparedText, DiffOptions};

/// Longest line that is compared, in bytes.
const MAX_LINE_LEN: usize = 4096;

/// Most words, with the bytes between them, among which those that differ are looked for.
const MAX_WORDS: usize = 1024;

/// The ranges of `line` that differ from `other`, in whole words; `None` if both share less than two
/// fifths of their non-blank bytes: those before and after all changes, and words between them.
pub fn differing(line: &[u8], other: &[u8]) -> Option<Vec<Range<usize>>> {
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
    let changed = prefix..line.len() - suffix;
    let others = &other[prefix..other.len() - suffix];
    let ranges = changed_words(&line[changed.clone()], others);
    let ranges = ranges.unwrap_or_else(|| iter::once(0..changed.len()).collect());
    let ranges = ranges.into_iter();
    let mut ranges: Vec<_> = ranges
        .map(|it| it.start + prefix..it.end + prefix)
        .collect();
    let non_blank_len = |bytes: &[u8]| {
        bytes
            .iter()
            .filter(|byte| !byte.is_ascii_whitespace())
            .count()
    };
    let mut common = non_blank_len(&line[..prefix]) + non_blank_len(&line[changed.end..]);
    for pair in ranges.windows(2) {
        let between = &line[pair[0].end..pair[1].start];
        common += between.iter().filter(|byte| is_of_word(byte)).count();
    }
    let all = non_blank_len(line).max(non_blank_len(other));
    ranges.retain(|range| !range.is_empty());
    (5 * common >= 2 * all).then_some(ranges)
}

/// The bytes of `line` that do not differ from `other`; 0 if there are too few of them.
pub(crate) fn common_len(line: &[u8], other: &[u8]) -> usize {
    let differing = differing(line, other);
    differing.map_or(0, |ranges| {
        line.len() - ranges.iter().map(|range| range.len()).sum::<usize>()
    })
}

/// The runs of old and new lines that differ only in white space, in order: the first line of each, and
/// how many there are. Brackets alone are no run.
pub(crate) fn reindented<T: AsRef<[u8]>>(
    olds: impl Iterator<Item = T>,
    news: impl Iterator<Item = T>,
) -> Vec<(usize, usize, usize)> {
    let joined = |lines: &mut dyn Iterator<Item = T>| {
        let (mut text, mut has_word) = (Vec::new(), Vec::new());
        for line in lines {
            let line = line.as_ref();
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            has_word.push(line.iter().any(is_of_word));
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        (text, has_word)
    };
    let ((old, has_word), (new, _)) = (joined(&mut { olds }), joined(&mut { news }));
    let options = DiffOptions {
        ignore_whitespace: true,
        indent_heuristic: false,
        ..DiffOptions::default()
    };
    let compared = ComparedText::new(&old, &options);
    let Ok(hunks) = compared.and_then(|mut compared| compared.hunks_to(&new)) else {
        return Vec::new();
    };
    let (mut runs, mut start) = (Vec::new(), (0, 0));
    for hunk in &hunks {
        runs.push((start, hunk.old.start as usize - start.0));
        start = (hunk.old.end as usize, hunk.new.end as usize);
    }
    runs.push((start, has_word.len() - start.0));
    let runs = runs.into_iter().map(|((old, new), len)| (old, new, len));
    runs.filter(|(old, _, len)| has_word[*old..old + len].contains(&true))
        .collect()
}

/// The ranges of `line` that `other` does not have; those without a word between them are one. `None` if
/// they cannot be compared.
fn changed_words(line: &[u8], other: &[u8]) -> Option<Vec<Range<usize>>> {
    if line.is_empty() || other.is_empty() {
        return None;
    }
    let (ends, other_ends) = (word_ends(line), word_ends(other));
    if ends.len().max(other_ends.len()) > MAX_WORDS {
        return None;
    }
    let options = DiffOptions {
        indent_heuristic: false,
        ..DiffOptions::default()
    };
    let mut compared = ComparedText::new(&a_word_a_line(other, &other_ends), &options).ok()?;
    let hunks = compared.hunks_to(&a_word_a_line(line, &ends)).ok()?;
    let start = |word: u32| {
        (word as usize)
            .checked_sub(1)
            .map_or(0, |before| ends[before])
    };
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for hunk in hunks {
        let range = start(hunk.new.start)..start(hunk.new.end);
        match ranges.last_mut() {
            Some(last) if !line[last.end..range.start].iter().any(is_of_word) => {
                last.end = range.end;
            }
            _ => ranges.push(range),
        }
    }
    Some(ranges)
}

/// The ends of words, and of the bytes between them.
fn word_ends(line: &[u8]) -> Vec<usize> {
    (1..=line.len())
        .filter(|&at| is_word_boundary(line, at))
        .collect()
}

fn a_word_a_line(line: &[u8], ends: &[usize]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(line.len() + ends.len());
    let mut start = 0;
    for &end in ends {
        lines.extend_from_slice(&line[start..end]);
        lines.push(b'\n');
        start = end;
    }
    lines
}

fn is_of_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80
}

/// True if a position is not inside a word.
fn is_word_boundary(line: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| line.get(before));
    !(before.is_some_and(is_of_word) && line.get(at).is_some_and(is_of_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What differs of each, the ranges separated by bars.
    fn parts(one: &str, other: &str) -> Option<(String, String)> {
        let found = differing(one.as_bytes(), other.as_bytes());
        let back = differing(other.as_bytes(), one.as_bytes());
        assert_eq!(found.is_some(), back.is_some());
        let words = |line: &str, ranges: Vec<Range<usize>>| {
            let words = ranges.into_iter().map(|range| &line[range]);
            words.collect::<Vec<_>>().join("|")
        };
        Some((words(one, found?), words(other, back?)))
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
            (
                "if (c->flags & (OFF|SKIP)) return ERR;",
                "if ((c->flags & (OFF|SKIP)) &&",
                Some(("return ERR;", "(|&&")),
            ),
            (
                "light(oil, wick, 3);",
                "light(gas, wick, 4);",
                Some(("oil|3", "gas|4")),
            ),
            // Brackets and commas alone are nothing in common.
            ("sum(one, two, 3);", "put(red, tea, x);", None),
            ("one two", "three four", None),
            ("", "x", None),
            ("", "", Some(("", ""))),
        ];
        for (one, other, expected) in cases {
            let expected = expected.map(|(one, other)| (one.to_owned(), other.to_owned()));
            assert_eq!(parts(one, other), expected, "{one:?} {other:?}");
        }
    }
}
