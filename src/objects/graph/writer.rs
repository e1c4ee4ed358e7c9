//! Writes a commit-graph file, as `git commit-graph write` does, for commits that need not be all of a history.
//!
//! A parent that is not among the commits has a record that the reader takes for damaged: it then reads that
//! commit from its object. The trailer is a CRC-32 followed by zeros, not git's checksum, as the
//! file is never given to git.

use std::ops::Range;

use crate::objects::{
    graph::{
        bloom::{BloomKey, FILTER_BITS, FILTER_HASHES},
        edges::{HIGH_BIT, NO_PARENT},
    },
    index::fanout::FANOUT_LEN,
    types::{CommitList, CommitRecord},
};
use gix_hash::{Kind, ObjectId};

/// The version of the filters that are written.
pub(crate) const FILTER_VERSION: u32 = 2;

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

/// The bytes of a file with these commits. `None` if there are too many.
pub fn encode(commits: &CommitList, hash: Kind) -> Option<Vec<u8>> {
    let count = commits.ids.len();
    if count >= UNKNOWN as usize {
        return None;
    }
    let order = sorted(&commits.ids);
    let mut positions = vec![0_u32; count];
    for (position, (_, at)) in order.iter().enumerate() {
        positions[*at as usize] = position as u32;
    }
    let records = || commits.records.iter().flatten();
    let edges: usize = records().map(|record| edges_len(&record.parents)).sum();
    let has_filters = records().any(|record| record.filter.is_some());
    let filters = records().filter_map(|record| record.filter.as_ref());
    let filters: usize = filters.map(|filter| filter.len()).sum();
    let id_len = hash.len_in_bytes();
    let with_filters = |len: usize| if has_filters { len } else { 0 };
    let chunks = [
        (*b"OIDF", FANOUT_LEN),
        (*b"OIDL", count * id_len),
        (*b"CDAT", count * (id_len + 16)),
        (*b"EDGE", edges * 4),
        (*b"BIDX", with_filters(count * 4)),
        (*b"BDAT", with_filters(12 + filters)),
    ];
    let mut file = file_header(&chunks, hash);
    let mut at = 0;
    for first_byte in 0..=u8::MAX {
        let is_in_bucket = |(key, _): &&(u64, u32)| key.to_be_bytes()[0] == first_byte;
        at += order[at..].iter().take_while(is_in_bucket).count();
        file.extend((at as u32).to_be_bytes());
    }
    for (_, at) in &order {
        file.extend_from_slice(commits.ids[*at as usize].as_slice());
    }
    let mut edges = Vec::with_capacity(edges * 4);
    for (_, at) in &order {
        push_record(
            &mut file,
            &mut edges,
            commits,
            *at as usize,
            &positions,
            hash,
        );
    }
    file.append(&mut edges);
    if has_filters {
        let filters = || {
            order
                .iter()
                .map(|(_, at)| commits.records[*at as usize].as_ref())
        };
        let filter = |record: Option<&CommitRecord>| record.and_then(|it| it.filter.clone());
        let mut end = 0_u32;
        for record in filters() {
            let len = filter(record).map_or(0, |filter| filter.len());
            end = end.checked_add(u32::try_from(len).ok()?)?;
            file.extend(end.to_be_bytes());
        }
        let settings = [FILTER_VERSION, FILTER_HASHES, FILTER_BITS];
        file.extend(settings.iter().flat_map(|number| number.to_be_bytes()));
        for record in filters() {
            file.extend_from_slice(&filter(record).unwrap_or_default());
        }
    }
    let crc = zlib_rs::crc32::crc32(0, &file);
    file.extend(crc.to_be_bytes());
    file.resize(file.len() + id_len - 4, 0);
    Some(file)
}

/// The indexes of the ids in the order of the ids, each with the first eight bytes of its id. Comparing ids
/// would take most of the time of writing a file: the first eight bytes nearly always decide.
fn sorted(ids: &[ObjectId]) -> Vec<(u64, u32)> {
    let key = |id: &ObjectId| {
        let bytes = id.as_slice().first_chunk::<8>();
        u64::from_be_bytes(*bytes.expect("an id has at least 20 bytes"))
    };
    let keys = ids.iter().enumerate().map(|(at, id)| (key(id), at as u32));
    let mut order: Vec<_> = keys.collect();
    order.sort_unstable();
    for same in order.chunk_by_mut(|(one, _), (other, _)| one == other) {
        if same.len() > 1 {
            same.sort_unstable_by_key(|(_, at)| ids[*at as usize]);
        }
    }
    order
}

/// The number of records in the chunk EDGE for a commit with these parents.
fn edges_len(parents: &Range<u32>) -> usize {
    match parents.len() {
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
    let len: usize = chunks.iter().map(|(_, len)| len).sum();
    let mut file = Vec::with_capacity(table_end + len + hash.len_in_bytes());
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

/// Appends the record of the commit at `at` to `file`, and those of an octopus merge's parents to `edges`.
fn push_record(
    file: &mut Vec<u8>,
    edges: &mut Vec<u8>,
    commits: &CommitList,
    at: usize,
    positions: &[u32],
    hash: Kind,
) {
    let null = ObjectId::null(hash);
    let record = commits.records[at].as_ref();
    let record = record.filter(|record| (0..TIME_END).contains(&record.time));
    let (tree, fields, time) = match record {
        None => (&null, [UNKNOWN, NO_PARENT], 0),
        Some(record) => {
            let position = |parent: &u32| positions[*parent as usize];
            let fields = match commits.parents_of(at) {
                [] => [NO_PARENT, NO_PARENT],
                [first] => [position(first), NO_PARENT],
                [first, second] => [position(first), position(second)],
                [first, others @ .., last] => {
                    let start = (edges.len() / 4) as u32;
                    for parent in others {
                        edges.extend(position(parent).to_be_bytes());
                    }
                    edges.extend((position(last) | HIGH_BIT).to_be_bytes());
                    [position(first), start | HIGH_BIT]
                }
            };
            (&record.tree, fields, record.time)
        }
    };
    file.extend_from_slice(tree.as_slice());
    for field in fields {
        file.extend(field.to_be_bytes());
    }
    // The bits above the date are the generation number, which is not used.
    file.extend((time as u64).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::graph::commit_graph::CommitGraph;

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
            let bytes = encode(&written, kind).expect("few commits");
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
        let bytes = encode(&written, kind).expect("few commits");
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
    fn a_damaged_file_is_not_used() {
        let kind = Kind::Sha1;
        let bytes = encode(&commits(9, kind), kind).expect("few commits");
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
