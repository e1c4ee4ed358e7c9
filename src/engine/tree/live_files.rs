//! The files of a commit whose lines are still to be attributed, or whose last commit is not known.

use rustc_hash::FxHashMap;

use crate::{
    engine::{
        board::scoreboard::PathIndex,
        tree::segments::{SegmentId, Segments},
    },
    objects::TreeEntry,
};

/// A file of a commit.
#[derive(Debug, Clone, Copy)]
pub(super) struct LiveFile {
    /// `None` if it has no lines to attribute.
    pub(super) segment: Option<SegmentId>,
    /// Its entry in the commit's tree.
    pub(super) entry: TreeEntry,
    /// It is a file of the plan that no commit has changed on the way here.
    pub(super) is_unchanged: bool,
}

/// Files of a commit, by path.
#[derive(Debug, Default)]
pub(super) struct LiveFiles(FxHashMap<PathIndex, LiveFile>);

impl LiveFiles {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a file. If the commit has it already, it was reached from two children.
    pub(super) fn add(&mut self, path: PathIndex, file: LiveFile, segments: &mut Segments) {
        let known = self.0.entry(path).or_insert(file);
        match (known.segment, file.segment) {
            (Some(one), Some(other)) if one != other => segments.join(one, other),
            (known_segment, segment) => known.segment = known_segment.or(segment),
        }
        known.is_unchanged |= file.is_unchanged;
    }

    /// Adds files of the same commit.
    pub(super) fn add_all(&mut self, mut files: LiveFiles, segments: &mut Segments) {
        if files.0.len() > self.0.len() {
            std::mem::swap(self, &mut files);
        }
        for (path, file) in files.0 {
            self.add(path, file, segments);
        }
    }

    /// Takes a file out.
    pub(super) fn remove(&mut self, path: PathIndex) -> Option<LiveFile> {
        self.0.remove(&path)
    }

    /// All files, by path.
    pub(super) fn into_sorted(self) -> Vec<(PathIndex, LiveFile)> {
        let mut files: Vec<_> = self.0.into_iter().collect();
        files.sort_unstable_by_key(|(path, _)| *path);
        files
    }
}
