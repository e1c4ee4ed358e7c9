//! Two sides of a comparison, and what is equal at their start and end.

use std::ops::Range;

use super::{Token, equal};

/// Lines of the old side against lines of the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// Two whole sides with what is equal at the start and at the end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sides<'a> {
    pub(super) old: &'a [Token],
    pub(super) new: &'a [Token],
    /// Equal lines at the start.
    pub(super) prefix: usize,
    /// Equal lines at the end, not overlapping those at the start.
    pub(super) suffix: usize,
}

impl<'a> Sides<'a> {
    pub(super) fn new(old: &'a [Token], new: &'a [Token]) -> Self {
        let prefix = equal::prefix(old, new);
        let suffix = equal::suffix(&old[prefix..], &new[prefix..]);
        Sides {
            old,
            new,
            prefix,
            suffix,
        }
    }

    /// As [`Sides::new`], if it is known how many lines are equal at the end, those at the start
    /// perhaps among them.
    pub(super) fn with_suffix(old: &'a [Token], new: &'a [Token], suffix: usize) -> Self {
        let prefix = equal::prefix(old, new);
        let suffix = suffix.min(old.len().min(new.len()) - prefix);
        Sides {
            old,
            new,
            prefix,
            suffix,
        }
    }

    /// The old lines between start and end.
    pub(super) fn old_window(&self) -> &'a [Token] {
        &self.old[self.prefix..self.old.len() - self.suffix]
    }

    /// The new lines between start and end.
    pub(super) fn new_window(&self) -> &'a [Token] {
        &self.new[self.prefix..self.new.len() - self.suffix]
    }

    /// The lines equal at the start.
    pub(super) fn start(&self) -> &'a [Token] {
        &self.old[..self.prefix]
    }

    /// The lines equal at the end.
    pub(super) fn end(&self) -> &'a [Token] {
        &self.old[self.old.len() - self.suffix..]
    }
}
