//! The indent heuristic: among the positions that a change group can slide to, chooses the one
//! whose boundaries best agree with the indentation of the text.

use crate::diff::{
    lines::{interner::LineInterner, whitespace::Indent},
    types::Token,
};

/// Blank lines examined on either side of a split.
const MAX_BLANKS: i32 = 20;
/// Positions considered above the lowest one.
const MAX_SLIDING: u32 = 100;
/// Weight of a deeper indent against the penalties.
const INDENT_WEIGHT: i32 = 60;

/// Badness of a split; lower is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SplitScore {
    indent: i32,
    penalty: i32,
}

/// Blank lines between a split and the nearest non-blank line, and that line's indent.
struct SplitContext {
    blanks: i32,
    indent: Indent,
}

/// The best end for a group of `size` lines that can end anywhere in `top..=bottom`.
pub(crate) fn best_end(
    lines: &LineInterner,
    side: &[Token],
    size: u32,
    top: u32,
    bottom: u32,
) -> u32 {
    let first = top
        .max(bottom.saturating_sub(size + 1))
        .max(bottom.saturating_sub(MAX_SLIDING));
    let mut best = (first, score(lines, side, first, size));
    for end in first + 1..=bottom {
        let score = score(lines, side, end, size);
        if score.is_no_worse_than(best.1) {
            best = (end, score);
        }
    }
    best.0
}

fn score(lines: &LineInterner, side: &[Token], end: u32, size: u32) -> SplitScore {
    let end = end as usize;
    let after = split(lines, side, end);
    let before = split(lines, side, end - size as usize);
    SplitScore {
        indent: after.indent + before.indent,
        penalty: after.penalty + before.penalty,
    }
}

impl SplitScore {
    fn is_no_worse_than(self, other: SplitScore) -> bool {
        let indent = (self.indent - other.indent).signum();
        INDENT_WEIGHT * indent + (self.penalty - other.penalty) <= 0
    }
}

/// Scores a split before line `at`, which may be the end of the text.
fn split(lines: &LineInterner, side: &[Token], at: usize) -> SplitScore {
    let own = side.get(at).and_then(|&token| lines.indent(token));
    let up = surroundings(lines, side[..at].iter().rev());
    let down = surroundings(lines, side.iter().skip(at + 1));
    let blanks_from_here = if own.is_some() { 0 } else { 1 + down.blanks };
    let blanks = up.blanks + blanks_from_here;
    let indent = own.or(down.indent);

    let mut penalty = -30 * blanks + 6 * blanks_from_here;
    if up.indent.is_none() && up.blanks == 0 {
        penalty += 1;
    }
    if at == side.len() {
        penalty += 21;
    }
    if let (Some(indent), Some(above)) = (indent, up.indent) {
        let next_is_deeper = down.indent.is_some_and(|below| below > indent);
        penalty += match (indent.cmp(&above), blanks > 0) {
            (std::cmp::Ordering::Equal, _) => 0,
            (std::cmp::Ordering::Greater, false) => -4,
            (std::cmp::Ordering::Greater, true) => 10,
            (std::cmp::Ordering::Less, false) if next_is_deeper => 24,
            (std::cmp::Ordering::Less, false) => 23,
            (std::cmp::Ordering::Less, true) => 17,
        };
    }
    SplitScore {
        indent: indent.map_or(-1, i32::from),
        penalty,
    }
}

fn surroundings<'a>(lines: &LineInterner, side: impl Iterator<Item = &'a Token>) -> SplitContext {
    let mut blanks = 0;
    for &token in side {
        let indent = lines.indent(token);
        if indent.is_some() {
            return SplitContext { blanks, indent };
        }
        blanks += 1;
        if blanks == MAX_BLANKS {
            let indent = Some(0);
            return SplitContext { blanks, indent };
        }
    }
    SplitContext {
        blanks,
        indent: None,
    }
}
