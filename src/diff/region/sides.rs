//! Two sides of a comparison, and what is equal at their start and end.

use std::ops::Range;

use crate::diff::{region::equal_runs, types::Token};

/// Lines of the old side against lines of the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// Two whole sides with what is equal at the start and at the end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sides<'a> {
    pub(crate) old: &'a [Token],
    pub(crate) new: &'a [Token],
    /// Equal lines at the start.
    pub(crate) prefix: usize,
    /// Equal lines at the end, not overlapping those at the start.
    pub(crate) suffix: usize,
}

impl<'a> Sides<'a> {
    pub(crate) fn new(old: &'a [Token], new: &'a [Token]) -> Self {
        let prefix = equal_runs::prefix(old, new);
        let suffix = equal_runs::suffix(&old[prefix..], &new[prefix..]);
        Sides {
            old,
            new,
            prefix,
            suffix,
        }
    }

    /// As [`Sides::new`], if it is known how many lines are equal at the end, those at the start
    /// perhaps among them.
    pub(crate) fn with_suffix(old: &'a [Token], new: &'a [Token], suffix: usize) -> Self {
        let prefix = equal_runs::prefix(old, new);
        let suffix = suffix.min(old.len().min(new.len()) - prefix);
        Sides {
            old,
            new,
            prefix,
            suffix,
        }
    }

    /// The old lines between start and end.
    pub(crate) fn old_window(&self) -> &'a [Token] {
        &self.old[self.prefix..self.old.len() - self.suffix]
    }

    /// The new lines between start and end.
    pub(crate) fn new_window(&self) -> &'a [Token] {
        &self.new[self.prefix..self.new.len() - self.suffix]
    }

    /// The lines equal at the start.
    pub(crate) fn start(&self) -> &'a [Token] {
        &self.old[..self.prefix]
    }

    /// The lines equal at the end.
    pub(crate) fn end(&self) -> &'a [Token] {
        &self.old[self.old.len() - self.suffix..]
    }
}
