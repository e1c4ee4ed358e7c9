//! A file whose places are named.

use bstr::BString;

use crate::objects::ObjectId;

/// A file that is blamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlaceFile {
    /// From the root of the tree.
    pub(super) path: BString,
    /// The revision that was named with it; `None` for what the command line says.
    pub(super) revision: Option<NamedRevision>,
}

/// A revision that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedRevision {
    /// As written.
    pub(super) name: BString,
    pub(super) commit: ObjectId,
}

impl PlaceFile {
    /// The name in messages.
    pub(super) fn shown(&self) -> BString {
        match &self.revision {
            Some(revision) => [&revision.name[..], b":", &self.path].concat().into(),
            None => self.path.clone(),
        }
    }
}
