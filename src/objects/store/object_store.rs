//! Shared read state of a repository's objects: packs, indexes, alternates, caches.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use gix_hash::{Kind, ObjectId, oid};

use crate::objects::{
    error::Error,
    graph::{
        bloom::BloomKey, changed_paths::ChangedPaths, commit_graph::CommitGraph,
        path_history::PathHistory,
    },
    pack::{delta_base_cache::DeltaBaseCache, page_cache::PagePool},
    store::{
        alternates::{add_alternate, add_alternates},
        pack_list::PackSnapshot,
    },
    types::{CommitEdges, CommitTable, GraphPosition, StoreStats, TreeEntry},
};

/// Number of histories of paths kept. Each takes up to one bit per commit of the graph, and what
/// changes the path.
const MAX_PATH_HISTORIES: usize = 32;

/// Fetches objects that are missing because a promisor remote has them.
pub trait Promisor: std::fmt::Debug + Send + Sync {
    /// Fetches `ids` into the repository, in one request; returns false if that fails.
    fn fetch(&self, ids: &[ObjectId], trees: FetchedTrees) -> bool;
}

/// The objects that are fetched with a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchedTrees {
    /// All trees below it, as git asks for.
    Whole,
    /// Nothing, if the remote can do that.
    Alone,
}

/// Options of [`Store::open`].
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Replacement ids by original id (`refs/replace/`).
    pub replacements: HashMap<ObjectId, ObjectId>,
    /// Size limit of the delta-base cache in bytes.
    pub delta_base_cache_bytes: usize,
    /// True if a commit-graph is used. It is never used with replacements.
    pub use_commit_graph: bool,
    /// True if the changed-path Bloom filters of the commit-graph are used.
    pub read_changed_paths: bool,
    /// The version required of these filters; -1 accepts any, 0 none.
    pub changed_paths_version: i32,
    /// Further objects directories besides those in `info/alternates`.
    pub alternates: Vec<PathBuf>,
    /// Where those of `alternates` start that are relative.
    pub alternates_root: PathBuf,
    /// The name of the objects directory in errors, unless it is its path.
    pub shown_directory: Option<PathBuf>,
    /// Fetches missing objects, if there is a promisor remote.
    pub promisor: Option<Arc<dyn Promisor>>,
}

impl Default for StoreOptions {
    fn default() -> Self {
        StoreOptions {
            replacements: HashMap::new(),
            delta_base_cache_bytes: 96 << 20,
            use_commit_graph: true,
            read_changed_paths: true,
            changed_paths_version: -1,
            alternates: Vec::new(),
            alternates_root: PathBuf::new(),
            shown_directory: None,
            promisor: None,
        }
    }
}

/// The objects of a repository and its alternates.
pub struct Store {
    pub(crate) hash: Kind,
    pub(crate) options: StoreOptions,
    /// The objects directory, then its alternates.
    dirs: Vec<PathBuf>,
    packs: RwLock<Arc<PackSnapshot>>,
    /// Serializes rescans.
    rescan: Mutex<()>,
    /// Serializes fetches from the promisor remote.
    fetching: Mutex<()>,
    graph: Option<CommitGraph>,
    /// See [`Store::remember`].
    remembered: OnceLock<CommitGraph>,
    /// See [`Store::is_graph_lost`].
    graph_lost: AtomicBool,
    /// Recently used histories of paths, the newest first.
    path_histories: Mutex<VecDeque<Arc<PathHistory>>>,
    /// Page buffers of dropped readers.
    pub(crate) page_pool: Arc<PagePool>,
    pub(crate) cache: DeltaBaseCache,
    pub(crate) counters: ReadCounters,
    /// See [`Store::be_careful`].
    is_careful: AtomicBool,
    /// The first sign of damage.
    sign: OnceLock<String>,
    /// How often an object could not be had since then, and the last one.
    lost: Mutex<(u64, Option<ObjectId>)>,
    warnings: Mutex<Vec<String>>,
}

/// The state of a store when something began, for [`Store::end`].
#[derive(Debug, Clone, Copy)]
pub struct Begun {
    /// How often an object could not be had before.
    lost: u64,
    /// Every object is compared with its id.
    pub(crate) is_careful: bool,
}

/// Counters that readers add to when they are dropped.
#[derive(Default)]
pub(crate) struct ReadCounters {
    pub(crate) heads_from_graph: AtomicU64,
    pub(crate) heads_inflated: AtomicU64,
    pub(crate) lookups: AtomicU64,
    pub(crate) lookups_remembered: AtomicU64,
    pub(crate) lookups_projected: AtomicU64,
}

impl Store {
    /// Opens the objects directory `objects_dir` of a repository with the hash `hash`.
    ///
    /// # Errors
    ///
    /// The directory cannot be read. Damaged packs and indexes are skipped with a warning as long
    /// as no object is needed from them.
    pub fn open(
        objects_dir: &Path,
        hash: Kind,
        options: StoreOptions,
    ) -> Result<Arc<Store>, Error> {
        std::fs::metadata(objects_dir).map_err(|error| Error::io(objects_dir, error))?;
        let mut warnings = Vec::new();
        let mut dirs = vec![objects_dir.to_owned()];
        for directory in &options.alternates {
            let path = options.alternates_root.join(directory);
            add_alternate(&path, directory, 0, &mut dirs, &mut warnings);
        }
        add_alternates(objects_dir, 0, &mut dirs, &mut warnings);
        let before = PackSnapshot::default();
        let packs = PackSnapshot::list(&dirs, hash, &before, &mut warnings);
        let version = options.changed_paths_version;
        let filters = (options.read_changed_paths && version != 0).then_some(version);
        let graph = if options.use_commit_graph && options.replacements.is_empty() {
            CommitGraph::open(&dirs, hash, filters, &mut warnings)
        } else {
            None
        };
        Ok(Arc::new(Store {
            hash,
            graph,
            remembered: OnceLock::new(),
            graph_lost: AtomicBool::new(false),
            path_histories: Mutex::default(),
            page_pool: Arc::default(),
            cache: DeltaBaseCache::new(options.delta_base_cache_bytes),
            options,
            dirs,
            packs: RwLock::new(Arc::new(packs)),
            rescan: Mutex::new(()),
            fetching: Mutex::new(()),
            counters: ReadCounters::default(),
            is_careful: AtomicBool::new(false),
            sign: OnceLock::new(),
            lost: Mutex::default(),
            warnings: Mutex::new(warnings),
        }))
    }

    /// Reads with care from now on, because of a `sign` that a file is damaged: the commit-graph
    /// and remembered histories are not used, the ids of indexes are searched whatever their order,
    /// and every object is read whole and compared with its id.
    ///
    /// Objects that were read before may be others. What was found with them has to be found again.
    #[cold]
    pub fn be_careful(&self, sign: String) {
        let _ = self.sign.set(sign);
        self.is_careful.store(true, Ordering::Release);
    }

    /// True if every object is compared with its id.
    #[inline]
    pub fn is_careful(&self) -> bool {
        self.is_careful.load(Ordering::Acquire)
    }

    /// The first sign of damage.
    pub fn sign_of_damage(&self) -> Option<&str> {
        self.sign.get().map(String::as_str)
    }

    /// The first sign of damage, as a warning.
    pub fn damage_warning(&self) -> Option<String> {
        let sign = self.sign_of_damage()?;
        Some(format!(
            "warning: the repository is damaged: {sign}; reading every object whole"
        ))
    }

    /// Notes that an object cannot be had.
    #[cold]
    pub(crate) fn lose(&self, id: &oid) {
        let mut lost = self.lost();
        *lost = (lost.0 + 1, Some(id.to_owned()));
    }

    fn lost(&self) -> MutexGuard<'_, (u64, Option<ObjectId>)> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state at a beginning, for [`Store::end`].
    pub fn begin(&self) -> Begun {
        Begun {
            lost: self.lost().0,
            is_careful: self.is_careful(),
        }
    }

    /// Ends what has begun.
    ///
    /// # Errors
    ///
    /// A sign of damage appeared meanwhile, or an object of a damaged repository cannot be had: git
    /// goes on without some, which depends on the damage.
    pub fn end(&self, begun: Begun) -> Result<(), Error> {
        if self.is_careful() && !begun.is_careful {
            let sign = self.sign.get().cloned().unwrap_or_default();
            return Err(Error::Damage { sign });
        }
        match *self.lost() {
            (count, Some(id)) if begun.is_careful && count > begun.lost => Err(Error::Lost { id }),
            _ => Ok(()),
        }
    }

    /// A file of the repository that is not as git has written it, and why. Reads all
    /// commit-graphs, multi-pack-indexes and indexes of packs once.
    pub fn damage(&self) -> Option<String> {
        let graph = self.graph.as_ref();
        let graph = graph.and_then(|graph| graph.damaged_file());
        let index = self.packs().damaged_file();
        let path = graph.map(Path::to_owned).or(index)?;
        Some(format!(
            "{} does not have its checksum, or not its order",
            path.display()
        ))
    }

    /// The hash function of the repository.
    pub fn hash_kind(&self) -> Kind {
        self.hash
    }

    /// Warnings about damaged or unusable files so far, without duplicates.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The replacement of each replaced object.
    pub fn replacements(&self) -> &HashMap<ObjectId, ObjectId> {
        &self.options.replacements
    }

    /// Counters of the reads so far, without those of live readers.
    pub fn stats(&self) -> StoreStats {
        let cache = self.cache.stats();
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        StoreStats {
            bases_requested: cache.requested,
            bases_unique: cache.unique,
            bases_regenerated: cache.regenerated,
            cached_bytes: cache.bytes,
            heads_from_graph: count(&self.counters.heads_from_graph),
            heads_inflated: count(&self.counters.heads_inflated),
            lookups: count(&self.counters.lookups),
            lookups_remembered: count(&self.counters.lookups_remembered),
            lookups_projected: count(&self.counters.lookups_projected),
        }
    }

    /// The repository's commit-graph, or else a remembered history.
    #[inline]
    pub(crate) fn graph(&self) -> Option<&CommitGraph> {
        if self.is_careful() {
            None
        } else {
            self.graph.as_ref().or_else(|| self.remembered.get())
        }
    }

    /// True if a remembered history can take the place of the repository's commit-graph: there is
    /// none, and commits are as they are stored.
    pub fn can_remember(&self) -> bool {
        self.graph.is_none()
            && !self.is_careful()
            && self.options.use_commit_graph
            && self.options.replacements.is_empty()
    }

    /// Uses the history in the file at `path`, which a [`GraphFile`](crate::objects::GraphFile) is
    /// written to, like a commit-graph. Has no effect if the file is damaged, or the repository has
    /// a commit-graph. Must be called before readers and engines are made, as they know commits by
    /// their positions.
    pub fn remember(&self, path: &Path) {
        if !self.can_remember() {
            return;
        }
        let changed_paths =
            self.options.read_changed_paths && self.options.changed_paths_version != 0;
        if let Some(graph) = CommitGraph::open_written(path, self.hash, changed_paths) {
            // A second call has no effect either.
            let _ = self.remembered.set(graph);
        }
    }

    /// The remembered history. The numbers of its commits are their positions.
    pub fn remembered(&self) -> Option<&impl CommitTable> {
        self.remembered.get().filter(|_| !self.is_careful())
    }

    /// The paths that the commits of the remembered history change, by the numbers of the commits.
    pub fn remembered_paths(&self) -> Option<ChangedPaths> {
        self.remembered.get()?.changed_paths()
    }

    /// The number of commits of the remembered history whose changed paths are known.
    pub fn count_remembered_paths(&self) -> usize {
        let graph = self.remembered.get();
        graph.map_or(0, CommitGraph::count_changed_paths)
    }

    /// Lowers the memory for bases of deltas, in bytes, for a use that needs memory itself.
    pub fn lower_delta_base_cache(&self, bytes: usize) {
        self.cache.lower_limit(bytes);
    }

    /// True if there is a usable commit-graph.
    pub fn has_commit_graph(&self) -> bool {
        self.graph().is_some()
    }

    /// Number of commits in the commit-graph: the end of its positions.
    pub fn graph_len(&self) -> u32 {
        self.graph().map_or(0, CommitGraph::count)
    }

    /// Position of the commit `id` in the commit-graph.
    pub fn graph_position(&self, id: &oid) -> Option<GraphPosition> {
        self.graph()?.find(id)
    }

    /// Date and parents of the commit at `at`; `None` if it has more than two or is damaged.
    #[inline]
    pub(crate) fn graph_edges(&self, at: GraphPosition) -> Option<CommitEdges> {
        self.graph()?.edges(at)
    }

    /// The level of the commit at `at`, which is higher than those of its ancestors; `None` if it is
    /// not known.
    #[inline]
    pub(crate) fn graph_level(&self, at: GraphPosition) -> Option<u32> {
        let level = self.graph()?.level(at);
        (level > 0).then_some(level)
    }

    /// The id of the commit at `at`. If the file has become unreadable, this is the null id and
    /// [`Store::is_graph_lost`] becomes true.
    pub fn graph_id(&self, at: GraphPosition) -> ObjectId {
        self.or_lost(self.graph().and_then(|graph| graph.id(at)))
    }

    /// The root tree of the commit at `at`; fails like [`Store::graph_id`].
    pub fn graph_tree(&self, at: GraphPosition) -> ObjectId {
        self.or_lost(self.graph().and_then(|graph| graph.tree(at)))
    }

    /// No object has the null id, so a graph with it is damaged.
    fn or_lost(&self, id: Option<ObjectId>) -> ObjectId {
        id.filter(|id| !id.is_null()).unwrap_or_else(|| {
            self.graph_lost.store(true, Ordering::Relaxed);
            ObjectId::null(self.hash)
        })
    }

    /// True if reading the commit-graph failed after it had been opened.
    pub fn is_graph_lost(&self) -> bool {
        self.graph_lost.load(Ordering::Relaxed) && !self.is_careful()
    }

    /// True if the commit-graph tells which commits change a path.
    pub fn has_path_histories(&self) -> bool {
        self.graph().is_some_and(CommitGraph::has_path_histories)
    }

    /// The commit-graph's knowledge of `path` (separated by slashes, from the root); `None` if it
    /// tells nothing, as of the root.
    pub fn path_history(&self, path: &[u8]) -> Option<Arc<PathHistory>> {
        let graph = self.graph().filter(|_| !path.is_empty())?;
        let histories = self.path_histories.lock();
        let mut histories = histories.unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = histories.iter().find(|known| known.path() == path) {
            return Some(Arc::clone(known));
        }
        let history = Arc::new(graph.path_history(path)?);
        histories.truncate(MAX_PATH_HISTORIES - 1);
        histories.push_front(Arc::clone(&history));
        Some(history)
    }

    /// What the filters of the commit-graph are asked for `path`; `None` without filters.
    pub(crate) fn filter_key(&self, path: &[u8]) -> Option<BloomKey> {
        self.graph()?.filter_key(path)
    }

    /// Those of `numbers` for whose paths it is not ruled out that the commit at `at` changed them
    /// relative to its first parent; `None` without a filter. `key` gives the
    /// [`filter_key`](Self::filter_key) of a number.
    pub(crate) fn not_ruled_out(
        &self,
        at: GraphPosition,
        numbers: &[u32],
        key: impl Fn(u32) -> BloomKey,
    ) -> Option<Vec<u32>> {
        self.graph()?.not_ruled_out(at, numbers, key)
    }

    /// As [`Store::path_history`]; for a blame that searches for copies, where git asks no filters,
    /// only of the remembered history.
    pub(crate) fn path_history_for(&self, path: &[u8], copies: bool) -> Option<Arc<PathHistory>> {
        let is_asked = !copies || self.remembered().is_some();
        is_asked.then(|| self.path_history(path))?
    }

    /// True if it is ruled out that the commit at `at` changed the path relative to its first
    /// parent. False means unknown.
    #[inline]
    pub fn is_unchanged(&self, at: GraphPosition, history: &PathHistory) -> bool {
        let graph = self.graph();
        graph.is_some_and(|graph| graph.is_unchanged(at, history))
    }

    /// The entry of the commit at `at` at the path, by a remembered history. The outer `None` means
    /// that this is not known.
    pub(crate) fn entry_at(
        &self,
        at: GraphPosition,
        history: &PathHistory,
    ) -> Option<Option<TreeEntry>> {
        self.graph()?.entry_at(at, history)
    }

    /// Replaces the path in an error by the one for messages.
    pub(crate) fn with_shown_path(&self, mut error: Error) -> Error {
        if let Error::Loose { path, .. } = &mut error
            && let Some(shown) = &self.options.shown_directory
            && let Ok(below) = path.strip_prefix(&self.dirs[0])
        {
            *path = shown.join(below);
        }
        error
    }

    /// The objects directory, then its alternates.
    pub fn dirs(&self) -> &[PathBuf] {
        &self.dirs
    }

    pub(crate) fn packs(&self) -> Arc<PackSnapshot> {
        Arc::clone(&self.packs.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Prepares for a walk that reads most commits: without a commit-graph, each is looked up in the
    /// indexes.
    pub(crate) fn expect_long_walk(&self) {
        if !self.has_commit_graph() {
            self.packs().expect_many_lookups();
        }
    }

    /// Lists the packs again. Returns the current snapshot if other packs or multi-pack-indexes
    /// were found than when `known` was taken.
    pub(crate) fn rescan(&self, known: &Arc<PackSnapshot>) -> Option<Arc<PackSnapshot>> {
        let _one_at_a_time = self.rescan.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.packs();
        if !Arc::ptr_eq(&current, known) {
            return Some(current);
        }
        let mut warnings = Vec::new();
        let packs = PackSnapshot::list(&self.dirs, self.hash, &current, &mut warnings);
        if packs.lists_as(&current) {
            return None;
        }
        warnings.into_iter().for_each(|text| self.warn(text));
        let packs = Arc::new(packs);
        *self.packs.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&packs);
        Some(packs)
    }

    /// Lock that serializes fetches: what one thread fetches, the next one finds.
    pub(crate) fn fetching(&self) -> MutexGuard<'_, ()> {
        self.fetching.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn warn(&self, text: String) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if !warnings.contains(&text) {
            warnings.push(text);
        }
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("dirs", &self.dirs)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_directory_is_an_error() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let missing = dir.path().join("nowhere");
        assert!(Store::open(&missing, Kind::Sha1, StoreOptions::default()).is_err());
        assert!(Store::open(dir.path(), Kind::Sha1, StoreOptions::default()).is_ok());
    }
}
