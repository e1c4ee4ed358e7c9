//! Which of the parents' files a file is compared with.

use crate::objects::ObjectId;

/// A parent's file, beside the suspect's and those of the parents before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParentVersion {
    /// The suspect's own contents: the parent takes all lines.
    Identical,
    /// The contents of the file of an earlier parent, the one of this number among `earlier`: not
    /// compared again.
    Repeated(usize),
    /// Contents to compare with.
    Different,
}

impl ParentVersion {
    /// Classifies a parent's file by its blob. `earlier` has the blobs that are compared already.
    pub(crate) fn of(
        suspect: &ObjectId,
        found: &ObjectId,
        mut earlier: impl Iterator<Item = ObjectId>,
    ) -> ParentVersion {
        if found == suspect {
            return ParentVersion::Identical;
        }
        match earlier.position(|blob| blob == *found) {
            Some(at) => ParentVersion::Repeated(at),
            None => ParentVersion::Different,
        }
    }
}
