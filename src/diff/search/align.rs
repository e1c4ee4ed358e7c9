//! A rough alignment of two windows: lines that are certainly on both sides, so that only the
//! others have to be looked for. What it finds never changes a result, only the time it takes.

use crate::diff::{
    region::{equal_runs, sides::Part},
    types::Token,
};

/// Smaller windows are not worth it.
const WORTH: usize = 48;
/// So many lines on both sides together may be passed over to find equal ones again.
const REACH: usize = 48;
/// So many equal lines are believed to belong together.
const ENOUGH: usize = 3;

/// Replaces `gaps` by the parts of two windows that have not been aligned, in ascending order.
pub(crate) fn gaps(old: &[Token], new: &[Token], gaps: &mut Vec<Part>) {
    gaps.clear();
    let mut rest = Part {
        old: 0..old.len(),
        new: 0..new.len(),
    };
    if old.len().min(new.len()) >= WORTH {
        let mut budget = 16 * REACH + old.len() + new.len();
        while rest.old.start < rest.old.end && rest.new.start < rest.new.end {
            let (i, j) = (rest.old.start, rest.new.start);
            let Some((a, b)) = skip(&old[i..], &new[j..], &mut budget) else {
                break;
            };
            if a + b > 0 {
                gaps.push(Part {
                    old: i..i + a,
                    new: j..j + b,
                });
            }
            let equal = equal_runs::prefix(&old[i + a..], &new[j + b..]);
            rest.old.start = i + a + equal;
            rest.new.start = j + b + equal;
        }
        let equal = equal_runs::suffix(&old[rest.old.clone()], &new[rest.new.clone()]);
        rest.old.end -= equal;
        rest.new.end -= equal;
    }
    if !rest.old.is_empty() || !rest.new.is_empty() {
        gaps.push(rest);
    }
}

/// How many lines to pass over on each side to come to equal ones.
fn skip(old: &[Token], new: &[Token], budget: &mut usize) -> Option<(usize, usize)> {
    for sum in 0..=REACH {
        *budget = budget.checked_sub(sum + 1)?;
        for a in sum.saturating_sub(new.len() - 1)..=sum.min(old.len() - 1) {
            let b = sum - a;
            if old[a] == new[b]
                && old[a..]
                    .iter()
                    .zip(&new[b..])
                    .take(ENOUGH)
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
    fn gaps_cover_all_that_differs() {
        let old: Vec<Token> = (0..500).collect();
        let mut new = old.clone();
        new[70] = 1000;
        new.insert(200, 1001);
        new.drain(300..304);
        new.splice(400..400, 2000..2100);
        new[590] = 1002;
        let mut found = Vec::new();
        gaps(&old, &new, &mut found);
        let (mut i, mut j) = (0, 0);
        for gap in &found {
            assert_eq!(old[i..gap.old.start], new[j..gap.new.start]);
            (i, j) = (gap.old.end, gap.new.end);
        }
        assert_eq!(old[i..], new[j..]);
        let first = Part {
            old: 70..71,
            new: 70..71,
        };
        assert_eq!(found[0], first);
        assert_eq!(found.len(), 4);
        gaps(&old[..], &[], &mut found);
        assert_eq!(found.len(), 1);
        gaps(&old[..], &old[..], &mut found);
        assert_eq!(found, []);
    }
}
