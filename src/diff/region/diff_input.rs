//! The two sides of a diff with their common prefix and suffix.

use std::ops::Range;

use crate::diff::{region::common_ends, types::Token};

/// A range of old lines compared with a range of new lines (0-based, half-open).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// Two sides and the lengths of their common prefix and suffix. The lines between these are the
/// *windows*.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DiffInput<'a> {
    pub(crate) old: &'a [Token],
    pub(crate) new: &'a [Token],
    /// Length of the common prefix in lines.
    pub(crate) prefix: usize,
    /// Length of the common suffix in lines; does not overlap the prefix.
    pub(crate) suffix: usize,
}

impl<'a> DiffInput<'a> {
    pub(crate) fn new(old: &'a [Token], new: &'a [Token]) -> Self {
        let prefix = common_ends::common_prefix(old, new);
        let suffix = common_ends::common_suffix(&old[prefix..], &new[prefix..]);
        DiffInput {
            old,
            new,
            prefix,
            suffix,
        }
    }

    /// Like [`DiffInput::new`] for a known common suffix, which may overlap the prefix.
    pub(crate) fn with_suffix(old: &'a [Token], new: &'a [Token], suffix: usize) -> Self {
        let prefix = common_ends::common_prefix(old, new);
        let suffix = suffix.min(old.len().min(new.len()) - prefix);
        DiffInput {
            old,
            new,
            prefix,
            suffix,
        }
    }

    /// The old lines between prefix and suffix.
    pub(crate) fn old_window(&self) -> &'a [Token] {
        &self.old[self.prefix..self.old.len() - self.suffix]
    }

    /// The new lines between prefix and suffix.
    pub(crate) fn new_window(&self) -> &'a [Token] {
        &self.new[self.prefix..self.new.len() - self.suffix]
    }

    /// The common prefix.
    pub(crate) fn start(&self) -> &'a [Token] {
        &self.old[..self.prefix]
    }

    /// The common suffix.
    pub(crate) fn end(&self) -> &'a [Token] {
        &self.old[self.old.len() - self.suffix..]
    }
}
