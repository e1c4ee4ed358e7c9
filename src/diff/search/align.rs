//! A cheap greedy alignment of two windows. Aligned lines are known to be on both sides, so that
//! [`discard`](super::discard) only has to look up the others. Affects time only, never the result.

use crate::diff::{
    region::{common_ends, diff_input::Region},
    types::Token,
};

/// Smaller windows are not aligned: it does not pay.
const MIN_WINDOW: usize = 48;
/// Lines on both sides together that may be skipped to resynchronize.
const MAX_SKIP: usize = 48;
/// Equal lines in a row that count as resynchronized.
const MIN_MATCH: usize = 3;

/// Replaces `gaps` with the unaligned regions of two windows, in ascending order.
pub(crate) fn unaligned_regions(old: &[Token], new: &[Token], gaps: &mut Vec<Region>) {
    gaps.clear();
    let mut rest = Region {
        old: 0..old.len(),
        new: 0..new.len(),
    };
    if old.len().min(new.len()) >= MIN_WINDOW {
        let mut budget = 16 * MAX_SKIP + old.len() + new.len();
        while rest.old.start < rest.old.end && rest.new.start < rest.new.end {
            let (i, j) = (rest.old.start, rest.new.start);
            let Some((a, b)) = skip(&old[i..], &new[j..], &mut budget) else {
                break;
            };
            if a + b > 0 {
                gaps.push(Region {
                    old: i..i + a,
                    new: j..j + b,
                });
            }
            let equal = common_ends::common_prefix(&old[i + a..], &new[j + b..]);
            rest.old.start = i + a + equal;
            rest.new.start = j + b + equal;
        }
        let equal = common_ends::common_suffix(&old[rest.old.clone()], &new[rest.new.clone()]);
        rest.old.end -= equal;
        rest.new.end -= equal;
    }
    if !rest.old.is_empty() || !rest.new.is_empty() {
        gaps.push(rest);
    }
}

/// Number of lines to skip on each side to resynchronize.
fn skip(old: &[Token], new: &[Token], budget: &mut usize) -> Option<(usize, usize)> {
    for sum in 0..=MAX_SKIP {
        *budget = budget.checked_sub(sum + 1)?;
        for a in sum.saturating_sub(new.len() - 1)..=sum.min(old.len() - 1) {
            let b = sum - a;
            if old[a] == new[b]
                && old[a..]
                    .iter()
                    .zip(&new[b..])
                    .take(MIN_MATCH)
                    .all(|(old, new)| old == new)
            {
                return Some((a, b));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_cover_all_differences() {
        let old: Vec<Token> = (0..500).collect();
        let mut new = old.clone();
        new[70] = 1000;
        new.insert(200, 1001);
        new.drain(300..304);
        new.splice(400..400, 2000..2100);
        new[590] = 1002;
        let mut found = Vec::new();
        unaligned_regions(&old, &new, &mut found);
        let (mut i, mut j) = (0, 0);
        for gap in &found {
            assert_eq!(old[i..gap.old.start], new[j..gap.new.start]);
            (i, j) = (gap.old.end, gap.new.end);
        }
        assert_eq!(old[i..], new[j..]);
        let first = Region {
            old: 70..71,
            new: 70..71,
        };
        assert_eq!(found[0], first);
        assert_eq!(found.len(), 4);
        unaligned_regions(&old[..], &[], &mut found);
        assert_eq!(found.len(), 1);
        unaligned_regions(&old[..], &old[..], &mut found);
        assert_eq!(found, []);
    }
}
