//! A step to before lines of a merge, of which either parent can be shown.

use std::sync::Arc;

use bstr::BString;

use crate::{
    objects::ObjectId,
    viewer::{model::source::FileVersion, protocol::LineRef},
};

/// A step to before lines of a merge.
#[derive(Debug, Clone)]
pub(crate) struct MergeStep {
    pub(crate) merge: ObjectId,
    pub(crate) parents: Vec<ObjectId>,
    /// The number (from 0) of the parent that is shown.
    pub(crate) at: usize,
    /// The file's path in the merge, and the line there.
    pub(crate) path: Arc<BString>,
    pub(crate) from: LineRef,
    /// The name of the step, whichever parent is shown.
    pub(crate) name: String,
    /// It takes the place of the step to another parent.
    pub(crate) is_other: bool,
}

impl MergeStep {
    /// The step to a parent that a key leads to from that of another one.
    pub(crate) fn next(&self) -> MergeStep {
        MergeStep {
            at: (self.at + 1) % self.parents.len(),
            is_other: true,
            ..self.clone()
        }
    }

    /// The version of the parent that is shown.
    pub(crate) fn version(&self) -> FileVersion {
        FileVersion::Commit {
            commit: self.parents[self.at],
            path: self.path.clone(),
        }
    }

    /// True if it takes the place of another step.
    pub(crate) fn replaces(&self, before: &MergeStep) -> bool {
        self.is_other && before.merge == self.merge
    }

    /// Which parent is shown, and how to get to another.
    pub(crate) fn words(&self) -> String {
        let (number, count) = (self.at + 1, self.parents.len());
        let others = if count == 2 { "the other" } else { "the next" };
        format!("parent {number} of {count} of a merge; P shows {others}")
    }
}
