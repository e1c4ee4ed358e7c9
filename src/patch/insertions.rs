//! The lines of an old side that insertions stand between.

/// A line of a hunk, as an old side sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideLine {
    /// The old side has it and the new one does not.
    Removed,
    /// Both have it.
    Kept,
    /// Only the new side has it, and no other old side.
    Inserted,
    /// This old side does not have it, and another one may.
    Other,
}

/// The lines (0-based) of an old side before which a hunk inserts lines without removing any there.
/// `first` is the hunk's first line of that side. A line that is changed is a removed one with an
/// inserted one beside it, so that nothing counts as inserted there.
pub fn insertions(first: u32, lines: impl Iterator<Item = SideLine>) -> Vec<u32> {
    let (mut found, mut next) = (Vec::new(), first);
    let (mut inserts, mut removes) = (false, false);
    for line in lines {
        match line {
            SideLine::Inserted => inserts = true,
            SideLine::Other => {}
            SideLine::Removed => {
                removes = true;
                next = next.saturating_add(1);
            }
            SideLine::Kept => {
                if inserts && !removes {
                    found.push(next);
                }
                (inserts, removes) = (false, false);
                next = next.saturating_add(1);
            }
        }
    }
    if inserts && !removes {
        found.push(next);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_no_insertions() {
        use SideLine::{Inserted, Kept, Other, Removed};
        for (lines, expected) in [
            (&[Inserted][..], &[7][..]),
            (&[Kept, Inserted, Inserted, Kept], &[8]),
            (&[Kept, Removed, Inserted, Kept], &[]),
            (&[Kept, Inserted, Removed, Kept], &[]),
            (&[Inserted, Kept, Removed, Kept, Inserted], &[7, 10]),
            (&[Kept, Other, Kept], &[]),
            (&[Kept, Other, Inserted], &[8]),
            (&[], &[]),
        ] {
            assert_eq!(insertions(7, lines.iter().copied()), expected, "{lines:?}");
        }
    }
}
