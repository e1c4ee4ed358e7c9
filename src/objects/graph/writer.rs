//! Writes a commit-graph file, as `git commit-graph write` does, for commits that need not be all
//! of a history.
//!
//! A parent that is not among the commits has a record that the reader takes for damaged: it then
//! reads that commit from its object. The trailer is a CRC-32 followed by zeros, not git's
//! checksum, as the file is never given to git.

use std::io::{self, Write};

use crate::objects::{
    graph::{
        changed_paths::ChangedPaths,
        edges::{DATE_BITS, DATES, HIGH_BIT, NO_PARENT},
        levels::levels,
        path_table::{EncodedPaths, PathTable},
    },
    index::fanout::FANOUT_LEN,
    types::CommitTable,
};
use gix_hash::{Kind, ObjectId};

/// A first parent that no commit has: the record is not used.
const UNKNOWN: u32 = NO_PARENT - 1;

/// The number of bytes written at once. The system takes two thirds of the time for parts that
/// begin at multiples of their length.
const PART_LEN: usize = 64 << 10;

/// A file to be written: the order of its commits and the places of its chunks.
///
/// Commits are in the order of their numbers, not of their ids: a walk that numbers them as it
/// meets them, or one that comes after it, has them side by side in memory. The chunk OSRT has
/// their positions in the order of their ids.
pub struct GraphFile<'a, T> {
    commits: &'a T,
    hash: Kind,
    /// The numbers of the commits, in the order of the file. The commit of uncommitted contents,
    /// with the null id, is left out.
    numbers: Vec<u32>,
    /// The positions of the commits by their numbers.
    positions: Vec<u32>,
    /// The positions of the commits in the order of their ids.
    sorted: Vec<u32>,
    /// The number of ids that begin with each byte or a lower one.
    fanout: [u32; 256],
    paths: EncodedPaths<'a>,
    /// The length in bytes of the chunk EDGE.
    edges_len: usize,
    chunks: [([u8; 4], usize); 8],
}

impl<'a, T: CommitTable> GraphFile<'a, T> {
    /// `paths` has what the commits change, by their numbers. `None` if there are too many commits.
    pub fn new(commits: &'a T, paths: &'a ChangedPaths, hash: Kind) -> Option<Self> {
        let end = u32::try_from(commits.count()).ok()?;
        if end >= UNKNOWN {
            return None;
        }
        let is_stored = |number: &u32| !commits.id(*number as usize).is_null();
        let numbers: Vec<u32> = (0..end).filter(is_stored).collect();
        let mut positions = vec![UNKNOWN; end as usize];
        for (position, number) in numbers.iter().enumerate() {
            positions[*number as usize] = position as u32;
        }
        let (sorted, fanout) = sorted(commits, &numbers);
        let edges = numbers
            .iter()
            .map(|at| edges_len(commits.parent_count(*at as usize)));
        let edges_len = edges.sum::<usize>() * 4;
        let paths = paths.encode(&positions, numbers.len() as u32);
        let [known, table, records] = PathTable::CHUNKS;
        let (known_bytes, table_bytes, records_len) = paths.parts();
        let (known_len, table_len) = (known_bytes.len(), table_bytes.len());
        let (count, id_len) = (numbers.len(), hash.len_in_bytes());
        let chunks = [
            (*b"OIDF", FANOUT_LEN),
            (*b"OIDL", count * id_len),
            (*b"OSRT", count * 4),
            (*b"CDAT", count * (id_len + 16)),
            (*b"EDGE", edges_len),
            (known, known_len),
            (table, table_len),
            (records, records_len),
        ];
        Some(GraphFile {
            commits,
            hash,
            numbers,
            positions,
            sorted,
            fanout,
            paths,
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
        let mut out = Parts::new(out);
        out.put(&file_header(&self.chunks, self.hash))?;
        for count in self.fanout {
            out.put(&count.to_be_bytes())?;
        }
        for at in &self.numbers {
            out.put(self.commits.id(*at as usize).as_slice())?;
        }
        for position in &self.sorted {
            out.put(&position.to_be_bytes())?;
        }
        let mut edges = Vec::new();
        let mut parents = Vec::new();
        let levels = levels(self.commits);
        for at in &self.numbers {
            let record = self.commits.record(*at as usize, &mut parents);
            let record = record.map(|(tree, time)| (tree, time, levels[*at as usize]));
            let parents = parents
                .iter()
                .map(|parent| self.positions[*parent as usize]);
            write_record(&mut out, &mut edges, record, parents, self.hash)?;
        }
        if edges.len() * 4 != self.edges_len {
            return Err(io::Error::other("the commits have changed"));
        }
        for edge in edges {
            out.put(&edge.to_be_bytes())?;
        }
        let (known, table, _) = self.paths.parts();
        out.put(known)?;
        out.put(table)?;
        // The records of paths have checksums of their own.
        let (out, crc) = out.finish()?;
        self.paths.write_records(&self.positions, PART_LEN, out)?;
        let mut trailer = vec![0; self.hash.len_in_bytes()];
        trailer[..4].copy_from_slice(&crc.to_be_bytes());
        out.write_all(&trailer)
    }
}

/// Writes in parts of [`PART_LEN`] bytes, with a checksum.
struct Parts<'a, W> {
    out: &'a mut W,
    part: Vec<u8>,
    crc: u32,
}

impl<'a, W: Write> Parts<'a, W> {
    fn new(out: &'a mut W) -> Self {
        Parts {
            out,
            part: Vec::with_capacity(2 * PART_LEN),
            crc: 0,
        }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        for bytes in bytes.chunks(PART_LEN) {
            self.part.extend_from_slice(bytes);
            if self.part.len() >= PART_LEN {
                self.write(PART_LEN)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, len: usize) -> io::Result<()> {
        let part = &self.part[..len];
        self.out.write_all(part)?;
        self.crc = zlib_rs::crc32::crc32(self.crc, part);
        self.part.drain(..len);
        Ok(())
    }

    /// Writes the rest, and returns the checksum.
    fn finish(mut self) -> io::Result<(&'a mut W, u32)> {
        self.write(self.part.len())?;
        Ok((self.out, self.crc))
    }
}

/// The indexes of `numbers` in the order of the ids of the commits, and how many ids begin with
/// each byte or a lower one. Comparing ids would take most of the time of writing a file: the first
/// eight bytes nearly always decide.
fn sorted(commits: &impl CommitTable, numbers: &[u32]) -> (Vec<u32>, [u32; 256]) {
    let id = |at: u32| commits.id(numbers[at as usize] as usize);
    let key = |at: u32| {
        let id = id(at);
        let bytes = id.as_slice().first_chunk::<8>();
        u64::from_be_bytes(*bytes.expect("an id has at least 20 bytes"))
    };
    let bucket = |key: u64| (key >> 48) as usize;
    let keys: Vec<u64> = (0..numbers.len() as u32).map(key).collect();
    // A bucket for each value of the first two bytes: 100,000 ids have one or two in each.
    let mut ends = vec![0_u32; 1 << 16];
    for key in &keys {
        ends[bucket(*key)] += 1;
    }
    let mut end = 0;
    for count in &mut ends {
        end += *count;
        *count = end;
    }
    let mut order = vec![(0, 0); keys.len()];
    // From the last one on, so that the ends become the starts.
    for (at, key) in keys.iter().enumerate().rev() {
        let end = &mut ends[bucket(*key)];
        *end -= 1;
        order[*end as usize] = (*key, at as u32);
    }
    let starts = ends;
    let end_of = |bucket: usize| {
        starts
            .get(bucket + 1)
            .map_or(keys.len(), |end| *end as usize)
    };
    for (bucket, start) in starts.iter().enumerate() {
        let same = &mut order[*start as usize..end_of(bucket)];
        same.sort_unstable_by(|(one_key, one), (other_key, other)| {
            let by_key = one_key.cmp(other_key);
            by_key.then_with(|| id(*one).cmp(&id(*other)))
        });
    }
    let fanout = std::array::from_fn(|byte| end_of(byte << 8 | 0xff) as u32);
    (order.into_iter().map(|(_, at)| at).collect(), fanout)
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

/// Writes the record of a commit with its tree, date, level and the positions of its parents, and
/// appends those of an octopus merge's parents to `edges`.
fn write_record(
    out: &mut Parts<'_, impl Write>,
    edges: &mut Vec<u32>,
    record: Option<(ObjectId, i64, u32)>,
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
    let record = record.filter(|(_, time, _)| DATES.contains(time));
    let (tree, first, second, last) = match record {
        Some((tree, time, level)) => {
            let level = u64::from(level) << DATE_BITS;
            (tree, first, second, time as u64 | level)
        }
        None => (ObjectId::null(hash), UNKNOWN, NO_PARENT, 0),
    };
    let mut fields = [0; 16];
    fields[..4].copy_from_slice(&first.to_be_bytes());
    fields[4..8].copy_from_slice(&second.to_be_bytes());
    fields[8..].copy_from_slice(&last.to_be_bytes());
    out.put(tree.as_slice())?;
    out.put(&fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::{
        graph::commit_graph::CommitGraph,
        test_rng::TestRng,
        types::{CommitList, CommitRecord, TreeChange, TreeEntry},
    };

    fn id(number: u32, kind: Kind) -> ObjectId {
        // Spread over the buckets, and several in each.
        let mut bytes = vec![0; kind.len_in_bytes()];
        bytes[..4].copy_from_slice(&number.wrapping_mul(0x9e37_79b1).to_be_bytes());
        bytes[0] &= 3;
        bytes[4..8].copy_from_slice(&number.to_be_bytes());
        // No commit has the null id.
        bytes[8] = 1;
        ObjectId::try_from(&bytes[..]).expect("the length is right")
    }

    /// Commits from 0 on; a commit's parents have lower numbers, and some are known by their id
    /// alone.
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
            list.records[number as usize] = Some(CommitRecord {
                tree: id(number + count, kind),
                time: i64::from(number) * 86_400 * 7,
                parents: start..list.parents.len() as u32,
            });
        }
        list
    }

    fn encode(commits: &CommitList, paths: &ChangedPaths, kind: Kind) -> Vec<u8> {
        let file = GraphFile::new(commits, paths, kind).expect("few commits");
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
        CommitGraph::open_written(path, kind, true)
    }

    #[test]
    fn commits_are_read_as_they_were_written() {
        for kind in [Kind::Sha1, Kind::Sha256] {
            let written = commits(3000, kind);
            let bytes = encode(&written, &ChangedPaths::default(), kind);
            let graph = opened(&bytes, kind).expect("undamaged");
            assert_eq!(graph.count(), 3000);
            assert!(!graph.has_path_histories());
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
            }
        }
    }

    const PATHS: [&str; 3] = ["a", "folder/b", "folder/c"];

    /// The entry of every commit at each of [`PATHS`], and the changes of most commits whose
    /// records are known.
    fn changed_paths(
        commits: &CommitList,
        kind: Kind,
    ) -> (Vec<[Option<TreeEntry>; 3]>, ChangedPaths) {
        let mut rng = TestRng(3);
        let mut trees: Vec<[Option<TreeEntry>; 3]> = Vec::new();
        let mut paths = ChangedPaths::default();
        for number in 0..commits.count() as u32 {
            let parent = match &commits.records[number as usize] {
                Some(_) => commits.parents_of(number as usize).first().copied(),
                None => number.checked_sub(1),
            };
            let before = parent.map_or([None; 3], |parent| trees[parent as usize]);
            let mut tree = before;
            for (at, entry) in tree.iter_mut().enumerate() {
                if rng.below(4 + 20 * at) == 0 {
                    let is_there = rng.below(5) > 0;
                    *entry = is_there.then(|| TreeEntry {
                        mode: [0o100_644, 0o100_755, 0o120_000][rng.below(3)],
                        id: id(rng.below(50) as u32, kind),
                    });
                }
            }
            let changes = PATHS.iter().zip(before.into_iter().zip(tree));
            let changes = changes.filter(|(_, (old, new))| old != new);
            let changes = changes.map(|(path, (old, new))| TreeChange {
                path: (*path).into(),
                old,
                new,
            });
            if commits.records[number as usize].is_some() && number % 50 != 9 {
                assert!(paths.add(number, changes.collect()));
            }
            trees.push(tree);
        }
        (trees, paths)
    }

    #[test]
    fn changed_paths_are_read_as_they_were_written() {
        for kind in [Kind::Sha1, Kind::Sha256] {
            let written = commits(3000, kind);
            let (trees, paths) = changed_paths(&written, kind);
            let graph = opened(&encode(&written, &paths, kind), kind).expect("undamaged");
            let read_again = graph.changed_paths().expect("undamaged");
            assert_eq!(read_again.count_known(), paths.count_known());
            let (mut found, mut unchanged, mut replaced) = (0, 0, 0);
            for (nth, path) in PATHS.iter().enumerate() {
                let history = graph.path_history(path.as_bytes()).expect("there is one");
                for (number, tree) in trees.iter().enumerate() {
                    let at = graph.find(&written.ids[number]).expect("it was written");
                    assert_eq!(read_again.knows(at.0), paths.knows(number as u32));
                    let parent = written.parents_of(number).first();
                    let before = parent.and_then(|parent| trees[*parent as usize][nth]);
                    if let Some(entry) = graph.entry_at(at, &history) {
                        assert_eq!(entry, tree[nth], "{path} {number}");
                        found += 1;
                    }
                    if graph.is_unchanged(at, &history) {
                        assert_eq!(before, tree[nth], "{path} {number}");
                        unchanged += 1;
                    }
                    if let Some(own) = tree[nth]
                        && let Some(old) = history.replaced(at, own)
                    {
                        assert_eq!(old, before, "{path} {number}");
                        replaced += 1;
                    }
                }
            }
            assert!(
                found > 1000 && unchanged > 5000 && replaced > 500,
                "{found} {unchanged} {replaced}"
            );
            let nowhere = graph.path_history(b"nowhere").expect("nothing is damaged");
            let root = graph.find(&written.ids[0]).expect("it was written");
            assert_eq!(graph.entry_at(root, &nowhere), Some(None));
        }
    }

    #[test]
    fn a_contradicted_history_tells_nothing_more() {
        let kind = Kind::Sha1;
        let written = commits(100, kind);
        let (trees, paths) = changed_paths(&written, kind);
        let graph = opened(&encode(&written, &paths, kind), kind).expect("undamaged");
        let history = graph.path_history(b"a").expect("there is one");
        let changed = (0..100_usize).find(|number| {
            let at = graph.find(&written.ids[*number]).expect("it was written");
            trees[*number][0].is_some_and(|entry| history.replaced(at, entry).is_some())
        });
        let at = graph.find(&written.ids[changed.expect("one changes it")]);
        let at = at.expect("it was written");
        assert!(graph.entry_at(at, &history).is_some());
        let other = TreeEntry {
            mode: 0o100_644,
            id: id(7000, kind),
        };
        assert_eq!(history.replaced(at, other), None);
        for id in &written.ids {
            let at = graph.find(id).expect("it was written");
            assert_eq!(graph.entry_at(at, &history), None);
            assert!(!graph.is_unchanged(at, &history));
        }
    }

    #[test]
    fn damaged_records_of_paths_are_noticed() {
        let kind = Kind::Sha1;
        let written = commits(300, kind);
        let (trees, paths) = changed_paths(&written, kind);
        let bytes = encode(&written, &paths, kind);
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("history");
        let trailer = bytes.len() - kind.len_in_bytes();
        let (mut refused, mut lost, mut told) = (0, 0, 0);
        for at in (8..trailer).rev().step_by(17) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            let Some(graph) = opened_at(&file, &damaged, kind) else {
                refused += 1;
                continue;
            };
            assert!(graph.changed_paths().is_none(), "{at}");
            for (nth, path) in PATHS.iter().enumerate() {
                let Some(history) = graph.path_history(path.as_bytes()) else {
                    lost += 1;
                    continue;
                };
                for (number, tree) in trees.iter().enumerate() {
                    let at = graph.find(&written.ids[number]).expect("it was written");
                    let entry = graph.entry_at(at, &history);
                    assert!(entry.is_none_or(|entry| entry == tree[nth]));
                    told += usize::from(entry.is_some());
                }
            }
        }
        assert!(
            refused > 50 && lost > 10 && told > 500,
            "{refused} {lost} {told}"
        );
    }

    #[test]
    fn the_commit_of_uncommitted_contents_is_left_out() {
        let kind = Kind::Sha1;
        let mut written = commits(100, kind);
        let number = written.push_id(ObjectId::null(kind));
        let start = written.parents.len() as u32;
        written.parents.push(3);
        written.records[number as usize] = Some(CommitRecord {
            tree: ObjectId::null(kind),
            time: 1,
            parents: start..start + 1,
        });
        written.push_id(id(7000, kind));
        let bytes = encode(&written, &ChangedPaths::default(), kind);
        let graph = opened(&bytes, kind).expect("undamaged");
        assert_eq!(graph.count(), 101);
        assert_eq!(graph.find(&ObjectId::null(kind)), None);
        for id in written.ids.iter().filter(|id| !id.is_null()) {
            let at = graph.find(id).expect("it was written");
            assert_eq!(graph.id(at), Some(*id));
        }
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
        let bytes = encode(&written, &ChangedPaths::default(), kind);
        let graph = opened(&bytes, kind).expect("undamaged");
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
        let bytes = encode(&commits(9, kind), &ChangedPaths::default(), kind);
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
