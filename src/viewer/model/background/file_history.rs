//! The history of a file: its versions, and the steps between them.

use std::sync::Arc;

use bstr::BString;
use rustc_hash::FxHashMap;

use crate::{
    engine::{ChildRevision, RevisionChange, TextOccurrences},
    objects::ObjectId,
    viewer::model::{
        background::query::Query,
        file_version::{CommitMetadata, Failure, FileVersion},
        texts::pattern::Pattern,
    },
};

/// A request for the history of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileHistoryQuery {
    /// The version to begin with.
    pub version: FileVersion,
    /// True if whitespace is ignored in the numbers of lines.
    pub whitespace: bool,
    /// The pattern whose matches are counted.
    pub search: Option<Pattern>,
}

impl Query for FileHistoryQuery {
    type Item = FoundRevisions;
    /// True if the history was followed to its end, not to a limit of the range.
    type End = bool;
}

/// A version of a file.
#[derive(Debug, Clone)]
pub struct KnownRevision {
    /// The commit; the null id for uncommitted changes.
    pub commit: ObjectId,
    /// Its author, date and message.
    pub metadata: Result<Arc<CommitMetadata>, Failure>,
    /// The committer's date, in seconds since the epoch.
    pub time: i64,
    /// The file's path.
    pub path: Arc<BString>,
    /// The commit's change of the file.
    pub change: RevisionChange,
    /// The commit has several parents.
    pub is_merge: bool,
    /// The number of lines that were added since the previous version.
    pub added: u32,
    /// The number of lines that were removed since the previous version.
    pub removed: u32,
    /// Commit and path of the file in the first parent that has it.
    pub previous: Option<(ObjectId, Arc<BString>)>,
    /// The versions that were made from this one, which come before it in the list.
    pub children: Vec<ChildRevision>,
    /// The occurrences of the text that is searched for, if any is.
    pub occurrences: Option<TextOccurrences>,
}

/// A part of the answer to a [`FileHistoryQuery`].
#[derive(Debug, Clone)]
pub struct FoundRevisions {
    /// Further versions.
    pub revisions: Vec<KnownRevision>,
    /// Versions that are still to come are about as old as this date or older (seconds since the
    /// epoch).
    pub frontier: Option<i64>,
}

/// The versions of a file that are known so far, newest first.
#[derive(Debug, Default)]
pub struct RevisionList {
    revisions: Vec<KnownRevision>,
    /// The versions that changed the number of occurrences of the text that is searched for.
    found: Vec<usize>,
    /// By version: the previous one, once known.
    previous: Vec<Option<usize>>,
    /// By version: whether going back from the newest one leads to it.
    is_on_main_line: Vec<bool>,
    /// By commit and path, also of commits that left the file alone.
    places: FxHashMap<(ObjectId, Arc<BString>), usize>,
}

impl RevisionList {
    /// Adds the next version.
    pub fn push(&mut self, revision: KnownRevision) {
        let at = self.revisions.len();
        let place = (revision.commit, Arc::clone(&revision.path));
        self.places.insert(place, at);
        let mut is_on_main_line = at == 0;
        for child in &revision.children {
            let number = child.number as usize;
            if !child.is_of_previous || number >= at {
                continue;
            }
            self.previous[number] = Some(at);
            is_on_main_line |= self.is_on_main_line[number];
            if let Some(place) = &self.revisions[number].previous {
                self.places.entry(place.clone()).or_insert(at);
            }
        }
        if revision.occurrences.is_some_and(|it| it.is_changed) {
            self.found.push(at);
        }
        self.revisions.push(revision);
        self.previous.push(None);
        self.is_on_main_line.push(is_on_main_line);
    }

    /// The versions, newest first.
    pub fn revisions(&self) -> &[KnownRevision] {
        &self.revisions
    }

    /// The positions of the versions that changed the number of occurrences of the text that is
    /// searched for.
    pub fn found(&self) -> &[usize] {
        &self.found
    }

    /// A version by its position.
    pub fn get(&self, at: usize) -> Option<&KnownRevision> {
        self.revisions.get(at)
    }

    /// The position of the version that a file has in a commit.
    pub fn position(&self, commit: ObjectId, path: &Arc<BString>) -> Option<usize> {
        self.places.get(&(commit, Arc::clone(path))).copied()
    }

    /// The version that one was made from: that of the first parent that has the file.
    pub fn older(&self, at: usize) -> Option<usize> {
        self.previous.get(at).copied().flatten()
    }

    /// True if one of two versions was made from the other.
    pub fn are_neighbours(&self, one: usize, other: usize) -> bool {
        let (newer, older) = (one.min(other), one.max(other));
        let children = self.revisions.get(older).map(|it| &it.children);
        let is_child = |child: &ChildRevision| child.number as usize == newer;
        self.older(newer) == Some(older)
            || children.is_some_and(|children| children.iter().any(is_child))
    }

    /// The version that was made from one: `from` if that is one, else that on the way to the
    /// newest version, else any.
    pub fn newer(&self, at: usize, from: Option<usize>) -> Option<usize> {
        let children = &self.revisions.get(at)?.children;
        let rank = |child: &&ChildRevision| {
            let number = child.number as usize;
            let is_main = self.is_on_main_line.get(number) == Some(&true);
            let is_of_previous = child.is_of_previous;
            (
                Some(number) == from,
                is_of_previous && is_main,
                is_of_previous,
            )
        };
        let next = children.iter().max_by_key(rank)?;
        Some(next.number as usize)
    }

    /// The dates of the oldest and the newest version, in seconds since the epoch.
    pub fn span(&self) -> Option<(i64, i64)> {
        let times = || self.revisions.iter().map(|revision| revision.time);
        Some((times().min()?, times().max()?))
    }

    /// The version whose date is nearest to `time`; one on the way back from the newest version if
    /// there is one within `margin` seconds.
    pub fn nearest(&self, time: i64, margin: i64) -> Option<usize> {
        let rank = |at: &usize| {
            let distance = self.revisions[*at].time.abs_diff(time);
            let is_main = self.is_on_main_line[*at] && distance <= margin.unsigned_abs();
            (!is_main, distance)
        };
        (0..self.revisions.len()).min_by_key(rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revision(time: i64, children: &[(u32, bool)]) -> KnownRevision {
        KnownRevision {
            commit: ObjectId::from_bytes_or_panic(&[time as u8; 20]),
            metadata: Err(Failure::new("")),
            time,
            path: Arc::new("f".into()),
            change: RevisionChange::Modified,
            is_merge: false,
            added: 0,
            removed: 0,
            previous: None,
            occurrences: None,
            children: children
                .iter()
                .map(|&(number, is_of_previous)| ChildRevision {
                    number,
                    is_of_previous,
                })
                .collect(),
        }
    }

    /// A merge of two branches: 0 is the merge, 1 its second parent, 2 its first, 3 the base.
    fn merged() -> RevisionList {
        let mut list = RevisionList::default();
        list.push(revision(90, &[]));
        list.push(revision(80, &[(0, false)]));
        list.push(revision(70, &[(0, true)]));
        list.push(revision(10, &[(1, true), (2, true)]));
        list
    }

    #[test]
    fn steps_follow_the_first_parents() {
        let list = merged();
        let older: Vec<_> = (0..4).map(|at| list.older(at)).collect();
        assert_eq!(older, [Some(2), Some(3), Some(3), None]);
        let newer: Vec<_> = (0..4).map(|at| list.newer(at, None)).collect();
        assert_eq!(newer, [None, Some(0), Some(0), Some(2)]);
        // The way back is the way that led there.
        assert_eq!(list.newer(3, Some(1)), Some(1));
    }

    #[test]
    fn times_prefer_the_main_line() {
        let list = merged();
        assert_eq!(list.span(), Some((10, 90)));
        assert_eq!(list.nearest(79, 2), Some(1));
        assert_eq!(list.nearest(79, 10), Some(2));
        assert_eq!(list.nearest(-5, 0), Some(3));
        assert_eq!(RevisionList::default().nearest(0, 0), None);
    }
}
