//! What a resolver remembers of short names, and prefers for ambiguous ids.

use bstr::BString;

use crate::objects::ObjectId;

/// Which objects an ambiguous abbreviated id prefers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Preference {
    /// None of them.
    Nothing,
    /// Commits, and tags of commits.
    Commits,
    /// Trees, and what leads to trees.
    Trees,
}

/// What is known of a short name.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownName {
    /// The object of the first rule that matches.
    pub(super) id: Option<ObjectId>,
    /// How many rules match.
    pub(super) count: usize,
    /// Warnings about references that do not lead to an object.
    pub(super) notes: Vec<BString>,
}
