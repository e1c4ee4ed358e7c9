//! The commit-graph file: trees, parents and dates of commits without inflating them, and
//! changed-path Bloom filters.
//!
//! The graph is a single file, or a chain of layers from the oldest to the newest, with positions
//! counted through the chain. Files are not trusted: an inconsistent record makes its commit "not
//! in the graph".

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use gix_hash::{Kind, ObjectId, oid};

use crate::objects::{
    error::Reason,
    file_checksum,
    graph::{
        block_file::BlockFile,
        bloom::{FILTER_BITS, FILTER_HASHES},
        changed_paths::{self, PathFilter, UnchangedBits},
        edges::{GraphEdges, HIGH_BIT, NO_PARENT},
    },
    index::{
        fanout::{FANOUT_LEN, Fanout},
        id_search::interpolate,
    },
    types::{CommitEdges, CommitHead, CommitTable, GraphPosition},
};
use crate::system::{self, FileStamp};

/// Sanity limit for the parents of a commit.
const MAX_PARENTS: usize = 1 << 16;
/// Filters of a block of commits that are longer than this together are read one by one.
const MAX_BLOCK_FILTERS_LEN: usize = 1 << 20;
/// Bytes whose checksum is computed at a time.
const CHECKED_AT_ONCE: u64 = 1 << 16;
/// The graph in a single file, in an objects directory.
const SINGLE_FILE: &str = "info/commit-graph";
/// The names of the layers of a chain.
const CHAIN_FILE: &str = "info/commit-graphs/commit-graph-chain";
/// How often a graph is opened again because it was replaced meanwhile.
const MAX_ATTEMPTS: usize = 5;
/// Sanity limit for the layers of a chain.
const MAX_CHAIN_LEN: usize = 256;

/// All layers of a commit-graph.
pub(crate) struct CommitGraph {
    hash: Kind,
    layers: Vec<GraphLayer>,
    settings: Option<BloomSettings>,
    /// Whether it is a history that tblame has remembered, not git's commit-graph.
    is_remembered: bool,
}

/// Parameters of the Bloom filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BloomSettings {
    version: u32,
    hashes: u32,
    bits: u32,
}

/// Byte range of a chunk in its file.
#[derive(Debug, Clone, Copy)]
struct ChunkRange {
    start: u64,
    len: u64,
}

/// A commit-graph file.
struct GraphLayer {
    file: BlockFile,
    id_len: u64,
    /// Graph position of the first commit.
    first: u32,
    count: u32,
    /// Number of filter blocks in the layers below.
    first_block: u32,
    fanout: Fanout,
    ids: ChunkRange,
    edges: GraphEdges,
    /// The EDGE chunk: the parents of octopus merges after the first.
    parents: Option<ChunkRange>,
    filters: Option<BloomChunks>,
    /// The file, if it is long: then its checksum was not compared.
    unchecked: Option<PathBuf>,
}

/// The Bloom filters of a layer.
#[derive(Clone, Copy)]
struct BloomChunks {
    /// The BIDX chunk: the end of each commit's filter in `data`.
    ends: ChunkRange,
    /// The BDAT chunk without its header.
    data: ChunkRange,
    settings: BloomSettings,
}

impl CommitGraph {
    /// Opens the graph of the first of `dirs` (objects directories) that has one. `changed_paths` is
    /// the version required of the filters (-1: any); `None` ignores filters.
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
        })
    }

    /// Opens the file that [`writer`](crate::objects::graph::writer) made, if it is undamaged. `changed_paths` is the
    /// version required of the filters (-1: any, 0: none are used).
    pub(crate) fn open_written(path: &Path, hash: Kind, changed_paths: i32) -> Option<CommitGraph> {
        let layer = GraphLayer::open(path, hash, &[], (0, 0)).ok()?;
        let trailer_at = layer.file.len().checked_sub(layer.id_len)?;
        let mut crc = 0;
        let mut at = 0;
        while at < trailer_at {
            let len = (trailer_at - at).min(CHECKED_AT_ONCE) as usize;
            let crc_so_far = crc;
            crc = layer
                .file
                .with_bytes(at, len, |bytes| zlib_rs::crc32::crc32(crc_so_far, bytes))?;
            at += len as u64;
        }
        if layer.file.u32(trailer_at)? != crc {
            return None;
        }
        let mut layers = vec![layer];
        let settings = match changed_paths {
            0 => None,
            version => reconcile_settings(&mut layers, version, &mut Vec::new()),
        };
        Some(CommitGraph {
            hash,
            layers,
            settings,
            is_remembered: true,
        })
    }

    /// The changed-path filter of the commit at `at`, if it has one.
    pub(crate) fn filter_of(&self, at: GraphPosition) -> Option<Box<[u8]>> {
        let layer = self.layer(at.0)?;
        layer.filter(at.0 - layer.first)
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
        let (parents, time) = layer.edges.at(&layer.file, at.0 - layer.first)?;
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

    /// Like [`CommitGraph::edges`], for any number of parents. `None` also for a commit that a remembered history knows by its id
    /// alone.
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
        let Some(time) = layer.all_edges(at.0 - layer.first, parents) else {
            return Ok(None);
        };
        let end = layer.end();
        match parents.iter().find(|&&parent| parent >= end) {
            None => Ok(Some(time)),
            Some(_) if self.is_remembered => Ok(None),
            Some(&parent) => Err(parent),
        }
    }

    /// The root tree of the commit at `at`.
    pub(crate) fn tree(&self, at: GraphPosition) -> Option<ObjectId> {
        let layer = self.layer(at.0)?;
        layer.id_at(layer.edges.record(at.0 - layer.first))
    }

    /// The files whose checksum was not compared, because they are long.
    pub(crate) fn long_files(&self) -> impl Iterator<Item = &Path> {
        let layers = self.layers.iter();
        layers.filter_map(|layer| layer.unchecked.as_deref())
    }

    /// Number of commits.
    pub(crate) fn count(&self) -> u32 {
        self.layers.last().map_or(0, GraphLayer::end)
    }

    /// Whether there are changed-path filters.
    pub(crate) fn has_filters(&self) -> bool {
        self.settings.is_some()
    }

    /// The filter query for `path`; `None` without filters.
    pub(crate) fn filter(&self, path: &[u8]) -> Option<PathFilter> {
        let BloomSettings {
            version, hashes, ..
        } = self.settings?;
        let blocks = self.layers.last().map_or(0, |last| {
            last.first_block + last.count.div_ceil(changed_paths::COMMITS_PER_BLOCK)
        });
        let directories = self.is_remembered;
        Some(PathFilter::new(path, version, hashes, directories, blocks))
    }

    /// Whether the filters rule out that the commit at `at` changed the path.
    pub(crate) fn is_unchanged(&self, at: GraphPosition, filter: &PathFilter) -> bool {
        let Some(layer) = self.layer(at.0).filter(|layer| layer.filters.is_some()) else {
            return false;
        };
        let nth = at.0 - layer.first;
        let block = nth / changed_paths::COMMITS_PER_BLOCK;
        let evaluate = || layer.evaluate_block(block, filter);
        filter
            .is_unchanged(
                layer.first_block + block,
                nth % changed_paths::COMMITS_PER_BLOCK,
                evaluate,
            )
            .unwrap_or_else(|| layer.is_unchanged(nth, filter).unwrap_or(false))
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

/// A commit whose record is damaged is known by its id alone. One whose id cannot be read any more has the null id.
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

    fn filter(&self, at: usize) -> Option<Box<[u8]>> {
        self.filter_of(GraphPosition(at as u32))
    }

    fn has_filters(&self) -> bool {
        CommitGraph::has_filters(self)
    }
}

impl GraphLayer {
    /// The end of the positions of its commits.
    fn end(&self) -> u32 {
        self.first + self.count
    }

    /// As [`open`](Self::open), with the checksum that git writes: it must be the `name` of the layer in its chain, and
    /// it is computed if the file is short.
    fn open_of_git(
        path: &Path,
        hash: Kind,
        (name, below): (Option<&ObjectId>, &[ObjectId]),
        numbers: (u32, u32),
    ) -> Result<GraphLayer, Reason> {
        let mut layer = GraphLayer::open(path, hash, below, numbers)?;
        let len = layer.file.len();
        if name.is_some_and(|name| layer.id_at(len.saturating_sub(layer.id_len)) != Some(*name)) {
            return Err("it is not the one that the chain names");
        }
        if len > file_checksum::MAX_CHECKED_LEN {
            layer.unchecked = Some(path.to_owned());
            return Ok(layer);
        }
        let whole = |bytes: &[u8]| file_checksum::is_valid(bytes, hash);
        match layer.file.with_bytes(0, len as usize, whole) == Some(true) {
            true => Ok(layer),
            false => Err("its checksum does not match"),
        }
    }

    /// Opens the file at `path`, whose lower layers have the names `below`.
    fn open(
        path: &Path,
        hash: Kind,
        below: &[ObjectId],
        (first, first_block): (u32, u32),
    ) -> Result<GraphLayer, Reason> {
        let file = BlockFile::open(path).map_err(|_| "it cannot be read")?;
        let header = file.array::<8>(0).ok_or("it is too short")?;
        let kind = match hash {
            Kind::Sha1 => 1,
            _ => 2,
        };
        if header[..4] != *b"CGPH" || header[4] != 1 {
            return Err("unsupported version");
        }
        if header[5] != kind {
            return Err("it uses another hash function");
        }
        if usize::from(header[7]) != below.len() {
            return Err("it belongs to another chain");
        }
        let id_len = hash.len_in_bytes() as u64;
        let chunks = read_chunk_table(&file, header[6], id_len)?;
        let chunk = |name: &[u8; 4]| chunks.iter().find(|(id, _)| id == name).map(|(_, at)| *at);
        let names = chunk(b"BASE").map_or(0, |names| names.start);
        let is_valid = (0u64..).zip(below).all(|(nth, name)| {
            read_id(&file, names + nth * id_len, id_len).is_some_and(|it| it == *name)
        });
        if !is_valid {
            return Err("it belongs to another chain");
        }
        let fanout = chunk(b"OIDF").ok_or("it has no fanout table")?;
        let fanout = read_fanout(&file, fanout).ok_or("its fanout table is damaged")?;
        let count = fanout.count();
        let ids = chunk(b"OIDL").filter(|ids| ids.len == u64::from(count) * id_len);
        let commits = chunk(b"CDAT").filter(|data| data.len == u64::from(count) * (id_len + 16));
        if first.checked_add(count).is_none_or(|end| end >= NO_PARENT) {
            return Err("it has too many commits");
        }
        let mut layer = GraphLayer {
            id_len,
            first,
            count,
            first_block,
            fanout,
            ids: ids.ok_or("its list of ids is damaged")?,
            edges: GraphEdges::new(
                commits.ok_or("its list of commits is damaged")?.start,
                id_len,
                count,
            ),
            parents: chunk(b"EDGE"),
            filters: None,
            unchecked: None,
            file,
        };
        if let (Some(ends), Some(data)) = (chunk(b"BIDX"), chunk(b"BDAT")) {
            layer.filters = layer.read_filters(ends, data);
        }
        Ok(layer)
    }

    fn read_filters(&self, ends: ChunkRange, data: ChunkRange) -> Option<BloomChunks> {
        if ends.len != u64::from(self.count) * 4 || data.len < 12 {
            return None;
        }
        let [version, hashes, bits] = [0, 4, 8].map(|at| self.file.u32(data.start + at));
        let settings = BloomSettings {
            version: version?,
            hashes: hashes?,
            bits: bits?,
        };
        // git writes no other numbers. Wrong ones would hide changes.
        let is_supported = matches!(settings.version, 1 | 2)
            && (settings.hashes, settings.bits) == (FILTER_HASHES, FILTER_BITS);
        is_supported.then_some(BloomChunks {
            ends,
            data: ChunkRange {
                start: data.start + 12,
                len: data.len - 12,
            },
            settings,
        })
    }

    fn find(&self, id: &oid) -> Option<u32> {
        let (low, high) = self.fanout.bucket(id);
        let key = u64::from_be_bytes(*id.as_bytes().first_chunk()?);
        interpolate(id, low, high, |at| {
            let at = self.ids.start + u64::from(at) * self.id_len;
            let start = u64::from_be_bytes(self.file.array(at)?);
            let order = match start.cmp(&key) {
                Ordering::Equal => self.id_at(at)?.as_ref().cmp(id),
                order => order,
            };
            Some((order, start))
        })
    }

    fn id_at(&self, at: u64) -> Option<ObjectId> {
        read_id(&self.file, at, self.id_len)
    }

    /// The date of the `nth` commit; adds the positions of its parents to `parents`.
    fn all_edges(&self, nth: u32, parents: &mut Vec<u32>) -> Option<i64> {
        let ([first, second], time) = self.edges.at(&self.file, nth)?;
        if first != NO_PARENT {
            parents.push(first);
            if second & HIGH_BIT != 0 {
                self.read_edge_list(second & !HIGH_BIT, parents)?;
            } else if second != NO_PARENT {
                parents.push(second);
            }
        }
        Some(time)
    }

    fn read_edge_list(&self, from: u32, parents: &mut Vec<u32>) -> Option<()> {
        let list = self.parents?;
        let mut at = u64::from(from) * 4;
        while at + 4 <= list.len && parents.len() < MAX_PARENTS {
            let parent = self.file.u32(list.start + at)?;
            parents.push(parent & !HIGH_BIT);
            if parent & HIGH_BIT != 0 {
                return Some(());
            }
            at += 4;
        }
        None
    }

    /// The filter of the `nth` commit, if it has one.
    fn filter(&self, nth: u32) -> Option<Box<[u8]>> {
        let filters = self.filters?;
        let end_at = |nth: u32| self.file.u32(filters.ends.start + u64::from(nth) * 4);
        let end = end_at(nth)?;
        let start = nth.checked_sub(1).map_or(Some(0), end_at)?;
        let len = end.checked_sub(start).filter(|&len| len > 0)? as usize;
        let at = filters.data.start + u64::from(start);
        let fits = u64::from(end) <= filters.data.len && len <= MAX_BLOCK_FILTERS_LEN;
        let mut bytes = vec![0; len].into_boxed_slice();
        (fits && self.file.read(at, &mut bytes).is_some()).then_some(bytes)
    }

    /// Whether the filter of the `nth` commit rules out a change of the path; `None` without a
    /// filter.
    fn is_unchanged(&self, nth: u32, filter: &PathFilter) -> Option<bool> {
        let filters = self.filters?;
        let end_at = |nth: u32| self.file.u32(filters.ends.start + u64::from(nth) * 4);
        let end = end_at(nth)?;
        let start = match nth {
            0 => 0,
            nth => end_at(nth - 1)?,
        };
        let len = end.checked_sub(start).filter(|&len| len > 0)? as usize;
        if u64::from(end) > filters.data.len || len > MAX_BLOCK_FILTERS_LEN {
            return None;
        }
        let at = filters.data.start + u64::from(start);
        let mut short = [0; 256];
        match short.get_mut(..len) {
            Some(bytes) => self
                .file
                .read(at, bytes)
                .map(|()| !filter.may_contain(bytes)),
            None => self
                .file
                .with_bytes(at, len, |bytes| !filter.may_contain(bytes)),
        }
    }

    /// Evaluates the filters of a block of commits; `None` if they are damaged or very long.
    #[cold]
    fn evaluate_block(&self, block: u32, filter: &PathFilter) -> Option<UnchangedBits> {
        let filters = self.filters?;
        let first = block * changed_paths::COMMITS_PER_BLOCK;
        let count = changed_paths::COMMITS_PER_BLOCK.min(self.count - first) as usize;
        // A filter starts at the end of the one before.
        let before = u32::from(first > 0);
        let ends_at = filters.ends.start + u64::from(first - before) * 4;
        let ends_len = (count + before as usize) * 4;
        let read_ends = |bytes: &[u8]| -> Vec<u32> {
            let numbers = bytes.as_chunks::<4>().0.iter();
            numbers.map(|end| u32::from_be_bytes(*end)).collect()
        };
        let mut ends = self.file.with_bytes(ends_at, ends_len, read_ends)?;
        if before == 0 {
            ends.insert(0, 0);
        }
        let (start, end) = (*ends.first()?, *ends.last()?);
        let len = end.checked_sub(start)? as usize;
        if u64::from(end) > filters.data.len || len > MAX_BLOCK_FILTERS_LEN {
            return None;
        }
        let at = filters.data.start + u64::from(start);
        self.file.with_bytes(at, len, |bytes| {
            let mut unchanged = UnchangedBits::default();
            let mut from = 0;
            for (nth, end) in ends[1..].iter().enumerate() {
                let to = end.wrapping_sub(start) as usize;
                if let Some(bytes) = bytes.get(from..to)
                    && !bytes.is_empty()
                    && !filter.may_contain(bytes)
                {
                    unchanged[nth / 64] |= 1 << (nth % 64);
                }
                from = to;
            }
            unchanged
        })
    }
}

/// The layers of the graph in `dir`, whose files may be in any of the directories `all`.
fn open_layers(
    dir: &Path,
    all: &[PathBuf],
    hash: Kind,
    warnings: &mut Vec<String>,
) -> Vec<GraphLayer> {
    let stamps = || [SINGLE_FILE, CHAIN_FILE].map(|name| FileStamp::of(&dir.join(name)));
    let mut attempts = 0;
    loop {
        attempts += 1;
        let before = stamps();
        let mut problems = Vec::new();
        let layers = open_layers_once(dir, all, hash, &mut problems);
        // Layers are removed when others replace them in the chain.
        if problems.is_empty() || attempts == MAX_ATTEMPTS || before == stamps() {
            warnings.extend(problems);
            return layers;
        }
    }
}

fn open_layers_once(
    dir: &Path,
    all: &[PathBuf],
    hash: Kind,
    warnings: &mut Vec<String>,
) -> Vec<GraphLayer> {
    let mut warn = |path: &Path, reason: Reason| {
        warnings.push(format!(
            "warning: ignoring the commit-graph {}: {reason}",
            path.display()
        ));
    };
    let single = dir.join(SINGLE_FILE);
    if single.exists() {
        match GraphLayer::open_of_git(&single, hash, (None, &[]), (0, 0)) {
            Ok(layer) => return vec![layer],
            Err(reason) => warn(&single, reason),
        }
    }
    let mut layers = Vec::new();
    let list = dir.join(CHAIN_FILE);
    let chain = system::read_file(&list).ok();
    let Some(chain) = chain.and_then(|chain| String::from_utf8(chain).ok()) else {
        return layers;
    };
    let (mut first, mut first_block) = (0, 0);
    let mut names = Vec::new();
    for line in chain.lines().take(MAX_CHAIN_LEN) {
        let Ok(id) = ObjectId::from_hex(line.as_bytes()) else {
            warn(&list, "it contains a line that is not an id");
            break;
        };
        let name = format!("info/commit-graphs/graph-{line}.graph");
        let candidates = std::iter::once(dir).chain(all.iter().map(PathBuf::as_path));
        let path = candidates
            .map(|dir| dir.join(&name))
            .find(|path| path.exists());
        let path = path.unwrap_or_else(|| dir.join(&name));
        match GraphLayer::open_of_git(&path, hash, (Some(&id), &names), (first, first_block)) {
            Ok(layer) => {
                first += layer.count;
                first_block += layer.count.div_ceil(changed_paths::COMMITS_PER_BLOCK);
                layers.push(layer);
                names.push(id);
            }
            // The layers below are valid by themselves.
            Err(reason) => {
                warn(&path, reason);
                break;
            }
        }
    }
    layers
}

/// Takes the settings of the newest layer with filters, and ignores layers with other settings.
fn reconcile_settings(
    layers: &mut [GraphLayer],
    version: i32,
    warnings: &mut Vec<String>,
) -> Option<BloomSettings> {
    let wanted = u32::try_from(version).ok();
    for layer in layers.iter_mut() {
        let fits = |filters: &BloomChunks| wanted.is_none_or(|it| it == filters.settings.version);
        layer.filters = layer.filters.filter(fits);
    }
    let settings = layers
        .iter()
        .rev()
        .find_map(|layer| layer.filters)?
        .settings;
    for layer in layers {
        if layer
            .filters
            .is_some_and(|filters| filters.settings != settings)
        {
            layer.filters = None;
            warnings.push(
                "warning: some commit-graph layers have changed-path filters with other settings; \
                 not using these"
                    .to_owned(),
            );
        }
    }
    Some(settings)
}

#[inline]
fn read_id(file: &BlockFile, at: u64, id_len: u64) -> Option<ObjectId> {
    if id_len == 20 {
        return file.array::<20>(at).map(ObjectId::from);
    }
    file.array::<32>(at).map(ObjectId::from)
}

fn read_chunk_table(
    file: &BlockFile,
    count: u8,
    id_len: u64,
) -> Result<Vec<([u8; 4], ChunkRange)>, Reason> {
    const MALFORMED: Reason = "its table of contents is damaged";
    let end = file.len().checked_sub(id_len).ok_or(MALFORMED)?;
    let table_end = 8 + (u64::from(count) + 1) * 12;
    let mut chunks = Vec::with_capacity(usize::from(count));
    let mut previous: Option<([u8; 4], u64)> = None;
    for nth in 0..=u64::from(count) {
        let entry = file.array::<12>(8 + nth * 12).ok_or(MALFORMED)?;
        let (name, start) = entry.split_first_chunk::<4>().ok_or(MALFORMED)?;
        let start = u64::from_be_bytes(*start.first_chunk().ok_or(MALFORMED)?);
        if start < table_end || start > end {
            return Err(MALFORMED);
        }
        if let Some((name, from)) = previous {
            let len = start.checked_sub(from).ok_or(MALFORMED)?;
            chunks.push((name, ChunkRange { start: from, len }));
        }
        previous = Some((*name, start));
    }
    Ok(chunks)
}

fn read_fanout(file: &BlockFile, chunk: ChunkRange) -> Option<Fanout> {
    let bytes = file.array::<FANOUT_LEN>(chunk.start)?;
    Fanout::decode(&bytes).filter(|_| chunk.len == FANOUT_LEN as u64)
}
