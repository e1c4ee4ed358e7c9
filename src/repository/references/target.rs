//! The contents of references.

use bstr::BString;

use crate::objects::ObjectId;

/// The contents of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// An object.
    Object(ObjectId),
    /// The full name of another reference.
    Symbolic(BString),
    /// Something that cannot be understood.
    Broken,
}
