//! The walk that follows ranges of lines.

use std::{ops::Range, sync::Arc};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    diff::Hunk,
    engine::{
        api::{
            error::Error,
            line_history::{
                HistoryEnd, LineChange, LineHistorySink, OwnChange, PreviousLines, VersionLines,
            },
            request::CommitOrder,
        },
        board::{
            scoreboard::{PathIndex, SuspectId},
            split::PendingEntry,
        },
        history::commits::{CommitIndex, InternedHeader},
        line_history::{
            line_ranges,
            own_lines::{self, TwoVersions},
        },
        walk::{
            children_first::ChildrenFirst,
            parents::ParentFile,
            state::{Interrupt, Walk, check_flow},
        },
    },
    objects::TreeEntry,
};

/// How many times lines are followed to where they seem to have been moved from.
const MAX_MOVES: usize = 16;

/// The suspects of a commit: one, unless the lines are in several files.
type Suspects = SmallVec<[SuspectId; 1]>;

/// Follows ranges of lines. The ranges of a version are the pending entries of its suspect.
pub(crate) struct LineWalk<'a, 's> {
    pub(super) walk: Walk<'a>,
    pub(super) sink: &'s mut dyn LineHistorySink,
    order: ChildrenFirst,
    is_limited: bool,
    /// The requested lines themselves in the versions of the suspects that have ranges.
    own: FxHashMap<SuspectId, Vec<Range<u32>>>,
    /// Where lines were that commits seem to have moved.
    pub(super) moved: Vec<MovedLines>,
    /// The lines that are followed were moved.
    is_inferred: bool,
}

/// Lines before a commit that seems to have moved them.
pub(super) struct MovedLines {
    pub(super) commit: CommitIndex,
    pub(super) path: PathIndex,
    pub(super) entry: TreeEntry,
    pub(super) range: Range<u32>,
    /// Requested lines are among them.
    pub(super) is_own: bool,
}

/// A suspect's file in a parent.
pub(super) struct ParentLines {
    suspect: SuspectId,
    /// `None` if the parent does not have the file.
    found: Option<SuspectId>,
    /// The lines changed.
    is_changed: bool,
    /// The lines in the parent.
    ranges: Vec<Range<u32>>,
    /// The requested lines themselves changed.
    changes_own: bool,
    /// The requested lines themselves in the parent.
    own: Vec<Range<u32>>,
    /// How similar the most similar of them are, in percent.
    alike: u8,
    /// All hunks between the two versions, if the lines changed.
    pub(super) hunks: Vec<Hunk>,
}

/// The suspects' files in one parent.
enum ParentOutcome {
    /// The only suspect was reused as the parent's origin.
    Reused,
    Compared(Vec<ParentLines>),
}

impl<'a, 's> LineWalk<'a, 's> {
    pub(crate) fn new(walk: Walk<'a>, sink: &'s mut dyn LineHistorySink) -> Self {
        // As in git, branches come one after the other unless another order is asked for.
        let order = match walk.request.listing.order {
            CommitOrder::Chronological => CommitOrder::Topological,
            order => order,
        };
        LineWalk {
            walk,
            sink,
            order: ChildrenFirst::new(order),
            is_limited: false,
            own: FxHashMap::default(),
            moved: Vec::new(),
            is_inferred: false,
        }
    }

    /// Follows the requested lines to their births.
    pub(crate) fn run(mut self) -> Result<HistoryEnd, Error> {
        let (suspect, contents) = self.walk.final_image()?;
        let followed = self.follow(suspect, &contents);
        self.walk.end_history(followed, self.is_limited)
    }

    fn follow(&mut self, suspect: SuspectId, contents: &Arc<[u8]>) -> Result<(), Interrupt> {
        let count = self.walk.begin(suspect, contents)?;
        if self.walk.request.since.is_some() {
            // In contrast to a blame, `git log -L` reads the range first, so that what old commits
            // lead to is excluded too.
            let start = self.walk.board.get(suspect).commit;
            self.walk.limit(&[start], &[])?;
        }
        let entries = self.walk.initial_entries(count);
        let ranges: Vec<Range<u32>> = entries.iter().map(line_ranges::range_of).collect();
        let own = line_ranges::merged(ranges.clone());
        self.add_ranges(suspect, ranges, own)?;
        self.visit_all()?;
        for _ in 0..MAX_MOVES {
            let moved = std::mem::take(&mut self.moved);
            if moved.is_empty() {
                break;
            }
            self.is_inferred = true;
            for lines in moved {
                let board = &mut self.walk.board;
                let suspect = board.make(lines.commit, lines.path, lines.entry, None);
                let ranges = vec![lines.range];
                let own = if lines.is_own {
                    ranges.clone()
                } else {
                    Vec::new()
                };
                self.add_ranges(suspect, ranges, own)?;
            }
            self.visit_all()?;
        }
        Ok(())
    }

    /// Visits commits while there are any.
    fn visit_all(&mut self) -> Result<(), Interrupt> {
        while let Some(commit) = self.walk.queue.pop() {
            let mut next = Some(commit);
            while let Some(commit) = next {
                next = self.visit(commit)?;
            }
        }
        Ok(())
    }

    /// Gives a commit's ranges to its parents, and reports the commit if it changed them. Returns
    /// the commit to visit next, if that is certain.
    fn visit(&mut self, commit: CommitIndex) -> Result<Option<CommitIndex>, Interrupt> {
        let suspects: Suspects = self.walk.board.pending_suspects(commit).collect();
        if suspects.is_empty() {
            return Ok(None);
        }
        let header = self.walk.header(commit)?;
        self.walk.count_visit(commit)?;
        check_flow(self.sink.progress(header.time))?;
        self.order.frontier = header.time;
        if self.walk.is_beyond_boundary(commit, &header) {
            self.is_limited = true;
            self.release(&suspects);
            return Ok(None);
        }
        let mut compared: Vec<Vec<ParentLines>> = Vec::new();
        let patches = self.walk.stats.patches;
        for (at, &parent) in self.walk.parents_of(&header).iter().enumerate() {
            let lines = match self.compare_with_parent(&suspects, &header, parent, at)? {
                ParentOutcome::Reused => return Ok(Some(parent)),
                ParentOutcome::Compared(lines) => lines,
            };
            if lines.iter().all(|lines| !lines.is_changed) {
                // The other parents are not followed.
                for found in compared.iter().flatten().filter_map(|lines| lines.found) {
                    self.walk.board.release(found);
                }
                compared = vec![lines];
                break;
            }
            compared.push(lines);
        }
        self.walk.stats.commits += u64::from(self.walk.stats.patches > patches);
        let is_taken = compared.len() == 1 && compared[0].iter().all(|lines| !lines.is_changed);
        if !is_taken {
            for &suspect in &suspects {
                self.report(suspect, &header, &compared)?;
            }
        }
        // Where one parent has the requested lines as they are, the others do not count.
        let keeper = compared
            .iter()
            .position(|lines| lines.iter().all(|lines| !lines.changes_own));
        self.release(&suspects);
        for (at, lines) in compared.into_iter().enumerate() {
            for mut lines in lines {
                let Some(found) = lines.found else {
                    continue;
                };
                if keeper.is_some_and(|keeper| keeper != at) {
                    lines.own.clear();
                }
                self.add_ranges(found, lines.ranges, lines.own)?;
                self.walk.board.release(found);
            }
        }
        Ok(None)
    }

    fn compare_with_parent(
        &mut self,
        suspects: &[SuspectId],
        header: &InternedHeader,
        parent: CommitIndex,
        at: usize,
    ) -> Result<ParentOutcome, Interrupt> {
        let mut compared = Vec::with_capacity(suspects.len());
        for &suspect in suspects {
            let found = match self.walk.find_in_parent(suspect, header, parent, at)? {
                ParentFile::At(found) => Some(found),
                ParentFile::Reused => return Ok(ParentOutcome::Reused),
                ParentFile::OtherType | ParentFile::Absent => None,
            };
            compared.push(match found {
                Some(found) => self.compare_versions(suspect, found)?,
                None => ParentLines {
                    suspect,
                    found: None,
                    is_changed: true,
                    ranges: Vec::new(),
                    changes_own: !self.own_lines(suspect).is_empty(),
                    own: Vec::new(),
                    alike: 0,
                    hunks: Vec::new(),
                },
            });
        }
        Ok(ParentOutcome::Compared(compared))
    }

    fn compare_versions(
        &mut self,
        suspect: SuspectId,
        found: SuspectId,
    ) -> Result<ParentLines, Interrupt> {
        let ranges = self.ranges(suspect);
        let board = &self.walk.board;
        if board.get(suspect).entry.id == board.get(found).entry.id {
            return Ok(ParentLines {
                suspect,
                found: Some(found),
                is_changed: false,
                ranges,
                changes_own: false,
                own: self.own_lines(suspect).to_vec(),
                alike: 100,
                hunks: Vec::new(),
            });
        }
        let mut hunks = Vec::new();
        self.walk.stats.patches += 1;
        self.walk.compare(suspect, found, &mut hunks)?;
        let (in_parent, is_changed) = line_ranges::to_parent(&ranges, &hunks);
        let changes_own = own_lines::are_touched(self.own_lines(suspect), &hunks);
        let (own, alike) = if changes_own {
            // Many versions are compared without their texts.
            let (new, old) = (self.walk.text(suspect)?, self.walk.text(found)?);
            let versions = TwoVersions {
                new: &new.tokens,
                old: &old.tokens,
                interned: &self.walk.caches.lines,
            };
            own_lines::to_parent(self.own_lines(suspect), &hunks, versions)
        } else {
            (
                line_ranges::to_parent(self.own_lines(suspect), &hunks).0,
                100,
            )
        };
        if !is_changed {
            hunks = Vec::new();
        }
        Ok(ParentLines {
            suspect,
            found: Some(found),
            is_changed,
            ranges: in_parent,
            changes_own,
            own,
            alike,
            hunks,
        })
    }

    /// The requested lines themselves in a suspect's version.
    pub(super) fn own_lines(&self, suspect: SuspectId) -> &[Range<u32>] {
        self.own.get(&suspect).map_or(&[], Vec::as_slice)
    }

    /// The ranges of a suspect.
    fn ranges(&self, suspect: SuspectId) -> Vec<Range<u32>> {
        let pending = &self.walk.board.get(suspect).pending;
        pending.iter().map(line_ranges::range_of).collect()
    }

    /// Reports a suspect, if its commit changed its lines.
    fn report(
        &mut self,
        suspect: SuspectId,
        header: &InternedHeader,
        compared: &[Vec<ParentLines>],
    ) -> Result<(), Interrupt> {
        let own = || {
            let lines = compared.iter().flatten();
            lines.filter(|lines| lines.suspect == suspect)
        };
        if !compared.is_empty() && own().all(|lines| !lines.is_changed) {
            return Ok(());
        }
        let first = own().find_map(|lines| Some((lines, lines.found?)));
        let version = self.walk.text(suspect)?;
        let old_version = match first {
            Some((_, found)) => Some(self.walk.text(found)?),
            None => None,
        };
        let mut lines = self.ranges(suspect);
        let (mut old_lines, mut hunks) = (Vec::new(), Vec::new());
        if let Some((compared, _)) = first {
            if compared.is_changed {
                // As git, ranges that the commit left alone are not shown.
                let touched = |range: &Range<u32>| {
                    let mut hunks = compared.hunks.iter();
                    hunks.any(|hunk| line_ranges::touches(hunk, range))
                };
                lines.retain(touched);
                hunks.clone_from(&compared.hunks);
                hunks.retain(|hunk| lines.iter().any(|range| line_ranges::touches(hunk, range)));
            }
            old_lines = line_ranges::to_parent(&lines, &compared.hunks).0;
        }
        self.find_sources(
            suspect,
            header,
            &lines,
            (&version, first, old_version.as_deref()),
        )?;
        let walk = &self.walk;
        let interned = &walk.caches.lines;
        let id_and_path = |suspect| {
            let suspected = walk.board.get(suspect);
            let commit = walk.caches.commits.id(suspected.commit);
            (commit, walk.board.path(suspected.path))
        };
        let previous = first.zip(old_version.as_deref());
        let previous = previous.map(|((compared, found), old_version)| {
            let (commit, path) = id_and_path(found);
            PreviousLines {
                commit,
                path,
                lines: &old_lines,
                own_lines: &compared.own,
                version: VersionLines::new(old_version, interned),
                hunks: &hunks,
            }
        });
        let own_lines = self.own.get(&suspect).map_or(&[][..], Vec::as_slice);
        let keeps_own = if compared.is_empty() {
            own_lines.is_empty()
        } else {
            own().any(|lines| !lines.changes_own)
        };
        let own_change = if keeps_own {
            OwnChange::None
        } else if own().all(|lines| lines.own.is_empty()) {
            OwnChange::Wrote
        } else {
            OwnChange::Changed(own().map(|lines| lines.alike).max().unwrap_or(100))
        };
        let (commit, path) = id_and_path(suspect);
        check_flow(self.sink.change(&LineChange {
            commit,
            path,
            lines: &lines,
            version: VersionLines::new(&version, interned),
            is_merge: compared.len() > 1,
            is_inferred: self.is_inferred,
            own_lines,
            own_change,
            previous,
        }))
    }

    /// Adds ranges and the requested lines among them to a suspect, and queues its commit.
    fn add_ranges(
        &mut self,
        to: SuspectId,
        ranges: Vec<Range<u32>>,
        own: Vec<Range<u32>>,
    ) -> Result<(), Interrupt> {
        if ranges.is_empty() {
            return Ok(());
        }
        if !own.is_empty() {
            let known = self.own.entry(to).or_default();
            known.extend(own);
            *known = line_ranges::merged(std::mem::take(known));
        }
        let board = &mut self.walk.board;
        let commit = board.get(to).commit;
        let is_queued = board.next_suspect(commit).is_some();
        let pending = &mut board.get_mut(to).pending;
        let known = pending.iter().map(line_ranges::range_of);
        let all = line_ranges::merged(known.chain(ranges).collect());
        *pending = all.iter().map(PendingEntry::of_lines).collect();
        if is_queued {
            Ok(())
        } else {
            self.enqueue(commit)
        }
    }

    fn enqueue(&mut self, commit: CommitIndex) -> Result<(), Interrupt> {
        let sink = &mut *self.sink;
        self.order.enqueue(commit, &mut self.walk, &mut |frontier| {
            sink.progress(frontier)
        })
    }

    /// Takes the ranges of suspects away.
    fn release(&mut self, suspects: &[SuspectId]) {
        for &suspect in suspects {
            let suspected = self.walk.board.get_mut(suspect);
            suspected.pending.clear();
            suspected.chain = None;
            self.own.remove(&suspect);
            self.walk.board.release(suspect);
        }
    }
}
