//! The state of a running blame, and the operations that all passes share: commit headers, the
//! queue and the sink.

use std::{ops::ControlFlow, sync::Arc};

use smallvec::SmallVec;

use crate::{
    diff::Hunk,
    engine::{
        api::{
            blame::{Sink, Stats},
            error::Error,
            profile::{Phase, ThreadProfile, ThreadTimer},
            request::{Request, Uncommitted},
        },
        board::{
            caches::Caches,
            scoreboard::{PathIndex, Scoreboard, SuspectId},
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
            moves::{FinalImage, LineSet},
        },
        versions::version_cache::VersionReuse,
        walk::walk_cache::WalkCache,
    },
    objects::{self, ObjectId, PathHistory},
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
    /// The commit-graph's knowledge of the path looked up last.
    pub(crate) path_history: Option<(PathIndex, Option<Arc<PathHistory>>)>,
    /// The commit-graph's filters of the board's paths, in their order; paths that were added since
    /// the filters were last asked are not there yet.
    pub(crate) filters: Vec<Option<Arc<PathHistory>>>,
    /// The final image, for `-M` and `-C`.
    pub(crate) image: Option<Arc<FinalImage>>,
    /// The lines of the file being searched for moved or copied lines.
    pub(crate) presence: LineSet,
    /// Results of the prefetch thread.
    pub(crate) prefetch: Option<PrefetchClient<'a>>,
    pub(crate) timer: ThreadTimer,
    pub(crate) work: ThreadProfile,
    pub(crate) buffers: DiffBuffers,
    /// How many lookups no earlier walk had made, while prefetching waits for enough of them.
    pub(crate) unshared_lookups: Option<u64>,
    /// Cached blames of this file.
    pub(crate) cache: Option<WalkCache<'a>>,
    /// The number of lines of the final image.
    pub(crate) line_count: u32,
    /// The blob of the final image. Null if the blob of this id has another text, which replaces
    /// it.
    pub(crate) image_blob: ObjectId,
    /// The commit that is visited.
    pub(crate) visited: Option<CommitIndex>,
    /// The number of fetches for commits ahead so far; `None` if there are to be none.
    pub(crate) fetches_ahead: Option<u32>,
    /// The errors of parents that could not be read.
    pub(crate) unreadable_parents: Vec<Arc<objects::Error>>,
    /// The attributes of files were asked for, which change without a commit.
    pub(crate) attributes_count: bool,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        caches: &'a mut Caches,
        request: &'a Request,
        prefetch: Option<PrefetchClient<'a>>,
        timer: ThreadTimer,
        sink: &'a mut dyn Sink,
    ) -> Self {
        caches.versions.reset_counters();
        let copies = request.movement.copy_level > 0;
        caches.versions.set_reuse(match caches.shared {
            Some(_) => VersionReuse::NextWalk,
            None => VersionReuse::of_copies(copies),
        });
        let direction = match request.reverse {
            Some(_) => QueueOrder::OldestFirst,
            None => QueueOrder::NewestFirst,
        };
        let null = ObjectId::null(caches.store.hash_kind());
        let fetches_ahead = caches.reader.can_fetch().then_some(0);
        Walk {
            caches,
            request,
            sink,
            board: Scoreboard::default(),
            queue: Queue::new(direction),
            stats: Stats::default(),
            uncommitted: None,
            children: None,
            path_history: None,
            filters: Vec::new(),
            image: None,
            presence: LineSet::default(),
            prefetch,
            timer,
            work: ThreadProfile::default(),
            buffers: DiffBuffers::default(),
            unshared_lookups: None,
            cache: None,
            line_count: 0,
            image_blob: null,
            visited: None,
            fetches_ahead,
            unreadable_parents: Vec::new(),
            attributes_count: false,
        }
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

    /// The header of a parent. Like git, goes on without one that is missing or no proper commit,
    /// but not without a damaged one, and reports it each time.
    pub(crate) fn parent_header(
        &mut self,
        parent: CommitIndex,
    ) -> Result<Option<InternedHeader>, Error> {
        match self.header(parent) {
            Ok(header) => Ok(Some(header)),
            Err(error) if error.is_skipped_parent() => {
                self.unreadable_parents.push(Arc::new(error));
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

    pub(crate) fn has_pending(&self, suspect: SuspectId) -> bool {
        !self.board.get(suspect).pending.is_empty()
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
}

pub(crate) fn check_flow(flow: ControlFlow<()>) -> Result<(), Interrupt> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Interrupt::Stopped),
    }
}
