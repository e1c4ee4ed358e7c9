//! Tail trimming: git drops the common tail of two texts, in 1024-byte blocks, before it splits
//! them into lines. Affects the result, as all later steps see the trimmed texts only.

use crate::diff::{lines::interner::LineInterner, region::common_ends, types::Token};

const BLOCK: u64 = 1024;

/// The common tail of two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommonTail {
    /// Length of the common suffix in lines.
    pub(crate) equal: usize,
    /// How many of these lines git trims.
    pub(crate) dropped: usize,
}

/// Measures the common tail of two texts.
///
/// git takes the largest number of whole blocks that are equal at the end, and trims what follows
/// the first LF in them. Works on tokens and line lengths; the only bytes compared are those of the
/// last differing lines.
///
/// `old_ends` are the end offsets of the old lines, if known.
pub(crate) fn common_tail(
    lines: &LineInterner,
    old: &[Token],
    old_ends: Option<&[u32]>,
    new: &[Token],
) -> CommonTail {
    let equal = common_ends::common_suffix(old, new);
    let different = old.len() - equal;
    let partial = match (
        old[..old.len() - equal].last(),
        new[..new.len() - equal].last(),
    ) {
        (Some(&old), Some(&new)) => common_end(lines.bytes(old), lines.bytes(new)),
        _ => 0,
    };
    let dropped = match old_ends {
        Some(ends) => {
            let (before, same) = ends.split_at(different);
            let start = before.last().copied().unwrap_or(0);
            let len = same.last().map_or(0, |end| end - start);
            dropped(equal, partial, len.into(), |at| {
                same.partition_point(|end| u64::from(end - start) <= at)
            })
        }
        None => {
            let lens = || {
                let same = old[different..].iter();
                same.map(|&token| u64::from(lines.len(token)))
            };
            dropped(equal, partial, lens().sum(), |at| {
                let mut end = 0;
                let before = |len: &u64| {
                    end += len;
                    end <= at
                };
                lens().take_while(before).count()
            })
        }
    };
    CommonTail { equal, dropped }
}

/// Number of trimmed lines: those after the line that contains the first byte of the equal blocks.
///
/// `equal` lines of `len` bytes in total are equal, and `partial` bytes before them. `line_at` maps
/// an offset in these lines to a line.
fn dropped(equal: usize, partial: u64, len: u64, line_at: impl FnOnce(u64) -> usize) -> usize {
    let bytes = len + partial;
    if bytes < BLOCK {
        return 0;
    }
    // The remainder is the number of common bytes before the first whole block.
    match (bytes % BLOCK).checked_sub(partial) {
        Some(at) => equal.saturating_sub(line_at(at) + 1),
        None => equal,
    }
}

fn common_end(a: &[u8], b: &[u8]) -> u64 {
    let pairs = a.iter().rev().zip(b.iter().rev());
    pairs.take_while(|(a, b)| a == b).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference implementation on bytes; returns the number of remaining lines of both sides.
    fn on_bytes(old: &[u8], new: &[u8]) -> (usize, usize) {
        let block = BLOCK as usize;
        let common = common_end(old, new) as usize / block * block;
        let lines = |text: &[u8]| text.split_inclusive(|&b| b == b'\n').count();
        let kept = match old[old.len() - common..].iter().position(|&b| b == b'\n') {
            Some(lf) if common > 0 => common - lf - 1,
            _ => 0,
        };
        (
            lines(&old[..old.len() - kept]),
            lines(&new[..new.len() - kept]),
        )
    }

    fn check(old: &[u8], new: &[u8]) {
        let mut lines = LineInterner::default();
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let mut ends = Vec::new();
        lines.tokenize_with_ends(old, &mut a, &mut ends).unwrap();
        lines.tokenize(new, &mut b).unwrap();
        for ends in [None, Some(&ends[..])] {
            let dropped = common_tail(&lines, &a, ends, &b).dropped;
            let left = (a.len() - dropped, b.len() - dropped);
            assert_eq!(left, on_bytes(old, new));
        }
    }

    #[test]
    fn agrees_with_trimming_bytes() {
        for n in [0, 1, 510, 511, 512, 513, 1023, 1024, 1025, 2000] {
            check(&b"x\n".repeat(n), &b"x\n".repeat(n + 1));
            check(&b"x\n".repeat(n), &b"x\n".repeat(n));
            check(&b"x\n".repeat(n), &[&b"x\n".repeat(n)[..], b"x"].concat());
        }
        for width in [1, 2, 7, 50, 1000, 1023, 1024, 1025, 3000] {
            let mut line = vec![b'a'; width];
            line.push(b'\n');
            for n in 1..6 {
                let tail = line.repeat(n);
                for (old, new) in [("", "z"), ("q", "z"), ("q\n", "z"), ("q\n", "q\nr\n")] {
                    let old = [old.as_bytes(), &tail].concat();
                    let new = [new.as_bytes(), &tail].concat();
                    check(&old, &new);
                    check(&old[..old.len() - 1], &new[..new.len() - 1]);
                }
            }
        }
    }
}
