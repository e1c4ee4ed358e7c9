//! The commit-graph: trees, parents and dates of commits without inflating them, and filters that
//! tell which paths a commit did not change.

/// The hash of a path, ready to be looked up in changed-path filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BloomKey {
    pub(crate) first: u32,
    pub(crate) second: u32,
}
