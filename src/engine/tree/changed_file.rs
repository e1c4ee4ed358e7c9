//! A file that a commit changed, and the parents' files that it may come from.

use smallvec::SmallVec;

use crate::{
    engine::{
        board::scoreboard::PathIndex, tree::live_files::LiveFile, walk::retained::ParentVersion,
    },
    objects::TreeEntry,
};

/// A file that a commit changed against its first parent, while its origins are looked for.
pub(super) struct ChangedFile {
    pub(super) path: PathIndex,
    pub(super) file: LiveFile,
    /// The same path in the parent that is looked at.
    pub(super) found: PathInParent,
    /// The parents that lack the path.
    pub(super) absent: SmallVec<[usize; 2]>,
    /// By parent: the file to compare with.
    pub(super) retained: SmallVec<[Option<OriginFile>; 2]>,
    /// The parent that has the same contents takes all lines.
    pub(super) taken: Option<(usize, OriginFile)>,
    /// The first parent that has the same entry at the path. Of a parent that takes all lines, the
    /// mode may be another one.
    pub(super) same_entry: Option<usize>,
    /// What the origins are found by cannot be read.
    pub(super) is_unknown: bool,
}

/// What a parent has at the path of a changed file.
#[derive(Clone, Copy)]
pub(super) enum PathInParent {
    Entry(TreeEntry),
    Absent,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct OriginFile {
    pub(super) path: PathIndex,
    pub(super) entry: TreeEntry,
}

impl ChangedFile {
    pub(super) fn new(
        path: PathIndex,
        file: LiveFile,
        found: PathInParent,
        parents: usize,
    ) -> ChangedFile {
        ChangedFile {
            path,
            file,
            found,
            absent: SmallVec::new(),
            retained: SmallVec::from_elem(None, parents),
            taken: None,
            same_entry: None,
            is_unknown: false,
        }
    }

    /// True if the path is looked up in further parents.
    pub(super) fn is_looked_up(&self) -> bool {
        self.taken.is_none() || (self.file.is_unchanged && self.same_entry.is_none())
    }

    /// Takes the file into account that the parent `at` has at the same path.
    pub(super) fn take_same_path(&mut self, at: usize) {
        match self.found {
            PathInParent::Absent => self.absent.push(at),
            PathInParent::Entry(entry) if entry.file_type() == self.file.entry.file_type() => {
                if entry.is_same(&self.file.entry) {
                    self.same_entry.get_or_insert(at);
                }
                if self.taken.is_none() {
                    let path = self.path;
                    self.retain(at, OriginFile { path, entry });
                }
            }
            // Lines do not pass to a file of another type, and it is not a rename either.
            PathInParent::Entry(_) => {}
        }
    }

    /// Takes a file of the parent `at` into account.
    pub(super) fn retain(&mut self, at: usize, found: OriginFile) {
        let earlier = self.retained[..at].iter().flatten();
        let earlier = earlier.map(|file| file.entry.id);
        match ParentVersion::of(&self.file.entry.id, &found.entry.id, earlier) {
            ParentVersion::Identical => self.taken = Some((at, found)),
            ParentVersion::Different => self.retained[at] = Some(found),
            ParentVersion::Repeated(_) => {}
        }
    }
}
