//! Context that a combined diff without context has in its hunks, and does not show.
//!
//! With `-U0`, a hunk goes on where lines were removed before a line that all sides have: the lines
//! that were removed are shown, and that line is neither shown nor counted. Such a line has a
//! removed one directly before it, so that there is at most one between two lines that are shown.

use crate::{patch::hunk::HunkLine, sorting};

/// Most shown lines of a hunk times the numbers of lines that may be hidden before them.
const MAX_TRIED: usize = 1 << 20;

/// Why it is not known where lines are hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenFault {
    /// However many are, the base has other lines: at best up to this shown line (0-based).
    Different(usize),
    /// The base has the shown lines in several ways.
    Ambiguous,
}

/// After which of the shown `lines` one is hidden. `is_at` tells whether the base has a shown line
/// where it stands if so many are hidden before it; `may_hide`, whether the sides have the same line
/// after a shown line before which so many are hidden.
///
/// Where that does not say whether lines were added beside removed ones or beside a hidden one, they
/// are taken for the former.
///
/// # Errors
///
/// If there is no way, or more than one for lines that a base has.
pub fn find(
    lines: &[HunkLine<'_>],
    is_at: impl Fn(usize, u32) -> bool,
    may_hide: impl Fn(usize, u32) -> bool,
) -> Result<Vec<bool>, HiddenFault> {
    // For each line the counts before it that are possible, in order.
    let mut counts: Vec<Vec<u32>> = Vec::with_capacity(lines.len());
    let mut next = vec![0];
    let mut tried = 0;
    for (nth, line) in lines.iter().enumerate() {
        tried += next.len();
        if tried > MAX_TRIED {
            return Err(HiddenFault::Ambiguous);
        }
        let mut possible = next;
        possible.retain(|&hidden| is_at(nth, hidden));
        if possible.is_empty() {
            return Err(HiddenFault::Different(nth));
        }
        next = possible.clone();
        if line.is_removed() {
            let more = possible.iter().filter(|&&hidden| may_hide(nth, hidden));
            next.extend(more.map(|hidden| hidden + 1));
            sorting::sort(&mut next);
            next.dedup();
        }
        counts.push(possible);
    }
    for nth in (0..lines.len().saturating_sub(1)).rev() {
        let (before, after) = counts.split_at_mut(nth + 1);
        let (of_line, next) = (&mut before[nth], &after[0]);
        let leads = |hidden: u32| next.binary_search(&hidden).is_ok();
        let hides = |hidden| lines[nth].is_removed() && leads(hidden + 1) && may_hide(nth, hidden);
        of_line.retain(|&hidden| leads(hidden) || hides(hidden));
    }
    let is_old = |line: &HunkLine<'_>| !line.marks.is_empty() && !line.is_new();
    let mut of_old = counts.iter().zip(lines).filter(|(_, line)| is_old(line));
    if of_old.any(|(counts, _)| counts.len() > 1) {
        return Err(HiddenFault::Ambiguous);
    }
    let mut hidden = 0;
    let hides = (1..=lines.len()).map(|next| {
        let stays = counts
            .get(next)
            .is_none_or(|counts| counts.contains(&hidden));
        hidden += u32::from(!stays);
        !stays
    });
    Ok(hides.collect())
}
