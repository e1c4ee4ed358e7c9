//! Writes a commit-graph file, as `git commit-graph write` does, for commits that need not be all of a history.
//!
//! A parent that is not among the commits has a record that the reader takes for damaged: it then reads that
//! commit from its object. The trailer is a CRC-32 followed by zeros, not git's checksum, as the
//! file is never given to git.

use std::io::{self, BufWriter, Write};

use crate::objects::{
    graph::{
        bloom::{BloomKey, FILTER_BITS, FILTER_HASHES},
        edges::{HIGH_BIT, NO_PARENT},
    },
    index::fanout::FANOUT_LEN,
    types::CommitTable,
};
use gix_hash::{Kind, ObjectId};

/// The version of the filters that are written.
pub(crate) const FILTER_VERSION: u32 = 2;

/// A commit with more changed paths gets a filter that rules out nothing.
const MAX_CHANGED_PATHS: usize = 512;

/// A first parent that no commit has: the record is not used.
const UNKNOWN: u32 = NO_PARENT - 1;

/// What is written at once.
const PART_LEN: usize = 64 << 10;

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

/// A file to be written: the order of its commits and the places of its chunks.
pub struct GraphFile<'a, T> {
    commits: &'a T,
    hash: Kind,
    /// The numbers of the commits in the order of their ids, each with the first eight bytes of its id.
    order: Vec<(u64, u32)>,
    /// The number of ids that begin with each byte or a lower one.
    fanout: [u32; 256],
    /// By the numbers of the commits, in the order of their ids.
    filters: Vec<Option<Box<[u8]>>>,
    /// The length in bytes of the chunk EDGE.
    edges_len: usize,
    chunks: [([u8; 4], usize); 6],
}

impl<'a, T: CommitTable> GraphFile<'a, T> {
    /// `None` if there are too many commits, or their filters are too long.
    pub fn new(commits: &'a T, hash: Kind) -> Option<Self> {
        let count = commits.count();
        if count >= UNKNOWN as usize {
            return None;
        }
        let (order, fanout) = sorted(commits);
        let edges = (0..count).map(|at| edges_len(commits.parent_count(at)));
        let edges_len = edges.sum::<usize>() * 4;
        let filters: Vec<_> = match commits.has_filters() {
            true => order
                .iter()
                .map(|(_, at)| commits.filter(*at as usize))
                .collect(),
            false => Vec::new(),
        };
        let filters_len: usize = filters.iter().flatten().map(|filter| filter.len()).sum();
        u32::try_from(filters_len).ok()?;
        let with_filters = |len: usize| if filters.is_empty() { 0 } else { len };
        let id_len = hash.len_in_bytes();
        let chunks = [
            (*b"OIDF", FANOUT_LEN),
            (*b"OIDL", count * id_len),
            (*b"CDAT", count * (id_len + 16)),
            (*b"EDGE", edges_len),
            (*b"BIDX", with_filters(count * 4)),
            (*b"BDAT", with_filters(12 + filters_len)),
        ];
        Some(GraphFile {
            commits,
            hash,
            order,
            fanout,
            filters,
            edges_len,
            chunks,
        })
    }

    /// The length in bytes.
    pub fn byte_len(&self) -> usize {
        let used = self.chunks.iter().filter(|(_, len)| *len > 0).count();
        let chunks: usize = self.chunks.iter().map(|(_, len)| len).sum();
        8 + (used + 1) * 12 + chunks + self.hash.len_in_bytes()
    }

    /// Writes the file to `out`, in parts of [`PART_LEN`] bytes.
    ///
    /// # Errors
    ///
    /// Those of `out`, and if the numbers of parents have changed since [`new`](Self::new).
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(PART_LEN, WithChecksum { out, crc: 0 });
        out.write_all(&file_header(&self.chunks, self.hash))?;
        for count in self.fanout {
            out.write_all(&count.to_be_bytes())?;
        }
        let mut positions = vec![0_u32; self.order.len()];
        for (position, (_, at)) in self.order.iter().enumerate() {
            positions[*at as usize] = position as u32;
            out.write_all(self.commits.id(*at as usize).as_slice())?;
        }
        let mut edges = Vec::new();
        let mut parents = Vec::new();
        for (_, at) in &self.order {
            let record = self.commits.record(*at as usize, &mut parents);
            let parents = parents.iter().map(|parent| positions[*parent as usize]);
            write_record(&mut out, &mut edges, record, parents, self.hash)?;
        }
        if edges.len() * 4 != self.edges_len {
            return Err(io::Error::other("the commits have changed"));
        }
        for edge in edges {
            out.write_all(&edge.to_be_bytes())?;
        }
        if !self.filters.is_empty() {
            self.write_filters(&mut out)?;
        }
        let end = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        let mut trailer = vec![0; self.hash.len_in_bytes()];
        trailer[..4].copy_from_slice(&end.crc.to_be_bytes());
        end.out.write_all(&trailer)
    }

    fn write_filters(&self, out: &mut impl Write) -> io::Result<()> {
        let mut end = 0;
        for filter in &self.filters {
            end += filter.as_ref().map_or(0, |filter| filter.len()) as u32;
            out.write_all(&end.to_be_bytes())?;
        }
        for setting in [FILTER_VERSION, FILTER_HASHES, FILTER_BITS] {
            out.write_all(&setting.to_be_bytes())?;
        }
        for filter in self.filters.iter().flatten() {
            out.write_all(filter)?;
        }
        Ok(())
    }
}

/// Computes the checksum of what is written.
struct WithChecksum<'a, W> {
    out: &'a mut W,
    crc: u32,
}

impl<W: Write> Write for WithChecksum<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = self.out.write(bytes)?;
        self.crc = zlib_rs::crc32::crc32(self.crc, &bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The numbers of the commits in the order of their ids, each with the first eight bytes of its id, and how many ids begin
/// with each byte or a lower one. Comparing ids would take most of the time of writing a file: the first eight bytes nearly
/// always decide.
fn sorted(commits: &impl CommitTable) -> (Vec<(u64, u32)>, [u32; 256]) {
    let key = |at: usize| {
        let id = commits.id(at);
        let bytes = id.as_slice().first_chunk::<8>();
        u64::from_be_bytes(*bytes.expect("an id has at least 20 bytes"))
    };
    let first_byte = |key: u64| (key >> 56) as usize;
    let keys: Vec<u64> = (0..commits.count()).map(key).collect();
    let mut counts = [0_u32; 256];
    for key in &keys {
        counts[first_byte(*key)] += 1;
    }
    let mut end = 0;
    let fanout = counts.map(|count| {
        end += count;
        end
    });
    // Sorting within the 256 buckets takes half the time of sorting all.
    let mut next = [0_u32; 256];
    next[1..].copy_from_slice(&fanout[..255]);
    let mut order = vec![(0, 0); keys.len()];
    for (at, key) in keys.iter().enumerate() {
        let next = &mut next[first_byte(*key)];
        order[*next as usize] = (*key, at as u32);
        *next += 1;
    }
    let mut start = 0;
    for end in fanout {
        order[start..end as usize].sort_unstable();
        start = end as usize;
    }
    for same in order.chunk_by_mut(|(one, _), (other, _)| one == other) {
        if same.len() > 1 {
            same.sort_unstable_by_key(|(_, at)| commits.id(*at as usize));
        }
    }
    (order, fanout)
}

/// The number of records in the chunk EDGE for a commit with so many parents.
fn edges_len(parent_count: usize) -> usize {
    match parent_count {
        0..=2 => 0,
        count => count - 1,
    }
}

/// The header and the table of contents. Empty chunks are left out.
fn file_header(chunks: &[([u8; 4], usize)], hash: Kind) -> Vec<u8> {
    let chunks: Vec<_> = chunks.iter().filter(|(_, len)| *len > 0).collect();
    let version = match hash {
        Kind::Sha1 => 1,
        _ => 2,
    };
    let table_end = 8 + (chunks.len() + 1) * 12;
    let mut file = Vec::with_capacity(table_end);
    file.extend_from_slice(b"CGPH");
    file.extend([1, version, chunks.len() as u8, 0]);
    let mut start = table_end as u64;
    for (name, len) in chunks {
        file.extend_from_slice(name);
        file.extend(start.to_be_bytes());
        start += *len as u64;
    }
    file.extend([0; 4]);
    file.extend(start.to_be_bytes());
    file
}

/// Writes the record of a commit with its tree, date and the positions of its parents, and appends those of an octopus merge's
/// parents to `edges`.
fn write_record(
    out: &mut impl Write,
    edges: &mut Vec<u32>,
    record: Option<(ObjectId, i64)>,
    mut parents: impl ExactSizeIterator<Item = u32>,
    hash: Kind,
) -> io::Result<()> {
    let first = parents.next().unwrap_or(NO_PARENT);
    let second = match parents.len() {
        0 | 1 => parents.next().unwrap_or(NO_PARENT),
        _ => {
            let start = edges.len() as u32;
            edges.extend(parents);
            *edges.last_mut().expect("it has two more parents") |= HIGH_BIT;
            start | HIGH_BIT
        }
    };
    let record = record.filter(|(_, time)| (0..TIME_END).contains(time));
    let (tree, first, second, time) = match record {
        Some((tree, time)) => (tree, first, second, time),
        None => (ObjectId::null(hash), UNKNOWN, NO_PARENT, 0),
    };
    let mut fields = [0; 16];
    fields[..4].copy_from_slice(&first.to_be_bytes());
    fields[4..8].copy_from_slice(&second.to_be_bytes());
    // The bits above the date are the generation number, which is not used.
    fields[8..].copy_from_slice(&(time as u64).to_be_bytes());
    out.write_all(tree.as_slice())?;
    out.write_all(&fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::{
        graph::commit_graph::CommitGraph,
        types::{CommitList, CommitRecord},
    };

    fn id(number: u32, kind: Kind) -> ObjectId {
        // Spread over the buckets, and several in each.
        let mut bytes = vec![0; kind.len_in_bytes()];
        bytes[..4].copy_from_slice(&number.wrapping_mul(0x9e37_79b1).to_be_bytes());
        bytes[0] &= 3;
        bytes[4..8].copy_from_slice(&number.to_be_bytes());
        ObjectId::try_from(&bytes[..]).expect("the length is right")
    }

    /// Commits from 0 on; a commit's parents have lower numbers, and some are known by their id alone.
    fn commits(count: u32, kind: Kind) -> CommitList {
        let mut list = CommitList::default();
        for number in 0..count {
            list.push_id(id(number, kind));
        }
        for number in (0..count).rev().filter(|number| number % 7 != 3) {
            let parents = match number {
                0 => 0,
                number if number % 11 == 0 => 4,
                number if number % 5 == 0 => 2,
                _ => 1,
            };
            let start = list.parents.len() as u32;
            let parents = (1..=parents).filter_map(|back| number.checked_sub(back));
            list.parents.extend(parents);
            let name = format!("folder/file {number}");
            let paths = [name.as_bytes(), b"common"].into_iter();
            list.records[number as usize] = Some(CommitRecord {
                tree: id(number + count, kind),
                time: i64::from(number) * 86_400 * 7,
                parents: start..list.parents.len() as u32,
                filter: (number % 3 != 0).then(|| changed_path_filter(paths)),
            });
        }
        list
    }

    fn encode(commits: &CommitList, kind: Kind) -> Vec<u8> {
        let file = GraphFile::new(commits, kind).expect("few commits");
        let mut bytes = Vec::new();
        file.write(&mut bytes).expect("memory can be written to");
        assert_eq!(bytes.len(), file.byte_len());
        bytes
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
            let bytes = encode(&written, kind);
            let graph = opened(&bytes, kind).expect("undamaged");
            assert_eq!(graph.count(), 3000);
            for (number, record) in written.records.iter().enumerate() {
                let at = graph.find(&written.ids[number]).expect("it was written");
                let head = graph.head(at, &mut Vec::new());
                assert_eq!(head.is_some(), record.is_some());
                let (Some(head), Some(record)) = (head, record) else {
                    continue;
                };
                let parents = written.parents_of(number).iter();
                let parents: Vec<_> = parents.map(|at| written.ids[*at as usize]).collect();
                assert_eq!((head.tree, head.time), (record.tree, record.time));
                assert_eq!(head.parents.as_slice(), parents);
                assert_eq!(graph.filter_of(at), record.filter);
            }
        }
    }

    #[test]
    fn filters_rule_out_what_did_not_change() {
        let kind = Kind::Sha1;
        let written = commits(3000, kind);
        let bytes = encode(&written, kind);
        let graph = opened(&bytes, kind).expect("undamaged");
        let mut ruled_out = 0;
        for id in &written.ids {
            let at = graph.find(id).expect("it was written");
            for (path, changed) in [("common", true), ("folder/other", false)] {
                let filter = graph.filter(path.as_bytes()).expect("there are filters");
                let unchanged = graph.is_unchanged(at, &filter);
                assert!(!(changed && unchanged), "{id}");
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
    fn a_date_out_of_range_leaves_others_as_they_are() {
        let kind = Kind::Sha1;
        let mut written = commits(100, kind);
        // An octopus merge.
        let number = 44;
        let record = written.records[number].as_mut().expect("it is known");
        assert_eq!(record.parents.len(), 4);
        record.time = -1;
        let graph = opened(&encode(&written, kind), kind).expect("undamaged");
        for (number, record) in written.records.iter().enumerate() {
            let at = graph.find(&written.ids[number]).expect("it was written");
            let head = graph.head(at, &mut Vec::new());
            let expected = record.as_ref().filter(|record| record.time >= 0);
            assert_eq!(head.map(|head| head.time), expected.map(|it| it.time));
        }
    }

    #[test]
    fn a_damaged_file_is_not_used() {
        let kind = Kind::Sha1;
        let bytes = encode(&commits(9, kind), kind);
        assert!(opened(&bytes, kind).is_some());
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("history");
        let checked = bytes.len() - 16;
        for at in (0..checked).step_by(31) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(opened_at(&path, &damaged, kind).is_none(), "{at}");
            assert!(opened_at(&path, &bytes[..at], kind).is_none(), "{at}");
        }
        assert!(opened(&bytes, Kind::Sha256).is_none());
    }
}
