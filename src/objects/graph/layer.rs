//! One file of a commit-graph.

use std::{
    cmp::Ordering,
    path::{Path, PathBuf},
};

use gix_hash::{Kind, ObjectId, oid};

use crate::objects::{
    chunk_table::{ChunkRange, ChunkTable},
    error::Reason,
    graph::{
        block_file::BlockFile,
        bloom::{FILTER_BITS, FILTER_HASHES},
        edges::{GraphEdges, HIGH_BIT, NO_PARENT},
        path_filter::{COMMITS_PER_BLOCK, PathFilter, UnchangedBits},
        path_table::PathTable,
    },
    index::{
        fanout::{FANOUT_LEN, Fanout},
        id_search::interpolate,
    },
};

/// Sanity limit for the parents of a commit.
const MAX_PARENTS: usize = 1 << 16;
/// Filters of a block of commits that are longer than this together are read one by one.
const MAX_BLOCK_FILTERS_LEN: usize = 1 << 20;

/// Parameters of the Bloom filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BloomSettings {
    pub(crate) version: u32,
    pub(crate) hashes: u32,
    bits: u32,
}

/// A commit-graph file.
pub(crate) struct GraphLayer {
    pub(crate) file: BlockFile,
    pub(crate) id_len: u64,
    /// Graph position of the first commit.
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// Number of filter blocks in the layers below.
    pub(crate) first_block: u32,
    fanout: Fanout,
    pub(crate) ids: ChunkRange,
    /// The positions of the commits in the order of their ids, in the file of a remembered history:
    /// there it is not that of the file.
    sorted: Option<ChunkRange>,
    pub(crate) edges: GraphEdges,
    /// The EDGE chunk: the parents of octopus merges after the first.
    parents: Option<ChunkRange>,
    pub(crate) filters: Option<BloomChunks>,
    /// The changed paths, in the file of a remembered history.
    pub(crate) paths: Option<PathTable>,
    pub(crate) path: PathBuf,
}

/// The Bloom filters of a layer.
#[derive(Clone, Copy)]
pub(crate) struct BloomChunks {
    /// The BIDX chunk: the end of each commit's filter in `data`.
    ends: ChunkRange,
    /// The BDAT chunk without its header.
    data: ChunkRange,
    pub(crate) settings: BloomSettings,
}

impl GraphLayer {
    /// The end of the positions of its commits.
    pub(crate) fn end(&self) -> u32 {
        self.first + self.count
    }

    /// As [`open`](Self::open), for a file of git: in a chain, its checksum must be the `name`
    /// there.
    pub(crate) fn open_of_git(
        path: &Path,
        hash: Kind,
        (name, below): (Option<&ObjectId>, &[ObjectId]),
        numbers: (u32, u32),
    ) -> Result<GraphLayer, Reason> {
        let mut layer = GraphLayer::open(path, hash, below, numbers)?;
        // git does not write these.
        (layer.sorted, layer.paths) = (None, None);
        let len = layer.file.len();
        match name {
            Some(name) if layer.id_at(len.saturating_sub(layer.id_len)) != Some(*name) => {
                Err("it is not the one that the chain names")
            }
            _ => Ok(layer),
        }
    }

    /// Opens the file at `path`, whose lower layers have the names `below`.
    pub(crate) fn open(
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
        let end = file.len().checked_sub(id_len).ok_or("it is too short")?;
        let chunks = ChunkTable::read(8, header[6], end, |at| file.array(at))?;
        let chunk = |name: &[u8; 4]| chunks.chunk(name);
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
            sorted: chunk(b"OSRT").filter(|sorted| sorted.len == u64::from(count) * 4),
            edges: GraphEdges::new(
                commits.ok_or("its list of commits is damaged")?.start,
                id_len,
                count,
            ),
            parents: chunk(b"EDGE"),
            filters: None,
            paths: None,
            path: path.to_owned(),
            file,
        };
        if let (Some(ends), Some(data)) = (chunk(b"BIDX"), chunk(b"BDAT")) {
            layer.filters = layer.read_filters(ends, data);
        }
        let names = PathTable::CHUNKS;
        if let [Some(known), Some(table), Some(records)] = names.map(|name| chunk(&name)) {
            layer.paths = PathTable::new(known, table, records, count);
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

    pub(crate) fn find(&self, id: &oid) -> Option<u32> {
        let (low, high) = self.fanout.bucket(id);
        let key = u64::from_be_bytes(*id.as_bytes().first_chunk()?);
        let position = |at: u32| match self.sorted {
            Some(sorted) => self.file.u32(sorted.start + u64::from(at) * 4),
            None => Some(at),
        };
        let found = interpolate(id, low, high, |at| {
            let at = self.ids.start + u64::from(position(at)?) * self.id_len;
            let start = u64::from_be_bytes(self.file.array(at)?);
            let order = match start.cmp(&key) {
                Ordering::Equal => self.id_at(at)?.as_ref().cmp(id),
                order => order,
            };
            Some((order, start))
        })?;
        position(found).filter(|at| *at < self.count)
    }

    pub(crate) fn id_at(&self, at: u64) -> Option<ObjectId> {
        read_id(&self.file, at, self.id_len)
    }

    /// The date of the `nth` commit; adds the positions of its parents to `parents`.
    pub(crate) fn all_edges(&self, nth: u32, parents: &mut Vec<u32>) -> Option<i64> {
        let ([first, second], time) = self.edges.parents_and_date(&self.file, nth)?;
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

    /// True if the filter of the `nth` commit rules out a change of the path; `None` without a
    /// filter.
    pub(crate) fn is_unchanged(&self, nth: u32, filter: &PathFilter) -> Option<bool> {
        self.with_filter(nth, |bytes| !filter.may_contain(bytes))
    }

    /// Calls `ask` with the filter of the `nth` commit, which is not empty; `None` without one.
    pub(crate) fn with_filter<T>(&self, nth: u32, ask: impl FnOnce(&[u8]) -> T) -> Option<T> {
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
            Some(bytes) => {
                self.file.read(at, bytes)?;
                Some(ask(bytes))
            }
            None => self.file.with_bytes(at, len, ask),
        }
    }

    /// Evaluates the filters of a block of commits; `None` if they are damaged or very long.
    #[cold]
    pub(crate) fn evaluate_block(&self, block: u32, filter: &PathFilter) -> Option<UnchangedBits> {
        let filters = self.filters?;
        let first = block * COMMITS_PER_BLOCK;
        let count = COMMITS_PER_BLOCK.min(self.count - first) as usize;
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

#[inline]
fn read_id(file: &BlockFile, at: u64, id_len: u64) -> Option<ObjectId> {
    if id_len == 20 {
        return file.array::<20>(at).map(ObjectId::from);
    }
    file.array::<32>(at).map(ObjectId::from)
}

fn read_fanout(file: &BlockFile, chunk: ChunkRange) -> Option<Fanout> {
    let bytes = file.array::<FANOUT_LEN>(chunk.start)?;
    Fanout::decode(&bytes).filter(|_| chunk.len == FANOUT_LEN as u64)
}
