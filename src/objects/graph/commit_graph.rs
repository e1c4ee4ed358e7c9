//! The commit-graph file: trees, parents and dates of commits without inflating them, and
//! changed-path Bloom filters.
//!
//! The graph is a single file, or a chain of layers from the oldest to the newest, with positions
//! counted through the chain. Files are not trusted: an inconsistent record makes its commit "not
//! in the graph".

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use gix_hash::{Kind, ObjectId, oid};

use crate::objects::{
    file_checksum,
    graph::{
        bloom::BloomKey,
        chain::{open_layers, reconcile_settings},
        changed_paths::ChangedPaths,
        edges::NO_PARENT,
        layer::{BloomSettings, GraphLayer},
        path_filter::{self, PathFilter},
        path_history::{PathChanges, PathHistory},
        path_table::PathTable,
    },
    types::{CommitEdges, CommitHead, CommitTable, GraphPosition, TreeEntry},
};

/// Bytes whose checksum is computed at a time.
const CHECKED_AT_ONCE: u64 = 1 << 16;
/// How many first parents are followed to the commit that left a path as it is. A tree lookup takes
/// as long as about a thousand of them.
const MAX_STEPS: usize = 1024;

/// All layers of a commit-graph.
pub(crate) struct CommitGraph {
    hash: Kind,
    layers: Vec<GraphLayer>,
    settings: Option<BloomSettings>,
    /// True if it is a history that tblame has remembered, not git's commit-graph.
    is_remembered: bool,
    /// The changed paths of a remembered history.
    paths: Option<PathTable>,
    /// The first layer that does not have its checksum.
    damaged: OnceLock<Option<usize>>,
}

impl CommitGraph {
    /// Opens the graph of the first of `dirs` (objects directories) that has one. `changed_paths`
    /// is the version required of the filters (-1: any); `None` ignores filters.
    pub(crate) fn open(
        dirs: &[PathBuf],
        hash: Kind,
        changed_paths: Option<i32>,
        warnings: &mut Vec<String>,
    ) -> Option<CommitGraph> {
        let mut layers = dirs
            .iter()
            .map(|dir| open_layers(dir, dirs, hash, warnings))
            .find(|layers| !layers.is_empty())?;
        let settings = match changed_paths {
            None => None,
            Some(version) => reconcile_settings(&mut layers, version, warnings),
        };
        Some(CommitGraph {
            hash,
            layers,
            settings,
            is_remembered: false,
            paths: None,
            damaged: OnceLock::new(),
        })
    }

    /// Opens the file that [`writer`](crate::objects::graph::writer) made, if it is undamaged.
    /// `changed_paths` says whether to use the changed paths in it.
    pub(crate) fn open_written(
        path: &Path,
        hash: Kind,
        changed_paths: bool,
    ) -> Option<CommitGraph> {
        let layer = GraphLayer::open(path, hash, &[], (0, 0)).ok()?;
        let trailer_at = layer.file.len().checked_sub(layer.id_len)?;
        let end = layer
            .paths
            .map_or(trailer_at, |paths| paths.records_start());
        let mut crc = 0;
        let mut at = 0;
        while at < end {
            let len = (end - at).min(CHECKED_AT_ONCE) as usize;
            let crc_so_far = crc;
            crc = layer
                .file
                .with_bytes(at, len, |bytes| zlib_rs::crc32::crc32(crc_so_far, bytes))?;
            at += len as u64;
        }
        if layer.file.u32(trailer_at)? != crc {
            return None;
        }
        Some(CommitGraph {
            hash,
            settings: None,
            is_remembered: true,
            paths: layer.paths.filter(|_| changed_paths),
            layers: vec![layer],
            damaged: OnceLock::new(),
        })
    }

    /// The changed paths of a remembered history, whose commits have their positions as numbers.
    /// `None` if they are damaged or not known.
    pub(crate) fn changed_paths(&self) -> Option<ChangedPaths> {
        let table = self.paths?;
        let file = &self.layers.first()?.file;
        let paths = table.read_all(file, self.hash)?;
        Some(ChangedPaths::new(paths, table.known(file)?))
    }

    /// The number of commits whose changed paths are known.
    pub(crate) fn count_changed_paths(&self) -> usize {
        let known = self.paths.zip(self.layers.first());
        let known = known.and_then(|(table, layer)| table.known(&layer.file));
        known.map_or(0, |known| known.count())
    }

    /// Position of the commit `id`.
    pub(crate) fn find(&self, id: &oid) -> Option<GraphPosition> {
        self.layers.iter().rev().find_map(|layer| {
            let at = layer.find(id)?;
            Some(GraphPosition(layer.first + at))
        })
    }

    /// The head of the commit at `at`; fills `parents` with the positions of its parents.
    pub(crate) fn head(&self, at: GraphPosition, parents: &mut Vec<u32>) -> Option<CommitHead> {
        let time = self.all_edges(at, parents).ok()??;
        let ids = parents.iter().map(|&parent| self.id(GraphPosition(parent)));
        Some(CommitHead {
            tree: self.tree(at)?,
            parents: ids.collect::<Option<_>>()?,
            time,
            graph: Some(at),
        })
    }

    /// Date and parent positions of the commit at `at`; `None` if it has more than two parents.
    #[inline]
    pub(crate) fn edges(&self, at: GraphPosition) -> Option<CommitEdges> {
        let layer = self.layer(at.0)?;
        let (parents, time) = layer
            .edges
            .parents_and_date(&layer.file, at.0 - layer.first)?;
        let count = match parents {
            [NO_PARENT, _] => 0,
            [_, NO_PARENT] => 1,
            _ => 2,
        };
        // An EDGE reference has the high bit set, so it is not below the end.
        let end = layer.end();
        let is_valid = parents[..count].iter().all(|&parent| parent < end);
        is_valid.then_some(CommitEdges {
            parents,
            count: count as u32,
            time,
        })
    }

    /// Like [`CommitGraph::edges`], for any number of parents. `None` also for a commit that a
    /// remembered history knows by its id alone.
    ///
    /// # Errors
    ///
    /// The position of a parent that is neither in the same file nor in one before it.
    pub(crate) fn all_edges(
        &self,
        at: GraphPosition,
        parents: &mut Vec<u32>,
    ) -> Result<Option<i64>, u32> {
        parents.clear();
        let Some(layer) = self.layer(at.0) else {
            return Ok(None);
        };
        // As in git, a parent that cannot be counts although the others cannot be read.
        let time = layer.all_edges(at.0 - layer.first, parents);
        let end = layer.end();
        match parents.iter().find(|&&parent| parent >= end) {
            None => Ok(time),
            Some(_) if self.is_remembered => Ok(None),
            Some(&parent) => Err(parent),
        }
    }

    /// The root tree of the commit at `at`.
    pub(crate) fn tree(&self, at: GraphPosition) -> Option<ObjectId> {
        let layer = self.layer(at.0)?;
        layer.id_at(layer.edges.record(at.0 - layer.first))
    }

    /// The level of the commit at `at`, by which it cannot be an ancestor of those of a lower or the
    /// same one: it is higher than those of its parents. 0 if it is not known.
    #[inline]
    pub(crate) fn level(&self, at: GraphPosition) -> u32 {
        let layer = self.layer(at.0);
        layer.map_or(0, |it| it.edges.level(&it.file, at.0 - it.first))
    }

    /// A file of it that does not have its checksum. Reads all of them once.
    pub(crate) fn damaged_file(&self) -> Option<&Path> {
        let mut layers = self.layers.iter();
        let find = || layers.position(|it| !file_checksum::is_valid_at(&it.path, self.hash));
        let damaged = *self.damaged.get_or_init(find);
        damaged.map(|layer| &*self.layers[layer].path)
    }

    /// Number of commits.
    pub(crate) fn count(&self) -> u32 {
        self.layers.last().map_or(0, GraphLayer::end)
    }

    /// True if it tells which commits change a path.
    pub(crate) fn has_path_histories(&self) -> bool {
        self.settings.is_some() || self.paths.is_some()
    }

    /// The knowledge of `path`; `None` if there is none.
    pub(crate) fn path_history(&self, path: &[u8]) -> Option<PathHistory> {
        if let Some(table) = &self.paths {
            let file = &self.layers.first()?.file;
            return PathChanges::read(table, file, self.hash, path).map(PathHistory::Changes);
        }
        let BloomSettings {
            version, hashes, ..
        } = self.settings?;
        let blocks = self.layers.last().map_or(0, |last| {
            last.first_block + last.count.div_ceil(path_filter::COMMITS_PER_BLOCK)
        });
        let filter = PathFilter::new(path, version, hashes, blocks);
        Some(PathHistory::Filter(filter))
    }

    /// What filters are asked for `path`; `None` if there are none.
    pub(crate) fn filter_key(&self, path: &[u8]) -> Option<BloomKey> {
        let version = self.settings?.version;
        Some(BloomKey::new(path, version))
    }

    /// Those of `numbers` for whose keys the filter of the commit at `at` does not rule out a
    /// change; `None` without a filter.
    pub(crate) fn not_ruled_out(
        &self,
        at: GraphPosition,
        numbers: &[u32],
        key: impl Fn(u32) -> BloomKey,
    ) -> Option<Vec<u32>> {
        let hashes = self.settings?.hashes;
        let layer = self.layer(at.0)?;
        layer.with_filter(at.0 - layer.first, |filter| {
            let numbers = numbers.iter().copied();
            numbers
                .filter(|number| key(*number).is_in(filter, hashes))
                .collect()
        })
    }

    /// True if it is ruled out that the commit at `at` changed the path.
    #[inline]
    pub(crate) fn is_unchanged(&self, at: GraphPosition, history: &PathHistory) -> bool {
        match history {
            PathHistory::Changes(changes) => changes.is_unchanged(at.0),
            PathHistory::Filter(filter) => self.is_ruled_out(at, filter),
        }
    }

    fn is_ruled_out(&self, at: GraphPosition, filter: &PathFilter) -> bool {
        let Some(layer) = self.layer(at.0).filter(|layer| layer.filters.is_some()) else {
            return false;
        };
        let nth = at.0 - layer.first;
        let block = nth / path_filter::COMMITS_PER_BLOCK;
        let evaluate = || layer.evaluate_block(block, filter);
        filter
            .is_unchanged(
                layer.first_block + block,
                nth % path_filter::COMMITS_PER_BLOCK,
                evaluate,
            )
            .unwrap_or_else(|| layer.is_unchanged(nth, filter).unwrap_or(false))
    }

    /// The entry of the commit at `at` at the path. The outer `None` means that this is not known,
    /// or takes long to find out.
    pub(crate) fn entry_at(
        &self,
        at: GraphPosition,
        history: &PathHistory,
    ) -> Option<Option<TreeEntry>> {
        let PathHistory::Changes(changes) = history else {
            return None;
        };
        let mut at = at;
        for _ in 0..MAX_STEPS {
            if !changes.is_unchanged(at.0) {
                return changes.change_of(at.0).map(|[_, new]| new);
            }
            let edges = self.edges(at)?;
            if edges.count == 0 {
                return Some(None);
            }
            at = GraphPosition(edges.parents[0]);
        }
        None
    }

    fn layer(&self, at: u32) -> Option<&GraphLayer> {
        let layer = self.layers.iter().rev().find(|layer| layer.first <= at)?;
        (at - layer.first < layer.count).then_some(layer)
    }

    /// The id of the commit at `at`.
    pub(crate) fn id(&self, at: GraphPosition) -> Option<ObjectId> {
        let layer = self.layer(at.0)?;
        layer.id_at(layer.ids.start + u64::from(at.0 - layer.first) * layer.id_len)
    }
}

/// A commit whose record is damaged is known by its id alone. One whose id cannot be read any more
/// has the null id.
impl CommitTable for CommitGraph {
    fn count(&self) -> usize {
        CommitGraph::count(self) as usize
    }

    fn id(&self, at: usize) -> ObjectId {
        let id = CommitGraph::id(self, GraphPosition(at as u32));
        id.unwrap_or(ObjectId::null(self.hash))
    }

    fn parent_count(&self, at: usize) -> usize {
        let mut parents = Vec::new();
        self.record(at, &mut parents);
        parents.len()
    }

    fn record(&self, at: usize, parents: &mut Vec<u32>) -> Option<(ObjectId, i64)> {
        let at = GraphPosition(at as u32);
        let edges = self.all_edges(at, parents).ok().flatten();
        let record = self.tree(at).zip(edges);
        if record.is_none() {
            parents.clear();
        }
        record
    }
}
