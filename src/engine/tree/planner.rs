//! The first phase: which versions of which files have to be compared.

use std::{ops::ControlFlow, sync::Arc};

use bstr::{BStr, BString, ByteSlice};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

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
        similarity::{
            candidates::{self, CommitTree},
            renames::{self, RenameSources},
        },
        tree::{
            changed_file::{ChangedFile, OriginFile, PathInParent},
            compared_ahead::{CompareAhead, ComparedAhead},
            compared_trees::{ComparedTrees, note_directories, visit_planned},
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
const RECORD_BYTES: usize = 80;
const ORIGIN_BYTES: usize = 80;

/// Added to the number of a record of the earlier plan.
pub(super) const KNOWN: u32 = 1 << 31;

/// Makes the plan of a directory.
pub(crate) struct Planner<'a, 's> {
    pub(super) walk: Walk<'a>,
    sink: &'s mut dyn PlanSink,
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
    file_at: FxHashMap<PathIndex, usize>,
    /// By commit that is still to be visited: its files whose lines are not attributed yet.
    live: FxHashMap<CommitIndex, LiveFiles>,
    order: VisitOrder,
    /// The thread that compares trees.
    ahead: Option<ComparedAhead>,
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
    directories: FxHashSet<BString>,
    /// The directories, with a slash at the end, whose files are not known.
    unreadable: FxHashSet<BString>,
    /// About the memory that the plan takes, in bytes.
    bytes: usize,
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
            self.files.push(PlannedFile {
                path,
                entry,
                changed_mode: None,
                is_submodule: !is_blob,
                last_commit: None,
                record: None,
                known: None,
            });
        }
        self.starts = vec![None; self.files.len()];
        Ok((commit, tree))
    }

    fn plan(&mut self, start: CommitIndex, tree: ObjectId) -> Result<(), PlanEnd> {
        let request = self.walk.request;
        if request.movement.moves.is_some() {
            return Err(PlanEnd::Unplanned(Unplanned::Movement));
        }
        if request.reverse.is_some() {
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
        self.visit_all(start)
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

    /// Passes the live files of a commit to its parents.
    fn visit(&mut self, commit: CommitIndex, header: &InternedHeader) -> Result<(), Interrupt> {
        let Some(mut live) = self.live.remove(&commit) else {
            return Ok(());
        };
        self.take_known(commit, &mut live);
        if live.is_empty() {
            return Ok(());
        }
        let is_root = self.walk.caches.commits.parents(header).is_empty();
        let is_beyond = self.walk.is_beyond_boundary(commit, header);
        if is_beyond || (is_root && !self.walk.request.show_root) {
            self.walk.board.mark_uninteresting(commit);
        }
        if is_beyond || is_root {
            for (path, file) in live.into_sorted() {
                if !is_beyond {
                    self.note_last_commit(commit, path, file);
                }
                self.end_file(commit, path, file, Some(&[]));
            }
            return Ok(());
        }
        let tree = self.walk.caches.commits.tree(header);
        let parents = self.walk.parents_of(header);
        let first = self.walk.parent_header(parents[0])?;
        let mut changed = match &first {
            Some(first) => {
                self.take_changed(&mut live, commit, [header, first], tree, parents.len())?
            }
            None => {
                let all = std::mem::take(&mut live).into_sorted().into_iter();
                let absent = |(path, file)| {
                    ChangedFile::new(path, file, PathInParent::Absent, parents.len())
                };
                all.map(absent).collect()
            }
        };
        self.add_live(parents[0], live);
        for (at, &parent) in parents.iter().enumerate() {
            if at > 0 {
                self.find_same_paths(&mut changed, parent, tree)?;
            }
            for file in changed.iter_mut().filter(|file| file.is_looked_up()) {
                file.take_same_path(at);
            }
        }
        if self.walk.request.follow {
            for (at, &parent) in parents.iter().enumerate() {
                self.find_renamed(&mut changed, at, parent, tree)?;
            }
        }
        for file in changed {
            self.pass(commit, &parents, file);
        }
        Ok(())
    }

    /// Takes the files out of which an earlier plan knows what this one would find.
    fn take_known(&mut self, commit: CommitIndex, live: &mut LiveFiles) {
        let Some(known) = &self.known else {
            return;
        };
        for place in known.of_commit(commit) {
            let found = live.get(place.path);
            let Some(&file) = found.filter(|file| known.answers(place, file)) else {
                continue;
            };
            live.remove(place.path);
            self.met += 1;
            if let Some(record) = place.record {
                self.segments.end(file.segment, KNOWN + record);
            }
            let id = self.walk.caches.commits.id(commit);
            if file.is_unchanged
                && let Some(&at) = self.file_at.get(&place.path)
                && let Some(last) = known.last_commit(place, id)
            {
                self.files[at].last_commit = Some(last);
                self.sink.last_commit(at, last);
            }
        }
    }

    /// Takes the files out that differ from the first parent's.
    fn take_changed(
        &mut self,
        live: &mut LiveFiles,
        commit: CommitIndex,
        [header, first]: [&InternedHeader; 2],
        tree: ObjectId,
        parent_count: usize,
    ) -> Result<Vec<ChangedFile>, Error> {
        let mut changed = Vec::new();
        let mut take = |path, found| {
            if let Some(file) = live.remove(path) {
                changed.push(ChangedFile::new(path, file, found, parent_count));
            }
        };
        let mut all = self.sink.changes().map(|_| Vec::new());
        let directories = &self.directories;
        let ahead = self.ahead.as_mut();
        let ahead = ahead.and_then(|ahead| ahead.take(|it| directories.contains(it)));
        let differ = if let Some(compared) = ahead {
            let board = &self.walk.board;
            for change in &compared.changes {
                visit_planned(&change.path, [change.old, change.new], board, &mut take);
            }
            all = all.map(|_| compared.changes);
            Ok(())
        } else {
            let compared = ComparedTrees {
                parent: first,
                tree,
                directories,
                all: all.as_mut(),
            };
            compared.visit(&mut self.walk, &mut take)
        };
        if readable(differ)?.is_some() {
            let paths = changed.iter().map(|file| file.path);
            self.walk.doubt_ruled_out(header, paths)?;
            if let (Some(changes), Some(all)) = (self.sink.changes(), all) {
                changes.add(self.walk.caches.commits.id(commit), all);
            }
        } else {
            let rest = std::mem::take(live).into_sorted().into_iter();
            changed.extend(rest.map(|(path, file)| {
                ChangedFile::new(path, file, PathInParent::Absent, parent_count)
            }));
            changed.iter_mut().for_each(|file| file.is_unknown = true);
        }
        Ok(changed)
    }

    /// Looks the paths of changed files up in another parent.
    fn find_same_paths(
        &mut self,
        changed: &mut [ChangedFile],
        parent: CommitIndex,
        tree: ObjectId,
    ) -> Result<(), Interrupt> {
        let header = self.walk.parent_header(parent)?;
        let mut wanted = FxHashMap::default();
        let mut directories = FxHashSet::default();
        for (at, file) in changed.iter_mut().enumerate() {
            file.found = match header {
                Some(_) => PathInParent::Entry(file.file.entry),
                None => PathInParent::Absent,
            };
            if file.is_looked_up() {
                wanted.insert(file.path, at);
                note_directories(&mut directories, self.walk.board.path(file.path));
            }
        }
        let Some(header) = header.filter(|_| !wanted.is_empty()) else {
            return Ok(());
        };
        let mut note = |path, found| {
            if let Some(&at) = wanted.get(&path) {
                changed[at].found = found;
            }
        };
        let compared = ComparedTrees {
            parent: &header,
            tree,
            directories: &directories,
            all: None,
        };
        let differ = compared.visit(&mut self.walk, &mut note);
        if readable(differ)?.is_none() {
            for &at in wanted.values() {
                changed[at].is_unknown = true;
            }
        }
        Ok(())
    }

    /// Looks for renames of the files that a parent lacks.
    fn find_renamed(
        &mut self,
        changed: &mut [ChangedFile],
        at: usize,
        parent: CommitIndex,
        tree: ObjectId,
    ) -> Result<(), Interrupt> {
        let is_wanted = |file: &&mut ChangedFile| {
            file.taken.is_none() && !file.is_unknown && file.absent.contains(&at)
        };
        if !changed.iter_mut().any(|file| is_wanted(&file)) {
            return Ok(());
        }
        let Some(header) = self.walk.parent_header(parent)? else {
            return Ok(());
        };
        let Walk {
            caches,
            request,
            board,
            ..
        } = &mut self.walk;
        let parent_tree = caches.commits.tree(&header);
        let reader = &mut caches.reader;
        reader.fetch_differing_trees(parent_tree, Some(tree));
        let sources = candidates::rename_sources(parent_tree, CommitTree::Stored(tree), reader);
        let Some(sources) = readable(sources)? else {
            let wanted = changed.iter_mut().filter(is_wanted);
            wanted.for_each(|file| file.is_unknown = true);
            return Ok(());
        };
        let mut sources = RenameSources::of_many(sources);
        let attributes = request.text_attributes.as_deref();
        let asked = &mut self.attributes;
        let mut is_text = |path: &BStr| {
            let found = attributes.and_then(|attributes| attributes.is_text(path));
            asked.push((path.to_owned(), found));
            found
        };
        for file in changed.iter_mut().filter(is_wanted) {
            let path = Arc::clone(board.path(file.path));
            let (path, entry) = (path.as_bstr(), file.file.entry);
            let found = renames::find_source(path, entry, None, &mut sources, &mut is_text, reader);
            let Some(found) = readable(found)? else {
                file.is_unknown = true;
                continue;
            };
            let Some((source, entry)) = found.map(|found| &sources.files()[found]) else {
                continue;
            };
            // In trees that are not sorted, a lookup finds another entry than a list has.
            let listed = reader.find_path(parent_tree, source, None);
            let listed = readable(listed.map_err(Error::in_trees))?.flatten();
            if listed.is_none_or(|chain| chain.entry != *entry) {
                file.is_unknown = true;
                continue;
            }
            self.bytes += bytes_of_path(source);
            note_directories(&mut self.directories, source);
            if let Some(ahead) = &mut self.ahead {
                ahead.add_path(source);
            }
            let path = board.path_index(source);
            let entry = *entry;
            file.retain(at, OriginFile { path, entry });
        }
        Ok(())
    }

    /// Passes a changed file to the parents.
    fn pass(&mut self, commit: CommitIndex, parents: &[CommitIndex], changed: ChangedFile) {
        let ChangedFile { path, file, .. } = changed;
        if changed.is_unknown {
            self.end_file(commit, path, file, None);
            return;
        }
        if changed.same_entry.is_none() {
            self.note_last_commit(commit, path, file);
        }
        let Some((at, found)) = changed.taken else {
            let retained = changed.retained.iter().enumerate();
            let origins: SmallVec<[(CommitIndex, OriginFile); 2]> = retained
                .filter_map(|(at, file)| Some((parents[at], (*file)?)))
                .collect();
            self.end_file(commit, path, file, Some(&origins));
            return;
        };
        let passed = LiveFile {
            entry: found.entry,
            is_unchanged: file.is_unchanged && changed.same_entry == Some(at),
            ..file
        };
        self.add_file(parents[at], found.path, passed);
        if let Some(same) = changed.same_entry.filter(|same| *same != at)
            && file.is_unchanged
        {
            // Only the last commit is looked for there: no lines are in this segment.
            let segment = self.segments.add();
            self.add_file(parents[same], path, LiveFile { segment, ..file });
        }
    }

    /// Ends the segment of a file at a commit, and begins one in each of its origins, which are
    /// `None` if they are not known.
    fn end_file(
        &mut self,
        commit: CommitIndex,
        path: PathIndex,
        file: LiveFile,
        origins: Option<&[(CommitIndex, OriginFile)]>,
    ) {
        let start = self.origins.len() as u32;
        for &(parent, found) in origins.unwrap_or_default() {
            let segment = self.segments.add();
            let origin = PendingOrigin {
                segment,
                commit: self.commit_number(parent),
                path: found.path,
            };
            self.origins.push(origin);
            let file = LiveFile {
                segment,
                entry: found.entry,
                is_unchanged: false,
            };
            self.add_file(parent, found.path, file);
        }
        let end = self.origins.len() as u32;
        self.bytes += RECORD_BYTES + ORIGIN_BYTES * (end - start) as usize;
        self.segments.end(file.segment, self.records.len() as u32);
        let record = VersionRecord {
            commit: self.commit_number(commit),
            path: path.into(),
            entry: file.entry,
            origins: origins.map(|_| start..end),
        };
        self.records.push(record);
    }

    fn note_last_commit(&mut self, commit: CommitIndex, path: PathIndex, file: LiveFile) {
        if file.is_unchanged
            && let Some(&at) = self.file_at.get(&path)
        {
            let id = self.walk.caches.commits.id(commit);
            self.files[at].last_commit = Some(id);
            self.sink.last_commit(at, id);
        }
    }

    /// Gives a commit a live file.
    fn add_file(&mut self, commit: CommitIndex, path: PathIndex, file: LiveFile) {
        let live = self.live.entry(commit).or_default();
        live.add(path, file, &mut self.segments);
    }

    /// Gives a commit live files.
    fn add_live(&mut self, commit: CommitIndex, files: LiveFiles) {
        if !files.is_empty() {
            let live = self.live.entry(commit).or_default();
            live.add_all(files, &mut self.segments);
        }
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

/// `None` for what cannot be read, which may not matter to any line.
///
/// # Errors
///
/// A sign of damage.
fn readable<T>(read: Result<T, Error>) -> Result<Option<T>, Error> {
    match read {
        Err(error) if error.is_sign_of_damage() => Err(error),
        read => Ok(read.ok()),
    }
}

/// About the memory for a path, which is kept twice, and for its directories.
fn bytes_of_path(path: &[u8]) -> usize {
    path.len() * (2 + memchr::memchr_iter(b'/', path).count())
}
