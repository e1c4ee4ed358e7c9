//! A step from one version of a file to another, as the view shows it.

use crate::viewer::model::texts::line_map::ChangedPlaces;

/// How a view was reached by a step through the versions of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionStep {
    /// The number of the list of versions.
    pub list: u64,
    /// The version's position in it.
    pub at: usize,
    /// The position of the version before the step.
    pub from: Option<usize>,
    /// True if the version is newer than that before the step.
    pub is_newer: bool,
    /// The differences to the version before the step.
    pub changes: ChangedPlaces,
    /// They are marked: the step led to the next version, or they were asked for.
    pub marks_changes: bool,
}

impl VersionStep {
    /// The differences, if they are marked.
    pub fn marked(&self) -> Option<&ChangedPlaces> {
        Some(&self.changes).filter(|_| self.marks_changes)
    }
}
