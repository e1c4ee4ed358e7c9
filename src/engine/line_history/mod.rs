//! The commits that changed a range of lines, as `git log -L` finds them.
//!
//! The range is followed from the final commit to its parents, through renames. The rule, which was
//! found by experiments with `git log -L`:
//!
//! - Versions are compared by Myers' algorithm without the indent heuristic, whatever the
//!   configuration says.
//! - A commit changes a range if a hunk has lines in it, or removes lines strictly between two of
//!   its lines. Lines that were removed before its first or after its last line do not count.
//! - In the parent, the range is that of its unchanged lines, and all old lines of the hunks that
//!   touch it, also where a hunk goes beyond the range. If that is empty, the lines are *born* in
//!   the commit.
//! - A merge gives all ranges to the first parent in which they are unchanged, and the other
//!   parents are not followed. If there is no such parent, the merge counts as a change, and every
//!   parent gets its ranges.
//! - A commit that is reached in several ways is visited once, with the union of the ranges.
//!
//! With several ranges git overlooks some hunks that begin where an earlier range ends; this walk
//! does not. Renames are those of a blame: the most similar file of the parent that the commit
//! lacks.
//!
//! With `-M` the walk goes on where git's ends: lines that a commit added are looked for elsewhere
//! in the file before it, and followed from there. What is found so comes last, and is marked as
//! inferred.
//!
//! The ranges grow where hunks go beyond them. The requested lines themselves are followed beside
//! them, by likeness, so that commits that changed only the lines around them can be told from the
//! others.

mod line_ranges;
mod line_sources;
pub(crate) mod line_walk;
mod moved_lines;
mod own_lines;

/// The lines of a text.
#[cfg(test)]
fn tokens_of(text: &str, interned: &mut crate::diff::LineInterner) -> Vec<crate::diff::Token> {
    let mut tokens = Vec::new();
    interned
        .tokenize(text.as_bytes(), &mut tokens)
        .expect("it is small");
    tokens
}
