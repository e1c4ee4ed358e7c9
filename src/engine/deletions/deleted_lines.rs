//! Finds the deleted lines while a file is followed.

use std::{
    ops::{ControlFlow, Range},
    sync::Arc,
};

use bstr::BString;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    diff::Hunk,
    engine::{
        api::{
            deletions::{Deletion, DeletionSink},
            error::Error,
            line_history::VersionLines,
        },
        board::scoreboard::SuspectId,
        deletions::line_positions::LinePositions,
        file_history::version_visitor::{FoundVersion, VersionVisitor, place},
        walk::state::{Interrupt, Walk, check_flow},
    },
    objects::ObjectId,
};

/// The visitor that finds deletions.
pub(crate) struct DeletedLines<'s> {
    sink: &'s mut dyn DeletionSink,
    /// Only deletions between two lines of one of these ranges count.
    ranges: Option<&'s [Range<u32>]>,
    /// The versions that are still to be visited, as far as they are known.
    followed: FxHashMap<SuspectId, FollowedVersion>,
    /// The number of versions found.
    found: u32,
}

/// A version before it is visited, as far as it is known.
#[derive(Debug, Default)]
struct FollowedVersion {
    positions: LinePositions,
    /// The newest version, and those before it along the first parents that have the file.
    is_on_main_line: bool,
    /// The number, in the order in which versions are found, of the version that the positions come
    /// from.
    newer: u32,
    /// Lines of this version that commits deleted.
    deleted: Vec<DeletedRun>,
}

/// Lines that a commit deleted.
#[derive(Debug)]
struct DeletedRun {
    commit: ObjectId,
    time: i64,
    path: Arc<BString>,
    is_merge: bool,
    parent: ObjectId,
    parent_path: Arc<BString>,
    lines: Range<u32>,
    place: u32,
    neighbours: (Option<u32>, Option<u32>),
}

impl<'s> DeletedLines<'s> {
    pub(crate) fn new(sink: &'s mut dyn DeletionSink, ranges: Option<&'s [Range<u32>]>) -> Self {
        DeletedLines {
            sink,
            ranges,
            followed: FxHashMap::default(),
            found: 0,
        }
    }

    /// Passes on the deleted lines of a version that is visited: all versions that were made from
    /// it are known now.
    fn report(
        &mut self,
        walk: &mut Walk<'_>,
        suspect: SuspectId,
        version: &FollowedVersion,
    ) -> Result<(), Interrupt> {
        if version.deleted.is_empty() {
            return Ok(());
        }
        let text = walk.text(suspect)?;
        let lines = VersionLines::new(&text, &walk.caches.lines);
        for run in &version.deleted {
            for missing in version.positions.missing(run.lines.clone()) {
                check_flow(self.sink.deletion(&Deletion {
                    commit: run.commit,
                    time: run.time,
                    path: &run.path,
                    is_merge: run.is_merge,
                    parent: run.parent,
                    parent_path: &run.parent_path,
                    lines: missing,
                    version: lines,
                    place: run.place,
                    before: run.neighbours.0,
                    after: run.neighbours.1,
                }))?;
            }
        }
        Ok(())
    }

    fn is_wanted(&self, (before, after): (Option<u32>, Option<u32>)) -> bool {
        let Some(ranges) = self.ranges else {
            return true;
        };
        let (Some(before), Some(after)) = (before, after) else {
            return false;
        };
        let mut ranges = ranges.iter();
        ranges.any(|range| range.contains(&before) && range.contains(&after))
    }

    /// Gives a version to be visited later what is known from one that was made from it.
    fn follow(&mut self, parent: SuspectId, mut version: FollowedVersion) {
        match self.followed.entry(parent) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(version);
            }
            std::collections::hash_map::Entry::Occupied(mut entry) => {
                let known = entry.get_mut();
                known.deleted.append(&mut version.deleted);
                let rank = |it: &FollowedVersion| (!it.is_on_main_line, it.newer);
                if rank(&version) < rank(known) {
                    let deleted = std::mem::take(&mut known.deleted);
                    *known = FollowedVersion { deleted, ..version };
                }
            }
        }
    }
}

impl VersionVisitor for DeletedLines<'_> {
    fn begin(&mut self, walk: &Walk<'_>, suspect: SuspectId) {
        let newest = FollowedVersion {
            positions: LinePositions::of_final_image(walk.line_count),
            is_on_main_line: true,
            newer: 0,
            deleted: Vec::new(),
        };
        self.followed.insert(suspect, newest);
    }

    fn version(&mut self, walk: &mut Walk<'_>, found: &FoundVersion<'_>) -> Result<(), Interrupt> {
        let suspect = found.suspect;
        let version = self.followed.remove(&suspect).unwrap_or_default();
        self.report(walk, suspect, &version)?;
        let mut hunks: SmallVec<[Vec<Hunk>; 2]> = SmallVec::new();
        for &parent in found.parents {
            hunks.push(compare(walk, suspect, parent)?);
        }
        let removed = removed_from_all(walk, found.parents, &hunks)?;
        let mut deleted = Vec::new();
        if let (Some(&parent), false) = (found.parents.first(), removed.is_empty()) {
            let (commit, path) = place(walk, suspect);
            let (parent, parent_path) = place(walk, parent);
            let is_merge = walk.caches.commits.parents(found.header).len() > 1;
            for hunk in removed {
                let neighbours = version.positions.neighbours(hunk.new.start);
                if self.is_wanted(neighbours) {
                    deleted.push(DeletedRun {
                        commit,
                        time: found.header.time,
                        path: Arc::clone(&path),
                        is_merge,
                        parent,
                        parent_path: Arc::clone(&parent_path),
                        lines: hunk.old,
                        place: hunk.new.start,
                        neighbours,
                    });
                }
            }
        }
        for (nth, (&parent, hunks)) in found.parents.iter().zip(&hunks).enumerate() {
            let older = FollowedVersion {
                positions: version.positions.before(hunks),
                is_on_main_line: version.is_on_main_line && nth == 0,
                newer: self.found,
                deleted: std::mem::take(&mut deleted),
            };
            self.follow(parent, older);
        }
        self.found += 1;
        Ok(())
    }

    fn same_in_parent(&mut self, from: SuspectId, to: SuspectId) {
        if let Some(version) = self.followed.remove(&from) {
            self.follow(to, version);
        }
    }

    fn limit(&mut self, walk: &mut Walk<'_>, suspect: SuspectId) -> Result<(), Interrupt> {
        let version = self.followed.remove(&suspect).unwrap_or_default();
        self.report(walk, suspect, &version)
    }

    /// Older versions have no lines of the final image but those that a followed one has: once two of a range are in
    /// none, nothing before can be between them.
    fn is_done(&self) -> bool {
        let Some(ranges) = self.ranges else {
            return false;
        };
        let mut followed = self.followed.values();
        followed.all(|it| it.deleted.is_empty() && !it.positions.have_two_lines_of_one(ranges))
    }

    fn progress(&mut self, frontier: i64) -> ControlFlow<()> {
        self.sink.progress(frontier)
    }
}

/// The hunks between the versions of a parent and a suspect.
fn compare(
    walk: &mut Walk<'_>,
    suspect: SuspectId,
    parent: SuspectId,
) -> Result<Vec<Hunk>, Interrupt> {
    let mut hunks = Vec::new();
    if walk.board.get(parent).entry.id != walk.board.get(suspect).entry.id {
        walk.stats.patches += 1;
        walk.compare(suspect, parent, &mut hunks)?;
    }
    Ok(hunks)
}

/// The hunks of the first parent that only remove lines; with several parents, those that remove
/// the same lines at the same place from each.
fn removed_from_all(
    walk: &mut Walk<'_>,
    parents: &[SuspectId],
    hunks: &[Vec<Hunk>],
) -> Result<Vec<Hunk>, Error> {
    let is_removal = |hunk: &&Hunk| hunk.new.is_empty();
    let first = hunks.first().into_iter().flatten();
    let mut removed: Vec<Hunk> = first.filter(is_removal).cloned().collect();
    let Some((&first, others)) = parents.split_first() else {
        return Ok(removed);
    };
    for (&other, hunks) in others.iter().zip(&hunks[1..]) {
        if removed.is_empty() {
            break;
        }
        let (first, other) = (walk.text(first)?, walk.text(other)?);
        let tokens = |lines: &Range<u32>| lines.start as usize..lines.end as usize;
        removed.retain(|hunk| {
            let same = hunks.iter().filter(is_removal);
            let same = same.filter(|same| same.new.start == hunk.new.start);
            let mut same = same.filter_map(|same| other.tokens.get(tokens(&same.old)));
            let lines = first.tokens.get(tokens(&hunk.old));
            lines.is_some_and(|lines| same.any(|same| same == lines))
        });
    }
    Ok(removed)
}
