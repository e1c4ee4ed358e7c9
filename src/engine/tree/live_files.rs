//! The files of a commit whose lines are still to be attributed.

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
    pub(super) segment: SegmentId,
    /// Its entry in the commit's tree.
    pub(super) entry: TreeEntry,
    /// It is a file of the plan, which no commit visited so far has changed.
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
        if known.segment != file.segment {
            segments.join(known.segment, file.segment);
            known.is_unchanged |= file.is_unchanged;
        }
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

    /// A file.
    pub(super) fn get(&self, path: PathIndex) -> Option<&LiveFile> {
        self.0.get(&path)
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
