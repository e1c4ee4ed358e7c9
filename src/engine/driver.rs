//! [`Engine`]: runs blames, and keeps caches between them.

use std::{
    cell::{OnceCell, RefCell},
    ops::ControlFlow,
    sync::Arc,
};

use bstr::ByteSlice;
use regex::bytes::Regex;

use crate::{
    diff::{Algorithm, DiffOptions},
    engine::{
        api::{
            blame::{Blame, Discard, ProgressSink, Sink},
            blame_cache::BlameCache,
            deletions::DeletionSink,
            directory_history::DirectoryHistorySink,
            error::Error,
            file_history::FileHistorySink,
            last_commits::LastCommitSink,
            line_history::{HistoryEnd, LineHistorySink},
            profile::{CpuClock, Profile, ThreadProfile, ThreadTimer},
            request::{MoveDetection, Request, Start},
            tree::PlanSink,
        },
        board::caches::Caches,
        deletions::{deleted_lines::DeletedLines, kept_deletions::KeptDeletions},
        directory_history::DirectoryHistory,
        file_history::{
            file_walk::FileWalk,
            parent_files::{self, FileInParent},
            revisions::ReportedRevisions,
        },
        last_commits::directory_walk::DirectoryWalk,
        line_history::line_walk::LineWalk,
        prefetch::{
            exchange::{PrefetchClient, PrefetchExchange},
            prefetcher::{PrefetchTask, Prefetcher},
        },
        tree::{
            compared_ahead::CompareAhead, kept_tree::KeptTree, plan::TreePlan,
            planned_blame::PlannedBlame, planner::Planner,
        },
        walk::{state::Walk, walk_cache::WalkCache},
    },
    objects::{CommitHead, CommitTable, ObjectId, Store, StoreStats},
};

/// Blames files of one repository. Its caches of commits and file versions serve later blames.
#[derive(Debug)]
pub struct Engine {
    caches: Caches,
    threads: usize,
    /// True if the caches have only what was read with care.
    is_careful: bool,
    prefetch_before_walk: bool,
    cpu: Option<CpuClock>,
    /// The number of files of plans that were blamed.
    planned_files: u32,
}

/// The number of files of a plan after which their versions are dropped: other files hardly share
/// lines with them.
const RELEASE_INTERVAL: u32 = 8;

impl Engine {
    /// An engine with empty caches. With `threads` of 2 or more, a second thread prefetches.
    pub fn new(store: Arc<Store>, threads: usize) -> Self {
        Engine {
            caches: Caches::new(store),
            threads,
            is_careful: false,
            prefetch_before_walk: false,
            cpu: None,
            planned_files: 0,
        }
    }

    /// Lets the walks from now on share what they look up and compare: for several of one file.
    pub fn share_work(&mut self) {
        self.caches.shared.get_or_insert_default();
    }

    /// Changes the number of threads.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// Changes whether objects that a partial clone lacks are fetched. One that is not is an error.
    pub fn set_fetching(&mut self, fetches: bool) {
        self.caches.reader.set_fetching(fetches);
    }

    /// Prefetches everything before the walk begins, on the same thread, so that the walk uses all
    /// that prefetching can give it, whatever the timing of threads. A plan waits for its second
    /// thread. For tests.
    #[doc(hidden)]
    pub fn prefetch_before_walk(&mut self) {
        self.prefetch_before_walk = true;
    }

    /// Measures the time of each phase from now on, for [`Blame::profile`]. `cpu` returns the CPU
    /// time of the calling thread.
    pub fn measure_times(&mut self, cpu: CpuClock) {
        self.cpu = Some(cpu);
    }

    /// Runs one blame and pushes each decided entry into `sink`, in git's order.
    ///
    /// # Errors
    ///
    /// If the path does not exist in the final commit, or an object cannot be read. Entries pushed
    /// before that are valid.
    pub fn blame(&mut self, request: &Request, sink: &mut dyn Sink) -> Result<Blame, Error> {
        self.blame_with_cache(request, None, sink)
    }

    /// As [`blame`](Self::blame), with the cached blames that were made with the options of
    /// `request`.
    ///
    /// # Errors
    ///
    /// As those of [`blame`](Self::blame).
    pub fn blame_with_cache(
        &mut self,
        request: &Request,
        cache: Option<&mut dyn BlameCache>,
        sink: &mut dyn Sink,
    ) -> Result<Blame, Error> {
        let prefetch = self.prefetch_task(request);
        let (mut blame, reads) = self.walk(request, prefetch, cache, sink, |walk| walk.run())?;
        reads.add_to(&mut blame.profile);
        Ok(blame)
    }

    /// Follows the requested lines through history, as `git log -L` does, and pushes each commit
    /// that changed them into `sink`. With `-M`, lines that a commit added are followed to where
    /// they seem to have been moved from, with `-C` also in other files. Ignored revisions have no
    /// effect.
    ///
    /// # Errors
    ///
    /// As those of [`blame`](Self::blame).
    pub fn line_history(
        &mut self,
        request: &Request,
        sink: &mut dyn LineHistorySink,
    ) -> Result<HistoryEnd, Error> {
        let request = Request {
            diff: DiffOptions {
                algorithm: Algorithm::Myers,
                indent_heuristic: false,
                ..request.diff
            },
            reverse: None,
            ..request.clone()
        };
        let prefetch = self.prefetch_task(&request);
        let (mut end, reads) = self.walk(&request, prefetch, None, &mut Discard, |walk| {
            LineWalk::new(walk, sink).run()
        })?;
        reads.add_to(&mut end.profile);
        Ok(end)
    }

    /// Follows the requested file through history, and pushes each commit that made a version of it
    /// into `sink`, with the matches of `search` within lines. Ranges, `-M`, `-C` and
    /// ignored revisions have no effect.
    ///
    /// # Errors
    ///
    /// As those of [`blame`](Self::blame).
    pub fn file_history(
        &mut self,
        request: &Request,
        search: Option<Regex>,
        sink: &mut dyn FileHistorySink,
    ) -> Result<HistoryEnd, Error> {
        let request = Request {
            movement: MoveDetection::default(),
            reverse: None,
            ..request.clone()
        };
        let prefetch = self.prefetch_task(&request);
        let (mut end, reads) = self.walk(&request, prefetch, None, &mut Discard, |walk| {
            FileWalk::new(walk, ReportedRevisions::new(sink, search)).run()
        })?;
        reads.add_to(&mut end.profile);
        Ok(end)
    }

    /// The parents of the requested commit that have its file, in their order, with the file's paths
    /// there: renames are those of a blame. Nothing else of the request has an effect, but `follow`,
    /// conversions and grafts.
    ///
    /// # Errors
    ///
    /// As those of [`blame`](Self::blame).
    pub fn parent_files(&mut self, request: &Request) -> Result<Vec<FileInParent>, Error> {
        let request = Request {
            first_parent: false,
            reverse: None,
            ..request.clone()
        };
        let (files, _) = self.walk(&request, None, None, &mut Discard, parent_files::find)?;
        Ok(files)
    }

    /// Follows the requested file through history, and pushes the lines that commits deleted into
    /// `sink`; with ranges, those between two lines of a range. `-M`, `-C` and ignored revisions
    /// have no effect.
    ///
    /// # Errors
    ///
    /// As those of [`blame`](Self::blame).
    pub fn deletions(
        &mut self,
        request: &Request,
        sink: &mut dyn DeletionSink,
    ) -> Result<HistoryEnd, Error> {
        let request = Request {
            movement: MoveDetection::default(),
            reverse: None,
            ..request.clone()
        };
        let ranges = request.ranges.as_deref();
        let prefetch = self.prefetch_task(&request);
        if ranges.is_some() {
            // Lines mostly end long before the history does: to read all of it for the order of
            // a few commits would take most of the time.
            let mut kept = KeptDeletions::new(sink);
            let task = prefetch.clone();
            let (mut end, reads) = self.walk(&request, task, None, &mut Discard, |walk| {
                FileWalk::nearby(walk, DeletedLines::new(&mut kept, ranges)).run()
            })?;
            if !end.stopped || kept.is_stopped {
                end.stopped |= kept.pass_on(&self.caches.lines).is_break();
                reads.add_to(&mut end.profile);
                return Ok(end);
            }
        }
        let (mut end, reads) = self.walk(&request, prefetch, None, &mut Discard, |walk| {
            FileWalk::new(walk, DeletedLines::new(sink, ranges)).run()
        })?;
        reads.add_to(&mut end.profile);
        Ok(end)
    }

    /// Plans the blames of all files of a directory, the `path` of the request, in a commit. `None`
    /// if the sink stopped it.
    ///
    /// # Errors
    ///
    /// The directory cannot be listed. What cannot be planned is no error: such files are blamed
    /// alone.
    pub fn plan_tree(
        &mut self,
        request: &Request,
        sink: &mut dyn PlanSink,
    ) -> Result<Option<TreePlan>, Error> {
        self.plan_tree_from(request, None, sink)
    }

    /// As [`plan_tree`](Self::plan_tree), with what is kept of an earlier plan with the same
    /// options: it needs not be followed further where the history leads to a version in it.
    ///
    /// # Errors
    ///
    /// As those of [`plan_tree`](Self::plan_tree).
    pub fn plan_tree_from(
        &mut self,
        request: &Request,
        kept: Option<&KeptTree>,
        sink: &mut dyn PlanSink,
    ) -> Result<Option<TreePlan>, Error> {
        // What is kept of earlier runs may be wrong if the repository is.
        let kept = kept.filter(|_| !self.caches.store.is_careful());
        if let Some(kept) = kept.filter(|kept| kept.is_of(request)) {
            return Ok(Some(kept.plan(request, sink)));
        }
        let compare = match self.threads {
            0 | 1 => CompareAhead::No,
            _ if self.prefetch_before_walk => CompareAhead::Always,
            _ => CompareAhead::Yes,
        };
        let (plan, _) = self.walk(request, None, None, &mut Discard, |walk| {
            Planner::new(walk, compare, kept, sink).run()
        })?;
        Ok(plan)
    }

    /// Blames a file of a plan, by its number there, which is no submodule. Engines share a plan
    /// between threads.
    ///
    /// # Errors
    ///
    /// As those of [`blame`](Self::blame), for this file alone.
    pub fn blame_planned(&mut self, plan: &TreePlan, file: usize) -> Result<PlannedBlame, Error> {
        self.blame_planned_with_cache(plan, file, None)
    }

    /// As [`blame_planned`](Self::blame_planned), with the cached blames that were made with the
    /// options of the plan.
    ///
    /// # Errors
    ///
    /// As those of [`blame_planned`](Self::blame_planned).
    pub fn blame_planned_with_cache(
        &mut self,
        plan: &TreePlan,
        file: usize,
        mut cache: Option<&mut (dyn BlameCache + 'static)>,
    ) -> Result<PlannedBlame, Error> {
        if let Some(cache) = &mut cache {
            cache.begin_file();
        }
        let begun = self.caches.store.begin();
        let uncommitted = plan.uncommitted(file)?;
        if !begun.is_careful {
            self.caches
                .set_ignore_whitespace(plan.request().diff.ignore_whitespace);
            let cache = cache
                .as_mut()
                .map(|cache| &mut **cache as &mut dyn BlameCache);
            let blamed = plan.blame_file(file, uncommitted.as_ref(), &mut self.caches, cache);
            self.planned_files += 1;
            if self.planned_files.is_multiple_of(RELEASE_INTERVAL) {
                self.caches.release_versions();
            }
            self.caches.store.end(begun)?;
            if let Some(blame) = blamed? {
                return Ok(blame);
            }
        }
        let mut request = plan.request_alone(file);
        let uncommitted = match uncommitted {
            None => plan.converted(file)?,
            uncommitted => uncommitted,
        };
        if let Some(uncommitted) = uncommitted {
            request.start = Start::Uncommitted(uncommitted);
        }
        if let Some(cache) = &mut cache {
            cache.begin_file();
        }
        let cache = cache.map(|cache| cache as &mut dyn BlameCache);
        let blame = self.blame_with_cache(&request, cache, &mut Discard)?;
        Ok(PlannedBlame::alone(blame))
    }

    /// Finds the last commit that changed each entry of the requested directory, and pushes it into
    /// `sink`: the commit that `git last-modified` shows, and the first that `git log` shows for
    /// the path. The path of the request is that of the directory, without a slash at its end;
    /// empty, it is the root. Uncommitted contents are left out: the walk begins at their first
    /// parent. Ranges, `-M`, `-C`, ignored revisions and `follow` have no effect. Filters of the
    /// commit-graph are believed.
    ///
    /// # Errors
    ///
    /// If the path is no directory of that commit, or an object cannot be read. Entries pushed
    /// before that are valid.
    pub fn last_commits(
        &mut self,
        request: &Request,
        sink: &mut dyn LastCommitSink,
    ) -> Result<HistoryEnd, Error> {
        let sink = RefCell::new(sink);
        self.walk_directory(
            request,
            |frontier| sink.borrow_mut().progress(frontier),
            |walk| DirectoryWalk::run(walk, &sink),
        )
    }

    /// Finds the commits that changed the requested directory, those that `git log` shows for its
    /// path, and pushes them into `sink`. The request is as for
    /// [`last_commits`](Self::last_commits).
    ///
    /// # Errors
    ///
    /// As those of [`last_commits`](Self::last_commits).
    pub fn directory_history(
        &mut self,
        request: &Request,
        sink: &mut dyn DirectoryHistorySink,
    ) -> Result<HistoryEnd, Error> {
        let sink = RefCell::new(sink);
        self.walk_directory(
            request,
            |frontier| sink.borrow_mut().progress(frontier),
            |walk| DirectoryHistory::run(walk, &sink),
        )
    }

    /// Runs a walk through the history of a directory, in which lines are not followed.
    ///
    /// # Errors
    ///
    /// As those of [`walk`](Self::walk).
    fn walk_directory(
        &mut self,
        request: &Request,
        progress: impl FnMut(i64) -> ControlFlow<()>,
        run: impl FnOnce(Walk<'_>) -> Result<HistoryEnd, Error>,
    ) -> Result<HistoryEnd, Error> {
        let request = Request {
            movement: MoveDetection::default(),
            reverse: None,
            ..request.clone()
        };
        let (mut end, reads) = self.walk(&request, None, None, &mut ProgressSink(progress), run)?;
        reads.add_to(&mut end.profile);
        Ok(end)
    }

    /// Runs a walk, with the prefetch thread if there is a task for it.
    ///
    /// # Errors
    ///
    /// The error of the walk, or the first sign of damage while it ran: then it has to run again.
    fn walk<T>(
        &mut self,
        request: &Request,
        prefetch_task: Option<PrefetchTask>,
        mut cache: Option<&mut dyn BlameCache>,
        sink: &mut dyn Sink,
        run: impl FnOnce(Walk<'_>) -> Result<T, Error>,
    ) -> Result<(T, WalkReads), Error> {
        let begun = self.caches.store.begin();
        if begun.is_careful {
            // What was read before may be wrong, and so may be what is kept of earlier runs.
            cache = None;
            if !std::mem::replace(&mut self.is_careful, true) {
                let fetches = self.caches.reader.fetches;
                self.caches = Caches::new(Arc::clone(&self.caches.store));
                self.caches.reader.set_fetching(fetches);
            }
        }
        // A walk that is likely to meet a cached blame is short: it starts the prefetch thread
        // itself.
        let prefetches_late = cache
            .as_mut()
            .is_some_and(|cache| !cache.commits(request.path.as_bstr()).is_empty());
        let shared = self.caches.shared.as_ref();
        let is_after_others = shared.is_some_and(|shared| !shared.is_empty());
        self.caches.set_grafts(&request.grafts);
        for (id, header) in request.heads.iter() {
            self.caches.commits.insert_new_header(*id, header);
        }
        self.caches
            .set_ignore_whitespace(request.diff.ignore_whitespace);
        let store = Arc::clone(&self.caches.store);
        self.caches.reader.report();
        let before = store.stats();
        let cpu = self.cpu;
        let (result, prefetch) = match prefetch_task {
            None => {
                let timer = ThreadTimer::start(cpu);
                let mut walk = Walk::new(&mut self.caches, request, None, timer, sink);
                walk.cache = cache.map(|cache| WalkCache::new(cache, false));
                (run(walk), None)
            }
            Some(prefetch_task) if self.prefetch_before_walk => {
                let exchange = &PrefetchExchange::default();
                let (path, reverse) = (Arc::clone(&prefetch_task.path), prefetch_task.reverse);
                let prefetcher = Prefetcher::new(exchange, Arc::clone(&store), prefetch_task);
                let work = prefetcher.run_before_walk(ThreadTimer::start(cpu));
                let prefetch = PrefetchClient::new(exchange, &|| (), path, reverse);
                let timer = ThreadTimer::start(cpu);
                let mut walk = Walk::new(&mut self.caches, request, Some(prefetch), timer, sink);
                walk.cache = cache.map(|cache| WalkCache::new(cache, false));
                (run(walk), Some(work))
            }
            Some(prefetch_task) => {
                let exchange = &PrefetchExchange::default();
                let (path, reverse) = (Arc::clone(&prefetch_task.path), prefetch_task.reverse);
                std::thread::scope(|scope| {
                    let prefetcher = OnceCell::new();
                    let start = || {
                        prefetcher.get_or_init(|| {
                            let prefetcher = Prefetcher::new(
                                exchange,
                                Arc::clone(&store),
                                prefetch_task.clone(),
                            );
                            scope.spawn(move || prefetcher.run(ThreadTimer::start(cpu)))
                        });
                    };
                    // A range may be short: `Walk::limit` starts the thread once it has seen enough
                    // commits.
                    if request.negatives.is_empty() && !prefetches_late && !is_after_others {
                        start();
                    }
                    let prefetch = PrefetchClient::new(exchange, &start, path, reverse);
                    let timer = ThreadTimer::start(cpu);
                    let mut walk =
                        Walk::new(&mut self.caches, request, Some(prefetch), timer, sink);
                    walk.cache = cache.map(|cache| WalkCache::new(cache, prefetches_late));
                    walk.unshared_lookups = is_after_others.then_some(0);
                    let result = run(walk);
                    let prefetcher = prefetcher.into_inner();
                    (
                        result,
                        prefetcher.and_then(|prefetcher| prefetcher.join().ok()),
                    )
                })
            }
        };
        let prefetch_reads = store.stats().since(&before);
        self.caches.reader.report();
        self.caches.reader.release_buffers();
        let reads = WalkReads {
            prefetch,
            reads: store.stats().since(&before),
            prefetch_reads,
        };
        store.end(begun)?;
        Ok((result?, reads))
    }

    /// Frees the file versions that earlier walks have left for later ones. They are worth keeping
    /// for a walk that is to follow at once.
    pub fn release_versions(&mut self) {
        self.caches.release_versions();
    }

    /// The number of commits that blames so far have read from their objects.
    pub fn count_commits_read(&self) -> usize {
        self.caches.commits.count_read()
    }

    /// A commit that walks so far have read from its object. `None` for others, and with grafts.
    pub fn read_head(&self, id: &ObjectId) -> Option<CommitHead> {
        self.caches.commits.read_head(id)
    }

    /// The commits of the remembered history, and those that blames so far have read from their
    /// objects.
    pub fn commit_table(&self) -> &impl CommitTable {
        &self.caches.commits
    }

    /// The commits that were read from their objects, without those of a commit-graph or the
    /// remembered history. None with grafts: they are not as stored.
    pub fn commits_read(&self) -> Vec<(ObjectId, CommitHead)> {
        self.caches.commits.read_heads()
    }

    /// The prefetch thread's task; `None` for a blame on one thread. Prefetching follows parents as
    /// stored, so it is off with grafts.
    fn prefetch_task(&self, request: &Request) -> Option<PrefetchTask> {
        if self.threads < 2 || !request.grafts.is_empty() {
            return None;
        }
        let heads = match (&request.reverse, &request.start) {
            (Some(heads), _) => heads.as_slice(),
            (None, start) => start.heads(),
        };
        Some(PrefetchTask {
            start: *heads.first()?,
            path: Arc::new(request.path.clone()),
            first_parent: request.first_parent,
            diff: request.diff,
            diffs_versions: request.text_conversion.is_none(),
            reverse: request.reverse.is_some(),
            copies: request.movement.copy_level > 0,
        })
    }
}

/// The reads of both threads of a walk.
struct WalkReads {
    prefetch: Option<ThreadProfile>,
    reads: StoreStats,
    prefetch_reads: StoreStats,
}

impl WalkReads {
    fn add_to(self, profile: &mut Profile) {
        *profile = Profile {
            prefetch: self.prefetch,
            reads: self.reads,
            prefetch_reads: self.prefetch_reads,
            ..*profile
        };
    }
}
