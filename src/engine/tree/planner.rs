//! The first phase: which versions of which files have to be compared.

use std::{ops::ControlFlow, sync::Arc};

use bstr::{BStr, BString};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    engine::{
        api::{
            error::Error,
            request::Start,
            tree::{PlanProgress, PlanSink},
        },
        board::scoreboard::PathIndex,
        history::commits::{CommitIndex, InternedHeader, slot},
        last_commits::directory_walk::find_start,
        tree::{
            compared_ahead::{CompareAhead, ComparedAhead},
            compared_trees::note_directories,
            kept_tree::KeptTree,
            known_places::KnownPlaces,
            live_files::{LiveFile, LiveFiles},
            plan::{AskedAttribute, PlannedFile, TreePlan, Unplanned, VersionRecord},
            segments::{SegmentId, Segments},
            visit_order::VisitOrder,
        },
        walk::state::{Interrupt, Walk, check_flow},
    },
    objects::{ListedEntry, ObjectId},
};

/// How often the sink is told of the progress, in commits.
const PROGRESS_INTERVAL: usize = 512;

/// Histories with fewer commits are compared sooner than a thread has read their first trees.
const MIN_COMMITS_AHEAD: usize = 16;

/// The memory that a plan may take, in bytes: a repository can list as many files and versions of
/// them as it likes in a few kilobytes.
const MAX_BYTES: usize = 2 << 30;
/// About the memory for a file, a record and an origin of a record, without paths.
const FILE_BYTES: usize = 320;
pub(super) const RECORD_BYTES: usize = 80;
pub(super) const ORIGIN_BYTES: usize = 80;

/// Added to the number of a record of the earlier plan.
pub(super) const KNOWN: u32 = 1 << 31;

/// Makes the plan of a directory.
pub(crate) struct Planner<'a, 's> {
    pub(super) walk: Walk<'a>,
    pub(super) sink: &'s mut dyn PlanSink,
    /// An earlier plan.
    pub(super) known: Option<KnownPlaces<'s>>,
    /// How many versions of it the history led to.
    pub(super) met: usize,
    /// The attributes that were asked for.
    pub(super) attributes: Vec<AskedAttribute>,
    pub(super) files: Vec<PlannedFile>,
    /// By file: its first segment.
    pub(super) starts: Vec<Option<SegmentId>>,
    /// The files of the plan by their paths.
    pub(super) file_at: FxHashMap<PathIndex, usize>,
    /// By commit that is still to be visited: its files whose lines are not attributed yet.
    pub(super) live: FxHashMap<CommitIndex, LiveFiles>,
    order: VisitOrder,
    /// The thread that compares trees.
    pub(super) ahead: Option<ComparedAhead>,
    compare_ahead: CompareAhead,
    /// The number of commits that the walk reaches.
    commit_count: usize,
    pub(super) segments: Segments,
    pub(super) records: Vec<VersionRecord>,
    pub(super) origins: Vec<PendingOrigin>,
    pub(super) commits: Vec<CommitIndex>,
    /// By commit: its index in `commits`, plus 1.
    commit_numbers: Vec<u32>,
    /// The directories, with a slash at the end, that have or had live files somewhere below them.
    pub(super) directories: FxHashSet<BString>,
    /// The directories, with a slash at the end, whose files are not known.
    unreadable: FxHashSet<BString>,
    /// About the memory that the plan takes, in bytes.
    pub(super) bytes: usize,
}

/// An origin of a record, as long as it is not known at which record it will end.
pub(super) struct PendingOrigin {
    pub(super) segment: SegmentId,
    pub(super) commit: u32,
    pub(super) path: PathIndex,
}

/// Why the planner ended early.
enum PlanEnd {
    Interrupt(Interrupt),
    Unplanned(Unplanned),
}

impl<E: Into<Interrupt>> From<E> for PlanEnd {
    fn from(interrupt: E) -> PlanEnd {
        PlanEnd::Interrupt(interrupt.into())
    }
}

impl<'a, 's> Planner<'a, 's> {
    /// `kept` is what is kept of a plan with the same options.
    pub(crate) fn new(
        mut walk: Walk<'a>,
        compare_ahead: CompareAhead,
        kept: Option<&'s KeptTree>,
        sink: &'s mut dyn PlanSink,
    ) -> Self {
        let known = kept.map(|kept| KnownPlaces::new(kept, &mut walk));
        Planner {
            walk,
            sink,
            known,
            met: 0,
            attributes: kept.map_or_else(Vec::new, |kept| kept.attributes.clone()),
            files: Vec::new(),
            starts: Vec::new(),
            file_at: FxHashMap::default(),
            live: FxHashMap::default(),
            order: VisitOrder::default(),
            ahead: None,
            compare_ahead,
            commit_count: 0,
            segments: Segments::default(),
            records: Vec::new(),
            origins: Vec::new(),
            commits: Vec::new(),
            commit_numbers: Vec::new(),
            directories: FxHashSet::default(),
            unreadable: FxHashSet::default(),
            bytes: kept.map_or(0, |kept| {
                let (records, origins) = (&kept.versions.records, &kept.versions.origins);
                RECORD_BYTES * records.len() + ORIGIN_BYTES * origins.len()
            }),
        }
    }

    /// Makes the plan; `None` if the sink stopped it.
    ///
    /// # Errors
    ///
    /// The directory cannot be listed, or there is a sign of damage.
    pub(crate) fn run(mut self) -> Result<Option<TreePlan>, Error> {
        let (start, tree) = self.list_files()?;
        let unplanned = match self.plan(start, tree) {
            Ok(()) => None,
            Err(PlanEnd::Interrupt(Interrupt::Stopped)) => return Ok(None),
            Err(PlanEnd::Interrupt(Interrupt::Failed(error))) if error.is_sign_of_damage() => {
                return Err(error);
            }
            Err(PlanEnd::Interrupt(Interrupt::Failed(error))) => {
                Some(Unplanned::Unreadable(Arc::new(error)))
            }
            Err(PlanEnd::Unplanned(why)) => Some(why),
        };
        self.finish(unplanned).map(Some)
    }

    /// Lists the directory of the request in the start commit. Returns the commit and the
    /// directory's tree.
    fn list_files(&mut self) -> Result<(CommitIndex, ObjectId), Error> {
        let request = self.walk.request;
        if !matches!(request.start, Start::Commit(_)) {
            return Err(Error::Damaged("a directory is planned from a commit"));
        }
        let (commit, chain) = find_start(&mut self.walk)?;
        let tree = chain.entry.id;
        let mut above = request.path.clone();
        if !above.is_empty() {
            above.push(b'/');
        }
        let reader = &mut self.walk.caches.reader;
        let mut listed = Vec::new();
        let bytes = &mut self.bytes;
        let (mut damage, mut unreadable) = (None, FxHashSet::default());
        let list = reader.list_tree(tree, &mut |below, listed_entry| {
            let entry = match listed_entry {
                ListedEntry::Entry(entry) => entry,
                ListedEntry::Unreadable(entry, error) => {
                    let mut directory = below.clone();
                    directory.push(b'/');
                    unreadable.insert(directory);
                    let error = Error::in_trees(error);
                    damage = damage
                        .take()
                        .or(Some(error).filter(Error::is_sign_of_damage));
                    entry
                }
            };
            let mut path = above.clone();
            path.extend_from_slice(&below);
            *bytes += FILE_BYTES + bytes_of_path(&path);
            listed.push((path, entry));
            if *bytes > MAX_BYTES {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        list.map_err(Error::in_trees)?;
        damage.map_or(Ok(()), Err)?;
        self.unreadable = unreadable;
        if self.bytes > MAX_BYTES {
            return Err(Error::TooManyFiles);
        }
        // A damaged tree may have a name twice, of which a lookup finds the first.
        listed.sort_by(|(one, _), (other, _)| one.cmp(other));
        listed.dedup_by(|(next, _), (path, _)| next == path);
        for (path, entry) in listed {
            let is_file = entry.is_regular() || entry.is_link();
            // Objects that replace each other in turn are the file's own error.
            let is_blob = is_file || entry.is_tree() || reader.is_blob(&entry).unwrap_or(true);
            self.files.push(PlannedFile::new(path, entry, !is_blob));
        }
        self.starts = vec![None; self.files.len()];
        Ok((commit, tree))
    }

    fn plan(&mut self, start: CommitIndex, tree: ObjectId) -> Result<(), PlanEnd> {
        if self.walk.request.reverse.is_some() {
            return Err(PlanEnd::Unplanned(Unplanned::Reverse));
        }
        // Where a lookup of a path finds another entry than a list has, only lookups are right.
        let reader = &mut self.walk.caches.reader;
        let unreadable = &self.unreadable;
        let mut enters = |directory: &BStr| !unreadable.contains(directory);
        let sorted =
            reader.diff_sorted_trees_within(None, Some(tree), &mut enters, &mut |_, _, _| ());
        sorted.map_err(Error::in_trees)?;
        self.walk.mark_negatives(&[start], Vec::new())?;
        self.walk.mark_boundaries();
        self.read_history(start)?;
        let mut live = LiveFiles::default();
        for at in 0..self.files.len() {
            let file = &self.files[at];
            let entry = file.entry;
            if entry.is_tree() {
                continue;
            }
            let segment = self.segments.add();
            // What has the mode of neither a file nor a link is read in its own way. Only its last
            // commit is looked for.
            if entry.is_regular() || entry.is_link() {
                self.starts[at] = Some(segment);
            }
            let path = self.walk.board.path_index(&file.path);
            note_directories(&mut self.directories, &file.path);
            self.file_at.insert(path, at);
            let file = LiveFile {
                segment,
                entry,
                is_unchanged: true,
            };
            live.add(path, file, &mut self.segments);
        }
        self.add_live(start, live);
        self.visit_all(start)?;
        if self.plans_lines() {
            Ok(())
        } else {
            Err(PlanEnd::Unplanned(Unplanned::Movement))
        }
    }

    /// False if only the last commits of files are looked for.
    pub(super) fn plans_lines(&self) -> bool {
        !self.walk.request.movement.depends_on_file()
    }

    /// Reads the history as far as the walk may go, and counts children.
    fn read_history(&mut self, start: CommitIndex) -> Result<(), PlanEnd> {
        let mut seen = Vec::new();
        *slot(&mut seen, start) = true;
        let (mut todo, mut boundaries) = (vec![start], Vec::new());
        while let Some(commit) = todo.pop() {
            // The walk goes on without a parent that cannot be read.
            let Some(header) = self.walk.parent_header(commit)? else {
                continue;
            };
            self.commit_count += 1;
            if self.commit_count.is_multiple_of(PROGRESS_INTERVAL) {
                check_flow(self.sink.progress(PlanProgress {
                    visited: 0,
                    commits: self.commit_count,
                    frontier: i64::MAX,
                }))?;
            }
            if self.walk.is_beyond_boundary(commit, &header) {
                boundaries.push(header);
                continue;
            }
            for parent in self.walk.parents_of(&header) {
                self.order.add_child(parent);
                if !std::mem::replace(slot(&mut seen, parent), true) {
                    todo.push(parent);
                }
            }
        }
        self.walk.unreadable_parents.clear();
        if self.order.has_children(start) {
            return Err(PlanEnd::Unplanned(Unplanned::Cycle));
        }
        self.check_limits(&seen, boundaries)
    }

    /// An error if a boundary is an ancestor of a commit that the walk goes through, which is in
    /// `seen`: a boundary makes its ancestors boundaries, as far as they were read, when it is
    /// visited.
    fn check_limits(
        &self,
        seen: &[bool],
        mut boundaries: Vec<InternedHeader>,
    ) -> Result<(), PlanEnd> {
        let commits = &self.walk.caches.commits;
        let mut passed = FxHashSet::default();
        while let Some(header) = boundaries.pop() {
            let parents = commits.parents(&header);
            for &parent in self.walk.request.uninteresting_parents(parents) {
                let Some(header) = commits.cached_header(parent) else {
                    continue;
                };
                if seen.get(parent.index()).copied().unwrap_or_default() {
                    if !self.walk.is_beyond_boundary(parent, &header) {
                        return Err(PlanEnd::Unplanned(Unplanned::Limit));
                    }
                } else if self.walk.board.is_read(parent) && passed.insert(parent) {
                    boundaries.push(header);
                }
            }
        }
        Ok(())
    }

    /// Visits the commits that have live files.
    fn visit_all(&mut self, start: CommitIndex) -> Result<(), PlanEnd> {
        self.order.push(start, i64::MAX);
        self.compare_ahead();
        let mut visited = 0;
        while !self.live.is_empty() {
            let Some(commit) = self.order.pop() else {
                return Err(PlanEnd::Unplanned(Unplanned::Cycle));
            };
            let walk = &self.walk;
            self.ahead.take_if(|ahead| !ahead.reach(commit, walk));
            let header = self.walk.header(commit)?;
            visited += 1;
            if visited % PROGRESS_INTERVAL == 0 {
                check_flow(self.sink.progress(PlanProgress {
                    visited,
                    commits: self.commit_count,
                    frontier: header.time,
                }))?;
            }
            self.visit(commit, &header)?;
            if self.bytes > MAX_BYTES {
                return Err(PlanEnd::Unplanned(Unplanned::TooLarge));
            }
            if self.walk.is_beyond_boundary(commit, &header) {
                continue;
            }
            for parent in self.walk.parents_of(&header) {
                if self.order.remove_child(parent)
                    && let Some(header) = self.walk.parent_header(parent)?
                {
                    self.order.push(parent, header.time);
                }
            }
        }
        Ok(())
    }

    /// Starts the thread that compares trees, if it is worth it.
    fn compare_ahead(&mut self) {
        if self.commit_count < MIN_COMMITS_AHEAD {
            return;
        }
        let files = self.files.iter().map(|file| file.path.clone());
        let paths = self.sink.changes().is_none().then(|| files.collect());
        let store = &self.walk.caches.store;
        self.ahead = ComparedAhead::start(store, self.compare_ahead, self.order.clone(), paths);
    }

    /// The index of a commit in the plan.
    pub(super) fn commit_number(&mut self, commit: CommitIndex) -> u32 {
        let number = slot(&mut self.commit_numbers, commit);
        if *number == 0 {
            self.commits.push(commit);
            *number = self.commits.len() as u32;
        }
        *number - 1
    }
}

/// About the memory for a path, which is kept twice, and for its directories.
pub(super) fn bytes_of_path(path: &[u8]) -> usize {
    path.len() * (2 + memchr::memchr_iter(b'/', path).count())
}
