//! Writes a commit-graph file, as `git commit-graph write` does, for commits that need not be all of a history.
//!
//! A parent that is not among the commits has a record that the reader takes for damaged: it then reads that
//! commit from its object. The trailer is a CRC-32 followed by zeros, not git's checksum, as the
//! file is never given to git.

use gix_hash::{Kind, ObjectId};
use smallvec::SmallVec;

use crate::objects::{
    graph::{
        bloom::BloomKey,
        edges::{HIGH_BIT, NO_PARENT},
    },
    types::GraphCommit,
};

/// The settings of the filters that are written: those of git.
pub(crate) const FILTER_VERSION: u32 = 2;
pub(crate) const FILTER_HASHES: u32 = 7;
pub(crate) const FILTER_BITS: u32 = 10;

/// A commit with more changed paths gets a filter that rules out nothing.
const MAX_CHANGED_PATHS: usize = 512;

/// A first parent that no commit has: the record is not used.
const UNKNOWN: u32 = NO_PARENT - 1;

/// The first date that a record cannot hold.
const TIME_END: i64 = 1 << 34;

/// The changed-path filter of a commit that changed these paths.
pub fn changed_path_filter<'a>(paths: impl Iterator<Item = &'a [u8]>) -> Box<[u8]> {
    let mut all: Vec<&[u8]> = Vec::new();
    for path in paths {
        // A filter contains the directories too.
        let ends = memchr::memchr_iter(b'/', path).chain([path.len()]);
        all.extend(ends.map(|end| &path[..end]));
        if all.len() > MAX_CHANGED_PATHS * 64 {
            break;
        }
    }
    all.sort_unstable();
    all.dedup();
    if all.len() > MAX_CHANGED_PATHS {
        return Box::new([0xff]);
    }
    let bits = all.len() as u32 * FILTER_BITS;
    let mut filter = vec![0_u8; bits.div_ceil(8).max(1) as usize];
    let len = filter.len() as u32 * 8;
    for path in all {
        for hash in BloomKey::new(path, FILTER_VERSION).hashes(FILTER_HASHES) {
            let bit = hash % len;
            filter[bit as usize / 8] |= 1 << (bit % 8);
        }
    }
    filter.into_boxed_slice()
}

/// The bytes of a file with these commits. A commit given twice is written as it is given first. `None` if there are too
/// many commits.
pub fn encode(commits: &[GraphCommit], hash: Kind) -> Option<Vec<u8>> {
    let fits = |commit: &GraphCommit| (0..TIME_END).contains(&commit.time);
    let mut ids: Vec<ObjectId> = commits.iter().map(|commit| commit.id).collect();
    let mut all = IdOrder::new(&ids, |at| fits(&commits[at]))?;
    let mut unknown: Vec<ObjectId> = Vec::new();
    for commit in all.order.iter().map(|(_, at)| &commits[*at as usize]) {
        let parents = commit.parents.iter();
        unknown.extend(
            parents
                .copied()
                .filter(|parent| all.position(&ids, parent).is_none()),
        );
    }
    if !unknown.is_empty() {
        ids.extend(unknown);
        all = IdOrder::new(&ids, |at| commits.get(at).is_none_or(fits))?;
    }
    let mut chunks = GraphChunks::default();
    chunks.push_fanout(&all);
    let has_filters = commits.iter().any(|commit| commit.filter.is_some());
    let record_len = hash.len_in_bytes() + 16;
    chunks.ids.reserve(all.order.len() * hash.len_in_bytes());
    chunks.data.reserve(all.order.len() * record_len);
    for (_, at) in &all.order {
        let commit = commits.get(*at as usize);
        chunks.ids.extend_from_slice(ids[*at as usize].as_slice());
        match commit {
            Some(commit) => {
                let parents = commit.parents.iter();
                let parents = parents.map(|parent| all.position(&ids, parent).unwrap_or(UNKNOWN));
                chunks.push_commit(commit, &parents.collect::<SmallVec<[u32; 2]>>());
            }
            None => chunks.push_unknown(hash),
        }
        if has_filters {
            chunks.push_filter(commit.and_then(|commit| commit.filter.as_deref()))?;
        }
    }
    Some(chunks.into_file(hash, has_filters))
}

/// The order of a list of ids. Comparing ids would take most of the time of writing a file: the first eight bytes
/// nearly always decide, and short keys are quick to sort and to search.
struct IdOrder {
    /// The first eight bytes of each id, and its index in the list.
    order: Vec<(u64, u32)>,
    /// By the first two bytes of an id: the first position.
    first: Vec<u32>,
}

impl IdOrder {
    /// Sorts the ids at the indexes that are `wanted`; of those that are the same, the first is kept. `None` if there are
    /// too many.
    fn new(ids: &[ObjectId], wanted: impl Fn(usize) -> bool) -> Option<IdOrder> {
        if ids.len() >= UNKNOWN as usize {
            return None;
        }
        let wanted = (0..ids.len()).filter(|at| wanted(*at));
        let mut order: Vec<_> = wanted.map(|at| (key(&ids[at]), at as u32)).collect();
        order.sort_unstable();
        for same in order.chunk_by_mut(|(one, _), (other, _)| one == other) {
            if same.len() > 1 {
                same.sort_unstable_by_key(|(_, at)| (ids[*at as usize], *at));
            }
        }
        order.dedup_by(|(_, later), (_, at)| ids[*later as usize] == ids[*at as usize]);
        let mut first = vec![0_u32; (1 << 16) + 1];
        for (key, _) in &order {
            first[bucket(*key) + 1] += 1;
        }
        let mut sum = 0;
        for count in &mut first {
            sum += *count;
            *count = sum;
        }
        Some(IdOrder { order, first })
    }

    fn position(&self, ids: &[ObjectId], id: &ObjectId) -> Option<u32> {
        let key = key(id);
        let bucket = bucket(key);
        let (start, end) = (self.first[bucket], self.first[bucket + 1]);
        let order = &self.order[start as usize..end as usize];
        let from = order.partition_point(|(other, _)| *other < key);
        let same = order[from..].iter().take_while(|(other, _)| *other == key);
        let at = same.clone().position(|(_, at)| ids[*at as usize] == *id)?;
        Some(start + (from + at) as u32)
    }
}

/// The first eight bytes of an id.
fn key(id: &ObjectId) -> u64 {
    let bytes = id.as_slice().first_chunk::<8>();
    u64::from_be_bytes(*bytes.expect("an id has at least 20 bytes"))
}

fn bucket(key: u64) -> usize {
    (key >> 48) as usize
}

/// The chunks of a file.
#[derive(Default)]
struct GraphChunks {
    fanout: Vec<u8>,
    ids: Vec<u8>,
    data: Vec<u8>,
    edges: Vec<u8>,
    filter_ends: Vec<u8>,
    filters: Vec<u8>,
}

impl GraphChunks {
    fn push_fanout(&mut self, all: &IdOrder) {
        for first_byte in 1..=256 {
            let end = all.first[first_byte << 8];
            self.fanout.extend(end.to_be_bytes());
        }
    }

    fn push_commit(&mut self, commit: &GraphCommit, parents: &[u32]) {
        self.data.extend_from_slice(commit.tree.as_slice());
        let fields = match *parents {
            [] => [NO_PARENT, NO_PARENT],
            [first] => [first, NO_PARENT],
            [first, second] => [first, second],
            [first, ref others @ ..] => {
                let at = (self.edges.len() / 4) as u32;
                let last = others.len() - 1;
                for (nth, parent) in others.iter().enumerate() {
                    let end = if nth == last { HIGH_BIT } else { 0 };
                    self.edges.extend((parent | end).to_be_bytes());
                }
                [first, at | HIGH_BIT]
            }
        };
        self.data
            .extend(fields.iter().flat_map(|field| field.to_be_bytes()));
        // The bits above are the generation number, which is not used.
        self.data.extend((commit.time as u64).to_be_bytes());
    }

    fn push_unknown(&mut self, hash: Kind) {
        self.data.extend_from_slice(ObjectId::null(hash).as_slice());
        self.data.extend(UNKNOWN.to_be_bytes());
        self.data.extend(NO_PARENT.to_be_bytes());
        self.data.extend(0_u64.to_be_bytes());
    }

    fn push_filter(&mut self, filter: Option<&[u8]>) -> Option<()> {
        self.filters.extend_from_slice(filter.unwrap_or_default());
        let end = u32::try_from(self.filters.len()).ok()?;
        self.filter_ends.extend(end.to_be_bytes());
        Some(())
    }

    fn into_file(self, hash: Kind, has_filters: bool) -> Vec<u8> {
        let mut filters = Vec::new();
        if has_filters {
            let settings = [FILTER_VERSION, FILTER_HASHES, FILTER_BITS];
            filters.extend(settings.iter().flat_map(|number| number.to_be_bytes()));
            filters.extend(self.filters);
        }
        let all = [
            (b"OIDF", self.fanout),
            (b"OIDL", self.ids),
            (b"CDAT", self.data),
            (b"EDGE", self.edges),
            (b"BIDX", self.filter_ends),
            (b"BDAT", filters),
        ];
        let all: Vec<_> = all.iter().filter(|(_, chunk)| !chunk.is_empty()).collect();
        let version = match hash {
            Kind::Sha1 => 1,
            _ => 2,
        };
        let mut file = Vec::from(*b"CGPH");
        file.extend([1, version, all.len() as u8, 0]);
        let mut start = 8 + (all.len() as u64 + 1) * 12;
        for (name, chunk) in &all {
            file.extend_from_slice(*name);
            file.extend(start.to_be_bytes());
            start += chunk.len() as u64;
        }
        file.extend([0; 4]);
        file.extend(start.to_be_bytes());
        for (_, chunk) in all {
            file.extend_from_slice(chunk);
        }
        let crc = zlib_rs::crc32::crc32(0, &file);
        file.extend(crc.to_be_bytes());
        file.resize(file.len() + hash.len_in_bytes() - 4, 0);
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::{graph::commit_graph::CommitGraph, types::GraphPosition};

    fn id(number: u32, kind: Kind) -> ObjectId {
        // Spread over the buckets, and several in each.
        let mut bytes = vec![0; kind.len_in_bytes()];
        bytes[..4].copy_from_slice(&number.wrapping_mul(0x9e37_79b1).to_be_bytes());
        bytes[0] &= 3;
        bytes[4..8].copy_from_slice(&number.to_be_bytes());
        ObjectId::try_from(&bytes[..]).expect("the length is right")
    }

    /// Commits from 0 on; a commit's parents have lower numbers, and some are not given.
    fn commits(count: u32, kind: Kind) -> Vec<GraphCommit> {
        let numbers = (0..count).rev().filter(|number| number % 7 != 3);
        let commits = numbers.map(|number| {
            let parents = match number {
                0 => 0,
                number if number % 11 == 0 => 4,
                number if number % 5 == 0 => 2,
                _ => 1,
            };
            let parents = (1..=parents).filter_map(|back| number.checked_sub(back));
            let name = format!("folder/file {number}");
            GraphCommit {
                id: id(number, kind),
                tree: id(number + count, kind),
                time: i64::from(number) * 86_400 * 7,
                parents: parents.map(|number| id(number, kind)).collect(),
                filter: (number % 3 != 0)
                    .then(|| changed_path_filter([name.as_bytes(), b"common"].into_iter())),
            }
        });
        commits.collect()
    }

    fn opened(bytes: &[u8], kind: Kind) -> Option<CommitGraph> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        opened_at(&directory.path().join("history"), bytes, kind)
    }

    fn opened_at(path: &std::path::Path, bytes: &[u8], kind: Kind) -> Option<CommitGraph> {
        std::fs::write(path, bytes).expect("written");
        CommitGraph::open_written(path, kind, -1)
    }

    #[test]
    fn commits_are_read_as_they_were_written() {
        for kind in [Kind::Sha1, Kind::Sha256] {
            let written = commits(3000, kind);
            let twice = [written.clone(), commits(50, kind)].concat();
            let bytes = encode(&twice, kind).expect("few commits");
            let graph = opened(&bytes, kind).expect("undamaged");
            // Number 2999 is not given, and is no parent.
            assert_eq!(graph.count(), 2999);
            for commit in &written {
                let at = graph.find(&commit.id).expect("it was written");
                assert_eq!(graph.commit(at).as_ref(), Some(commit));
            }
            let known = (0..2999).filter(|at| graph.commit(GraphPosition(*at)).is_some());
            assert_eq!(known.count(), written.len());
            assert!(
                graph
                    .edges(graph.find(&id(3, kind)).expect("a parent"))
                    .is_none()
            );
        }
    }

    #[test]
    fn filters_rule_out_what_did_not_change() {
        let kind = Kind::Sha1;
        let written = commits(3000, kind);
        let bytes = encode(&written, kind).expect("few commits");
        let graph = opened(&bytes, kind).expect("undamaged");
        let mut ruled_out = 0;
        for commit in &written {
            let at = graph.find(&commit.id).expect("it was written");
            for (path, changed) in [("common", true), ("folder/other", false)] {
                let filter = graph.filter(path.as_bytes()).expect("there are filters");
                let unchanged = graph.is_unchanged(at, &filter);
                assert!(!(changed && unchanged), "{}", commit.id);
                ruled_out += u32::from(unchanged);
            }
        }
        assert!(ruled_out > 1000, "{ruled_out}");
        let many: Vec<_> = (0..600).map(|number| format!("file {number}")).collect();
        let many = changed_path_filter(many.iter().map(|path| path.as_bytes()));
        assert_eq!(*many, [0xff]);
        assert_eq!(*changed_path_filter(std::iter::empty()), [0]);
    }

    #[test]
    fn a_damaged_file_is_not_used() {
        let kind = Kind::Sha1;
        let bytes = encode(&commits(9, kind), kind).expect("few commits");
        assert!(opened(&bytes, kind).is_some());
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("history");
        let checked = bytes.len() - 16;
        for at in 0..checked {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(opened_at(&path, &damaged, kind).is_none(), "{at}");
            assert!(opened_at(&path, &bytes[..at], kind).is_none(), "{at}");
        }
        assert!(opened(&bytes, Kind::Sha256).is_none());
    }
}
