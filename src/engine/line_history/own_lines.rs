//! Maps the requested lines themselves to a parent, where git's rule makes their range grow.

use std::{cmp::Reverse, ops::Range};

use crate::{
    diff::{Hunk, LineInterner, Token},
    engine::{
        line_history::line_ranges::{merged, touches},
        similarity::bigrams::{Bigrams, MIN_SIMILARITY, proportional},
    },
};

/// Most lines of a hunk for which a similar line is looked for. More are followed to all lines that
/// the hunk replaced.
const MAX_LINES: usize = 256;

/// Most old lines of a hunk that are compared with one line, those around the same relative
/// position.
const MAX_CANDIDATES: u32 = 256;

/// The tokens of two versions of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct TwoVersions<'a> {
    pub(super) new: &'a [Token],
    pub(super) old: &'a [Token],
    pub(super) interned: &'a LineInterner,
}

impl<'a> TwoVersions<'a> {
    fn text(&self, tokens: &[Token], line: u32) -> &'a [u8] {
        let token = tokens.get(line as usize);
        token.map_or(&[], |&token| self.interned.bytes(token))
    }
}

/// True if a hunk changes any of `own`.
pub(super) fn are_touched(own: &[Range<u32>], hunks: &[Hunk]) -> bool {
    let is_touched = |range: &Range<u32>| hunks.iter().any(|hunk| touches(hunk, range));
    own.iter().any(is_touched)
}

/// The lines in the parent, sorted and merged: of a line that a hunk replaced, the most similar
/// line of the hunk. With them, how similar the most similar pair is, in percent.
pub(super) fn to_parent(
    own: &[Range<u32>],
    hunks: &[Hunk],
    versions: TwoVersions<'_>,
) -> (Vec<Range<u32>>, u8) {
    let (mut parents, mut alike) = (Vec::new(), 0);
    for range in own {
        let mut line = range.start;
        let mut at = hunks.partition_point(|hunk| hunk.new.end <= line);
        while line < range.end {
            let hunk = hunks.get(at);
            let unchanged = line..hunk.map_or(range.end, |hunk| hunk.new.start).min(range.end);
            if !unchanged.is_empty() {
                let before = at.checked_sub(1).and_then(|before| hunks.get(before));
                let shifted =
                    |line: u32| before.map_or(line, |hunk| line - hunk.new.end + hunk.old.end);
                parents.push(shifted(unchanged.start)..shifted(unchanged.end));
                alike = 100;
                line = unchanged.end;
            }
            if let Some(hunk) = hunk {
                let replaced = line..hunk.new.end.min(range.end);
                if !replaced.is_empty() {
                    alike = alike.max(before_hunk(&replaced, hunk, versions, &mut parents));
                    line = replaced.end;
                }
            }
            at += 1;
        }
    }
    (merged(parents), alike)
}

/// Adds the lines that `lines`, which a hunk wrote, were before. Returns how similar the most similar
/// pair is, in percent.
fn before_hunk(
    lines: &Range<u32>,
    hunk: &Hunk,
    versions: TwoVersions<'_>,
    parents: &mut Vec<Range<u32>>,
) -> u8 {
    if hunk.old.is_empty() {
        return 0;
    }
    if lines.len() > MAX_LINES || hunk.new.len() == 1 && hunk.old.len() == 1 {
        // A single one need not be similar: short lines may have nothing in common.
        parents.push(hunk.old.clone());
        return 100;
    }
    let middles = [lines.start, lines.end - 1].map(|line| proportional(line, &hunk.new, &hunk.old));
    let candidates = near(middles[0], hunk).start..near(middles[1], hunk).end;
    let olds: Vec<Bigrams> = candidates
        .clone()
        .map(|old| Bigrams::new(versions.text(versions.old, old)))
        .collect();
    let mut alike = 0;
    for line in lines.clone() {
        let wanted = Bigrams::new(versions.text(versions.new, line));
        let middle = proportional(line, &hunk.new, &hunk.old);
        let near = near(middle, hunk);
        let first = (near.start - candidates.start) as usize;
        let olds = near.zip(&olds[first..]);
        if let Some((percent, old)) = most_similar(&wanted, middle, olds) {
            parents.push(old..old + 1);
            alike = alike.max(percent);
        }
    }
    alike
}

/// The old lines of a hunk around one of them.
fn near(middle: u32, hunk: &Hunk) -> Range<u32> {
    let first = hunk
        .old
        .start
        .max(middle.saturating_sub(MAX_CANDIDATES / 2));
    first..hunk.old.end.min(first.saturating_add(MAX_CANDIDATES))
}

/// The old line that is most similar to a line, after its similarity in percent; of several, the
/// nearest to `middle`.
fn most_similar<'a>(
    wanted: &Bigrams,
    middle: u32,
    olds: impl Iterator<Item = (u32, &'a Bigrams)>,
) -> Option<(u8, u32)> {
    let mut best: Option<((u8, Reverse<u32>), u32)> = None;
    for (old, text) in olds {
        let least = best.map_or(MIN_SIMILARITY, |((percent, _), _)| percent);
        if wanted.most_possible(text) < least {
            continue;
        }
        let percent = wanted.similarity(text);
        let rank = (percent, Reverse(old.abs_diff(middle)));
        if percent >= MIN_SIMILARITY && best.is_none_or(|(most, _)| rank > most) {
            best = Some((rank, old));
        }
    }
    best.map(|((percent, _), old)| (percent, old))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::line_history::tokens_of;

    #[track_caller]
    fn check(
        (new, old): (&str, &str),
        own: &[(u32, u32)],
        hunks: &[(Range<u32>, Range<u32>)],
        expected: &[(u32, u32)],
    ) {
        let mut interned = LineInterner::new(false);
        let mut tokens = |text: &str| tokens_of(text, &mut interned);
        let (new, old) = (tokens(new), tokens(old));
        let hunks = hunks.iter().cloned().map(|(old, new)| Hunk { old, new });
        let versions = TwoVersions {
            new: &new,
            old: &old,
            interned: &interned,
        };
        let hunks: Vec<Hunk> = hunks.collect();
        let own: Vec<Range<u32>> = own.iter().map(|&(start, end)| start..end).collect();
        let (found, _) = to_parent(&own, &hunks, versions);
        let found: Vec<_> = found.iter().map(|range| (range.start, range.end)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_replaced_line_was_the_most_similar_one() {
        let old = "a\nint count = 1;\nchar *name;\nb\n";
        let new = "a\nchar *full_name;\nnew words\nint counter = 1;\nb\n";
        let hunks = [(1..3, 1..4)];
        check((new, old), &[(1, 2)], &hunks, &[(2, 3)]);
        check((new, old), &[(3, 4)], &hunks, &[(1, 2)]);
        check((new, old), &[(2, 3)], &hunks, &[]);
        check((new, old), &[(3, 5)], &hunks, &[(1, 2), (3, 4)]);
        check((new, old), &[(0, 5)], &hunks, &[(0, 4)]);
        check(
            ("y = 2\n", "x = 1\n"),
            &[(0, 1)],
            &[(0..1, 0..1)],
            &[(0, 1)],
        );
    }

    #[test]
    fn the_most_similar_pair_says_how_alike_the_lines_are() {
        let mut interned = LineInterner::new(false);
        let mut tokens = |text: &str| tokens_of(text, &mut interned);
        let old = tokens("a\n{\"*@\", \"url\", ARG_STRING},\nint count = 1;\n");
        let new = tokens("a\n{\"json\", ARG_STRING, \"df\"},\nint count = 2;\nnew words\n");
        let versions = TwoVersions {
            new: &new,
            old: &old,
            interned: &interned,
        };
        let hunks = [Hunk {
            old: 1..3,
            new: 1..4,
        }];
        for (own, parent, alike) in [
            (0..1, Some(0..1), 100),
            (1..2, Some(1..2), 59),
            (2..3, Some(2..3), 80),
            (1..3, Some(1..3), 80),
            (0..2, Some(0..2), 100),
            (3..4, None, 0),
        ] {
            let found = to_parent(std::slice::from_ref(&own), &hunks, versions);
            assert_eq!(found, (Vec::from_iter(parent), alike), "{own:?}");
        }
        let single = [Hunk {
            old: 1..2,
            new: 1..2,
        }];
        let own = 1..2;
        let found = to_parent(std::slice::from_ref(&own), &single, versions);
        assert_eq!(found, (vec![own], 100));
    }

    #[test]
    fn unchanged_lines_move() {
        check(
            ("x\na\nb\n", "a\nb\n"),
            &[(1, 3)],
            &[(0..0, 0..1)],
            &[(0, 2)],
        );
        check(
            ("a\nb\n", "x\na\nb\n"),
            &[(0, 2)],
            &[(0..1, 0..0)],
            &[(1, 3)],
        );
        check(
            ("a\nb\n", "a\nx\nb\n"),
            &[(0, 2)],
            &[(1..2, 1..1)],
            &[(0, 1), (2, 3)],
        );
        check(("a\n", "a\n"), &[(0, 1)], &[], &[(0, 1)]);
    }

    #[test]
    fn added_lines_were_not_there() {
        check(("a\nnew\nb\n", "a\nb\n"), &[(1, 2)], &[(1..1, 1..2)], &[]);
        check(
            ("a\nnew\nb\n", "a\nb\n"),
            &[(0, 3)],
            &[(1..1, 1..2)],
            &[(0, 2)],
        );
    }
}
