//! The walk through history. Commits, the origins of a commit and its parents are visited in git's
//! order. A line's attribution depends on its (commit, path) alone; the order decides the output of
//! `--incremental` and which commits are visited twice.

use std::{collections::HashSet, ops::ControlFlow, sync::Arc};

use bstr::BString;
use smallvec::SmallVec;

use crate::{
    diff::{DiffError, Hunk},
    engine::{
        api::{
            blame::{Blame, Entry, Sink, Stats},
            error::Error,
            profile::{Phase, PhaseTimer, Profile, ThreadProfile},
            request::{Request, Start, Uncommitted},
        },
        board::{
            caches::Caches,
            scoreboard::{self, PathIndex, Scoreboard, SuspectId},
            split::PendingEntry,
        },
        history::{
            children::Children,
            commits::{CommitIndex, InternedHeader},
            queue::{Queue, QueueOrder},
        },
        prefetch::exchange::PrefetchClient,
        similarity::{
            candidates::CommitTree,
            moves::{FinalImage, LineScores, LineSet},
        },
        versions::version::Version,
        walk::parents::PassOutcome,
    },
    objects::{self, ObjectId, ObjectKind, PathFilter, TreeEntry},
};

/// Why the walk stopped early.
pub(crate) enum Interrupt {
    /// The sink returned `Break`.
    Stopped,
    Failed(Error),
}

impl<E: Into<Error>> From<E> for Interrupt {
    fn from(error: E) -> Self {
        Interrupt::Failed(error.into())
    }
}

/// Buffers reused from one diff to the next.
#[derive(Debug, Default)]
pub(crate) struct DiffBuffers {
    pub(crate) hunks: Vec<Hunk>,
    pub(crate) moved: Vec<PendingEntry>,
    pub(crate) kept: Vec<PendingEntry>,
}

/// For each parent, the origin to compare with, if any.
pub(crate) type ParentOrigins = SmallVec<[Option<SuspectId>; 2]>;

/// The state of one running blame.
pub(crate) struct Walk<'a> {
    pub(crate) caches: &'a mut Caches,
    pub(crate) request: &'a Request,
    pub(crate) sink: &'a mut dyn Sink,
    pub(crate) board: Scoreboard,
    pub(crate) queue: Queue,
    pub(crate) stats: Stats,
    /// The pseudo-commit of uncommitted contents.
    pub(crate) uncommitted: Option<(CommitIndex, &'a Uncommitted)>,
    /// With `--reverse`, the children of each commit, which take the role of the parents.
    pub(crate) children: Option<Children>,
    /// The changed-path filter of the path asked for last.
    pub(crate) filter: Option<(PathIndex, Option<Arc<PathFilter>>)>,
    pub(crate) image: Option<Arc<FinalImage>>,
    pub(crate) presence: LineSet,
    /// Results of the prefetch thread.
    pub(crate) prefetch: Option<PrefetchClient<'a>>,
    pub(crate) timer: PhaseTimer,
    pub(crate) work: ThreadProfile,
    pub(crate) buffers: DiffBuffers,
    /// Missing parents and their errors.
    missing_commits: Vec<(CommitIndex, Arc<objects::Error>)>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        caches: &'a mut Caches,
        request: &'a Request,
        prefetch: Option<PrefetchClient<'a>>,
        timer: PhaseTimer,
        sink: &'a mut dyn Sink,
    ) -> Self {
        caches.versions.reset_counters();
        let copies = request.movement.copy_level > 0;
        caches.versions.expect_many_files(copies);
        let direction = match request.reverse {
            Some(_) => QueueOrder::OldestFirst,
            None => QueueOrder::NewestFirst,
        };
        Walk {
            caches,
            request,
            sink,
            board: Scoreboard::default(),
            queue: Queue::new(direction),
            stats: Stats::default(),
            uncommitted: None,
            children: None,
            filter: None,
            image: None,
            presence: LineSet::default(),
            prefetch,
            timer,
            work: ThreadProfile::default(),
            buffers: DiffBuffers::default(),
            missing_commits: Vec::new(),
        }
    }

    /// Runs the blame.
    pub(crate) fn run(mut self) -> Result<Blame, Error> {
        let (suspect, contents) = self.final_image()?;
        let stopped = match self.follow(suspect, &contents) {
            Ok(()) => false,
            Err(Interrupt::Stopped) => true,
            Err(Interrupt::Failed(error)) => return Err(error),
        };
        let mut profile = Profile::default();
        if let Some(prefetch) = self.prefetch.take() {
            prefetch.finish(&mut profile);
        }
        let commits = &self.caches.commits;
        let boundaries = self.board.boundaries().map(|commit| commits.id(commit));
        let boundaries: HashSet<ObjectId> = boundaries.collect();
        self.board.publish_previous(&|commit| commits.id(commit));
        let mut entries = self.board.guilty;
        scoreboard::coalesce(&mut entries);
        self.caches.versions.add_counters(&mut self.work);
        self.work.times = self.timer.stop();
        profile.walk = self.work;
        Ok(Blame {
            contents,
            entries,
            origins: self.board.origins,
            boundaries,
            stats: self.stats,
            profile,
            missing_commits: self
                .missing_commits
                .into_iter()
                .map(|(_, error)| error)
                .collect(),
            stopped,
        })
    }

    /// The suspect of all lines, and the final image.
    fn final_image(&mut self) -> Result<(SuspectId, Arc<[u8]>), Error> {
        let request = self.request;
        let path = self.board.path_index(&request.path);
        match &request.start {
            Start::Uncommitted(uncommitted) => {
                let commit = self
                    .caches
                    .commits
                    .intern(ObjectId::null(uncommitted.entry.id.kind()));
                let tree = ObjectId::null(uncommitted.entry.id.kind());
                self.caches.commits.set_header(
                    commit,
                    tree,
                    uncommitted.time,
                    &uncommitted.parents,
                );
                self.uncommitted = Some((commit, uncommitted));
                let suspect = self.board.make(commit, path, uncommitted.entry, None);
                Ok((suspect, Arc::clone(&uncommitted.contents)))
            }
            Start::Commit(id) => {
                let commit = self.caches.commits.intern(*id);
                let header = self.header(commit)?;
                let tree = self.caches.commits.tree(&header);
                let reader = &mut self.caches.reader;
                let chain = reader.find_path(tree, &request.path, None);
                let chain = chain.map_err(Error::in_trees)?;
                let missing = || Error::NoSuchPath {
                    path: request.path.clone(),
                    commit: *id,
                };
                let chain = chain
                    .filter(|chain| holds_text(chain.entry))
                    .ok_or_else(missing)?;
                let entry = chain.entry;
                let suspect = self.board.make(commit, path, entry, Some(Arc::new(chain)));
                let object = self.caches.reader.object(&entry.id);
                let object = object.map_err(|error| Error::from(error).for_path(&request.path))?;
                if object.kind != ObjectKind::Blob {
                    return Err(missing());
                }
                let contents = match self.converted(&request.path, entry, &object.data)? {
                    Some(converted) => converted,
                    None => object.data,
                };
                Ok((suspect, contents))
            }
        }
    }

    fn follow(&mut self, suspect: SuspectId, contents: &Arc<[u8]>) -> Result<(), Interrupt> {
        let count = count_lines(contents)?;
        self.stats.blobs_read += 1;
        // For a committed file git reads the blob twice: for the image, and for the first diff.
        self.board.get_mut(suspect).loaded = self.uncommitted.is_some();
        self.notify(|sink| sink.started(contents, count))?;
        match &self.request.reverse {
            Some(heads) => self.find_children(suspect, heads)?,
            None => self.mark_negatives(&[self.board.get(suspect).commit], Vec::new())?,
        }
        if self.request.movement.moves.is_some() {
            let version = Version::of(contents, &mut self.caches.lines)?;
            let scores = LineScores::of(&version.tokens, &self.caches.lines);
            self.image = Some(Arc::new(FinalImage {
                contents: Arc::clone(contents),
                version,
                scores,
            }));
        }
        let whole = 0..count;
        let whole = std::slice::from_ref(&whole);
        let ranges = self.request.ranges.as_deref().unwrap_or(whole);
        let mut entries: Vec<PendingEntry> = ranges
            .iter()
            .map(|range| (range.start, range.end.min(count)))
            .filter(|(start, end)| start < end)
            .map(|(start, end)| PendingEntry {
                start,
                len: end - start,
                source: start,
                ignored: false,
                unblamable: false,
            })
            .collect();
        if entries.is_empty() {
            return Ok(());
        }
        self.queue_entries(suspect, &mut entries)?;
        while let Some(commit) = self.queue.pop() {
            if self.board.next_suspect(commit).is_some() {
                self.visit(commit)?;
            }
        }
        Ok(())
    }

    /// Marks the negative revisions and their ancestors as uninteresting.
    fn mark_negatives(
        &mut self,
        positives: &[CommitIndex],
        mut negatives: Vec<CommitIndex>,
    ) -> Result<(), Interrupt> {
        for id in &self.request.negatives {
            negatives.push(self.caches.commits.intern(*id));
        }
        self.limit(positives, &negatives)
    }

    /// Visits a commit and, without going through the queue, those after it that leave the file
    /// alone.
    fn visit(&mut self, commit: CommitIndex) -> Result<(), Interrupt> {
        let mut next = Some(commit);
        while let Some(commit) = next {
            next = self.visit_one(commit)?;
        }
        Ok(())
    }

    /// Passes a commit's lines to its parents; the commit is guilty of the rest. Returns the commit
    /// to visit next, if that is certain.
    fn visit_one(&mut self, commit: CommitIndex) -> Result<Option<CommitIndex>, Interrupt> {
        let header = self.header(commit)?;
        self.stats.visited += 1;
        while let Some(suspect) = self.board.next_suspect(commit) {
            self.notify(|sink| sink.progress(header.time))?;
            let mut low_scoring = Vec::new();
            if self.children.is_none() && self.is_beyond_boundary(commit, &header) {
                self.mark_with_parents(commit);
            } else {
                match self.pass_blame(suspect, &header)? {
                    PassOutcome::Lines(rest) => low_scoring = rest,
                    PassOutcome::Reused(parent) => return Ok(Some(parent)),
                }
            }
            if self.caches.commits.parents(&header).is_empty() && !self.request.show_root {
                self.board.mark_uninteresting(commit);
            }
            self.record_guilty(suspect, low_scoring)?;
            self.board.get_mut(suspect).chain = None;
            self.board.release(suspect);
        }
        Ok(None)
    }

    fn is_beyond_boundary(&self, commit: CommitIndex, header: &InternedHeader) -> bool {
        let too_old = self.request.since.is_some_and(|since| header.time < since);
        too_old || self.board.is_uninteresting(commit)
    }

    /// Reads the range of a `--reverse` blame and records the children of each of its commits.
    fn find_children(&mut self, suspect: SuspectId, heads: &[ObjectId]) -> Result<(), Interrupt> {
        let start = self.board.get(suspect).commit;
        let heads: Vec<_> = heads
            .iter()
            .map(|head| self.caches.commits.intern(*head))
            .collect();
        self.mark_negatives(&heads, vec![start])?;
        let board = &self.board;
        let excluded = |commit| board.is_uninteresting(commit);
        let (commits, reader) = (&mut self.caches.commits, &mut self.caches.reader);
        let (first_parent, listing) = (self.request.first_parent, &self.request.listing);
        let before = self.timer.enter(Phase::Walk);
        let children = Children::find(
            start,
            &heads,
            excluded,
            listing,
            first_parent,
            commits,
            reader,
        );
        self.timer.enter(before);
        self.children = Some(children?);
        for id in &self.request.boundaries {
            let commit = self.caches.commits.intern(*id);
            self.board.mark_uninteresting(commit);
        }
        Ok(())
    }

    /// Marks a commit and those of its ancestors that were read as boundaries.
    fn mark_with_parents(&mut self, commit: CommitIndex) {
        self.board.mark_uninteresting(commit);
        let mut todo = vec![commit];
        while let Some(commit) = todo.pop() {
            if let Some(header) = self.caches.commits.cached_header(commit)
                && self.board.is_read(commit)
            {
                let parents = self.caches.commits.parents(&header);
                for &parent in self.request.uninteresting_parents(parents) {
                    if self.board.mark_uninteresting(parent) {
                        todo.push(parent);
                    }
                }
            }
        }
    }

    /// The suspect is guilty of all its remaining lines, first of `pending`, which scored too low
    /// to search.
    fn record_guilty(
        &mut self,
        suspect: SuspectId,
        mut pending: Vec<PendingEntry>,
    ) -> Result<(), Interrupt> {
        pending.append(&mut self.board.get_mut(suspect).pending);
        if pending.is_empty() {
            return Ok(());
        }
        let commits = &self.caches.commits;
        let origin = self
            .board
            .publish_origin(suspect, &|commit| commits.id(commit));
        if self.caches.store.is_graph_lost() {
            return Err(Error::Damaged("commit-graph became unreadable during the blame").into());
        }
        let boundary = self.board.is_uninteresting(self.board.get(suspect).commit);
        for entry in pending {
            let entry = Entry {
                lines: entry.start..entry.start + entry.len,
                source_start: entry.source,
                origin,
                ignored: entry.ignored,
                unblamable: entry.unblamable,
            };
            self.board.push_guilty(suspect, entry.clone());
            let before = self.timer.enter(Phase::Output);
            let flow = self.sink.entry(&entry, &self.board.origins, boundary);
            self.timer.enter(before);
            check_flow(flow)?;
        }
        Ok(())
    }

    /// The header of a commit, read on first use.
    pub(crate) fn header(&mut self, commit: CommitIndex) -> Result<InternedHeader, objects::Error> {
        self.mark_read(commit);
        let commits = &mut self.caches.commits;
        if let Some(header) = commits.cached_header(commit) {
            return Ok(header);
        }
        if let Some(prefetch) = &mut self.prefetch
            && !commits.is_in_graph(commit)
            && let Some(header) = prefetch.header(&commits.id(commit))
        {
            return Ok(commits.insert_header(commit, header));
        }
        let before = self.timer.enter(Phase::Walk);
        let header = commits.header(commit, &mut self.caches.reader);
        self.timer.enter(before);
        header
    }

    pub(crate) fn mark_read(&mut self, commit: CommitIndex) {
        if self.board.mark_read(commit) && self.caches.commits.is_in_graph(commit) {
            self.caches.reader.count_head_from_graph();
        }
    }

    /// Calls the sink, other than with an entry.
    pub(crate) fn notify(
        &mut self,
        call: impl FnOnce(&mut dyn Sink) -> ControlFlow<()>,
    ) -> Result<(), Interrupt> {
        let before = self.timer.enter(Phase::Output);
        let flow = call(self.sink);
        self.timer.enter(before);
        check_flow(flow)
    }

    /// The header of a parent. Like git, goes on without a missing one, but not without a damaged
    /// one.
    pub(crate) fn parent_header(
        &mut self,
        parent: CommitIndex,
    ) -> Result<Option<InternedHeader>, Error> {
        let header = self.header(parent);
        self.allow_missing(parent, header)
    }

    /// Turns the error of a missing commit into `None`, and records it.
    pub(crate) fn allow_missing(
        &mut self,
        commit: CommitIndex,
        header: Result<InternedHeader, objects::Error>,
    ) -> Result<Option<InternedHeader>, Error> {
        match header {
            Ok(header) => Ok(Some(header)),
            Err(error) if error.is_absence() => {
                if !self
                    .missing_commits
                    .iter()
                    .any(|(missing_commits, _)| *missing_commits == commit)
                {
                    self.missing_commits.push((commit, Arc::new(error)));
                }
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The tree of `commit`, which for uncommitted contents is the index.
    pub(crate) fn tree(&self, commit: CommitIndex, header: &InternedHeader) -> CommitTree<'a> {
        match self.uncommitted {
            Some((uncommitted, start)) if uncommitted == commit => {
                CommitTree::Index(start, &self.request.path)
            }
            _ => CommitTree::Stored(self.caches.commits.tree(header)),
        }
    }

    /// Gives entries, sorted by original line, to an origin, and queues its commit.
    pub(crate) fn queue_entries(
        &mut self,
        to: SuspectId,
        entries: &mut Vec<PendingEntry>,
    ) -> Result<(), Interrupt> {
        if self.board.add_pending(to, entries) {
            let commit = self.board.get(to).commit;
            let header = self.header(commit)?;
            self.queue.push(commit, header.time);
        }
        Ok(())
    }

    /// The diff from the parent's file to the suspect's.
    pub(crate) fn compare(
        &mut self,
        suspect: SuspectId,
        parent: SuspectId,
        hunks: &mut Vec<Hunk>,
    ) -> Result<(), Interrupt> {
        let pair = (
            self.board.get(parent).entry.id,
            self.board.get(suspect).entry.id,
        );
        if let Some(prefetch) = &mut self.prefetch
            && let Some(changes) = prefetch.diff(&pair)
        {
            *hunks = changes;
            self.count_read(parent);
            self.count_read(suspect);
            return Ok(());
        }
        let old = self.text(parent)?;
        let new = self.text(suspect)?;
        let caches = &mut *self.caches;
        let options = &self.request.diff;
        let before = self.timer.enter(Phase::Diff);
        self.work.diffs += 1;
        let diffed = caches.differ.hunks_by_ends(
            &caches.lines,
            old.tokens_and_ends(),
            &new.tokens,
            options,
            hunks,
        );
        self.timer.enter(before);
        diffed.map_err(|source| self.diff_error(suspect, parent, source))
    }

    pub(crate) fn diff_error(
        &self,
        suspect: SuspectId,
        parent: SuspectId,
        source: DiffError,
    ) -> Interrupt {
        let id = |suspect| self.caches.commits.id(self.board.get(suspect).commit);
        Interrupt::Failed(Error::Diff {
            old: id(parent),
            new: id(suspect),
            source,
        })
    }

    /// The lines of an origin's file.
    pub(crate) fn text(&mut self, suspect: SuspectId) -> Result<Arc<Version>, Error> {
        self.count_read(suspect);
        let suspected = self.board.get(suspect);
        let (commit, path, entry) = (suspected.commit, suspected.path, suspected.entry);
        if let Some((uncommitted, start)) = self.uncommitted
            && uncommitted == commit
        {
            return Ok(Arc::new(Version::of(
                &start.contents,
                &mut self.caches.lines,
            )?));
        }
        let path = Arc::clone(self.board.path(path));
        self.stored_text(&path, entry)
    }

    /// Counts a blob as read, unless git would still have it in memory.
    pub(crate) fn count_read(&mut self, suspect: SuspectId) {
        if !std::mem::replace(&mut self.board.get_mut(suspect).loaded, true) {
            self.stats.blobs_read += 1;
        }
    }

    /// The lines of a stored file, converted if its path asks for that.
    pub(crate) fn stored_text(
        &mut self,
        path: &BString,
        entry: TreeEntry,
    ) -> Result<Arc<Version>, Error> {
        let before = self.timer.enter(Phase::Rebuild);
        let text = match self.request.text_conversion {
            Some(_) => self.converted_text(path, entry),
            None => Ok(None),
        };
        let text = match text {
            Ok(Some(text)) => Ok(text),
            Ok(None) => {
                let caches = &mut *self.caches;
                caches
                    .versions
                    .blob(&entry.id, &mut caches.reader, &mut caches.lines)
            }
            Err(error) => Err(error),
        };
        self.timer.enter(before);
        text.map_err(|error| error.for_path(path))
    }

    fn converted_text(
        &mut self,
        path: &BString,
        entry: TreeEntry,
    ) -> Result<Option<Arc<Version>>, Error> {
        let data = self.caches.reader.object(&entry.id)?.data;
        match self.converted(path, entry, &data)? {
            Some(text) => Ok(Some(Arc::new(Version::of(&text, &mut self.caches.lines)?))),
            None => Ok(None),
        }
    }

    fn converted(
        &self,
        path: &BString,
        entry: TreeEntry,
        data: &[u8],
    ) -> Result<Option<Arc<[u8]>>, Error> {
        match &self.request.text_conversion {
            Some(conversion) => Ok(conversion.convert(path, entry.mode, &entry.id, data)?),
            None => Ok(None),
        }
    }
}

fn holds_text(entry: TreeEntry) -> bool {
    entry.is_regular() || entry.is_link()
}

/// The number of lines; the last one may lack its LF.
fn count_lines(contents: &[u8]) -> Result<u32, Error> {
    let newlines = memchr::memchr_iter(b'\n', contents).count();
    let unfinished = contents.last().is_some_and(|&last| last != b'\n');
    u32::try_from(newlines + usize::from(unfinished)).map_err(|_| Error::TooLarge)
}

pub(crate) fn check_flow(flow: ControlFlow<()>) -> Result<(), Interrupt> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Interrupt::Stopped),
    }
}
