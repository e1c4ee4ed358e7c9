//! The file that holds a cached blame.
//!
//! In order: the magic number, the fingerprint, the path, the blob, flags, the commits that have
//! this version, the paths that the walk followed; then a table of ids and one of paths, which the
//! origins point into; origins, boundaries, entries, older versions with the lines that they have
//! in common with this one, shortened commits; and the SHA-256 of all this. Numbers are of variable
//! length, lines are counted from the last entry's end.

use std::{collections::HashSet, ops::Range, sync::Arc};

use bstr::{BStr, BString, ByteSlice};
use rustc_hash::FxHashMap;

use crate::{
    cache::fingerprint::{RequestFingerprint, hash},
    engine::{CachedBlame, CommonLines, Entry, OlderVersion, Origin, OriginId},
    objects::{HashKind, ObjectId},
    repository::commits::cached_texts::ShortenedCommit,
    text::byte_codec::{ByteReader, push_bytes, push_number},
};

const MAGIC: &[u8; 8] = b"tblame\x00\x02";
const CHECKSUM_LEN: usize = 32;

/// The largest file that is read.
pub(super) const MAX_LEN: u64 = 64 << 20;

const IS_ORDERED: u64 = 1;

const IGNORED: u64 = 1;
const UNBLAMABLE: u64 = 2;
/// The entry does not begin where the last one ended.
const HAS_START: u64 = 4;
const FLAG_BITS: u32 = 3;

/// The bytes of a file. `text` gives the shortened commit of an id.
pub(super) fn encode(
    blame: &CachedBlame,
    fingerprint: &RequestFingerprint,
    text: impl Fn(&ObjectId) -> Option<ShortenedCommit>,
) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(fingerprint.as_slice());
    push_bytes(&mut out, &blame.path);
    out.extend_from_slice(blame.blob.as_slice());
    push_number(&mut out, u64::from(blame.is_ordered) * IS_ORDERED);
    push_number(&mut out, blame.commits.len() as u64);
    for commit in &blame.commits {
        out.extend_from_slice(commit.as_slice());
    }
    push_number(&mut out, blame.paths.len() as u64);
    for path in &blame.paths {
        push_bytes(&mut out, path);
    }
    let mut ids = Dictionary::default();
    let mut paths = Dictionary::default();
    let mut origins = Vec::new();
    for origin in &blame.origins {
        push_number(&mut origins, ids.number(origin.commit));
        push_number(&mut origins, paths.number(Arc::clone(&origin.path)));
        let previous = origin
            .previous
            .map_or(0, |previous| u64::from(previous.0) + 1);
        push_number(&mut origins, previous);
    }
    push_number(&mut out, ids.items.len() as u64);
    for id in &ids.items {
        out.extend_from_slice(id.as_slice());
    }
    push_number(&mut out, paths.items.len() as u64);
    for path in &paths.items {
        push_bytes(&mut out, path);
    }
    push_number(&mut out, blame.origins.len() as u64);
    out.append(&mut origins);
    let mut boundaries: Vec<_> = blame.boundaries.iter().map(|id| ids.number(*id)).collect();
    boundaries.sort_unstable();
    push_number(&mut out, boundaries.len() as u64);
    for boundary in boundaries {
        push_number(&mut out, boundary);
    }
    push_entries(&mut out, &blame.entries);
    push_number(&mut out, blame.older.len() as u64);
    for older in &blame.older {
        out.extend_from_slice(older.commit.as_slice());
        out.extend_from_slice(older.blob.as_slice());
        let mut lines = Vec::new();
        push_common_lines(&mut lines, &older.lines);
        push_bytes(&mut out, &lines);
    }
    let texts = ids.items.iter().enumerate();
    let mut texts: Vec<_> = texts.filter_map(|(at, id)| Some((at, text(id)?))).collect();
    // Readers search them.
    texts.sort_unstable_by_key(|(at, _)| ids.items[*at]);
    push_number(&mut out, texts.len() as u64);
    for (at, text) in texts {
        push_number(&mut out, at as u64);
        push_bytes(&mut out, text.as_bytes());
    }
    let checksum = hash(&[&out]);
    out.extend_from_slice(checksum.as_slice());
    out
}

pub(super) fn push_entries(out: &mut Vec<u8>, entries: &[Entry]) {
    push_number(out, entries.len() as u64);
    let mut end = 0;
    for entry in entries {
        let has_start = entry.lines.start != end;
        let flags = u64::from(entry.ignored) * IGNORED
            + u64::from(entry.unblamable) * UNBLAMABLE
            + u64::from(has_start) * HAS_START;
        push_number(out, u64::from(entry.origin.0) << FLAG_BITS | flags);
        if has_start {
            push_number(out, u64::from(entry.lines.start));
        }
        push_number(out, u64::from(entry.lines.end - entry.lines.start));
        push_number(out, u64::from(entry.source_start));
        end = entry.lines.end;
    }
}

/// Lines are counted from the end of the last ones.
fn push_common_lines(out: &mut Vec<u8>, lines: &[CommonLines]) {
    let (mut new, mut old) = (0_u32, 0_u32);
    for common in lines {
        push_number(out, u64::from(common.new.wrapping_sub(new)));
        push_number(out, u64::from(common.old.wrapping_sub(old)));
        push_number(out, u64::from(common.len));
        (new, old) = (common.new + common.len, common.old + common.len);
    }
}

/// Numbers items in the order in which they are first seen.
#[derive(Debug)]
pub(super) struct Dictionary<T> {
    numbers: FxHashMap<T, u64>,
    pub(super) items: Vec<T>,
}

impl<T> Default for Dictionary<T> {
    fn default() -> Self {
        Dictionary {
            numbers: FxHashMap::default(),
            items: Vec::new(),
        }
    }
}

impl<T: std::hash::Hash + Eq + Clone> Dictionary<T> {
    pub(super) fn number(&mut self, item: T) -> u64 {
        let next = self.items.len() as u64;
        let number = *self.numbers.entry(item.clone()).or_insert(next);
        if number == next {
            self.items.push(item);
        }
        number
    }
}

/// The properties that a file must state to be used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expected<'a> {
    pub(super) kind: HashKind,
    pub(super) fingerprint: &'a RequestFingerprint,
    pub(super) commit: &'a ObjectId,
    pub(super) path: &'a BStr,
    pub(super) blob: &'a ObjectId,
}

/// A decoded file: the blame, and the shortened commits.
pub(super) struct Record {
    pub(super) blame: CachedBlame,
    /// Where they are in the file.
    pub(super) texts: Vec<(ObjectId, Range<usize>)>,
}

/// Reads the bytes of a file. `None` unless everything in it is as it was written, valid, and
/// expected. If an older version is expected, the blame is what the file says of that.
pub(super) fn decode(bytes: &[u8], expected: Expected<'_>) -> Option<Record> {
    let (bytes, checksum) = bytes.split_at_checked(bytes.len().checked_sub(CHECKSUM_LEN)?)?;
    let mut from = ByteReader::new(bytes);
    let own = from.take(MAGIC.len())? == MAGIC
        && from.take(CHECKSUM_LEN)? == expected.fingerprint.as_slice()
        && from.bytes()? == expected.path;
    if !own || hash(&[bytes]).as_slice() != checksum {
        return None;
    }
    let blob = from.id(expected.kind)?;
    let flags = from.number()?;
    let mut commits = Vec::new();
    for _ in 0..from.count_of(expected.kind.len_in_bytes())? {
        commits.push(from.id(expected.kind)?);
    }
    if flags > IS_ORDERED {
        return None;
    }
    let walked = byte_strings(&mut from)?;
    let count = from.count_of(expected.kind.len_in_bytes())?;
    let mut ids = Vec::with_capacity(count);
    for _ in 0..count {
        ids.push(from.id(expected.kind)?);
    }
    let paths: Vec<_> = byte_strings(&mut from)?.into_iter().map(Arc::new).collect();
    let count = from.count_of(3)?;
    let mut origins = Vec::with_capacity(count);
    for _ in 0..count {
        let commit = ids[from.index(ids.len())?];
        let path = Arc::clone(&paths[from.index(paths.len())?]);
        let previous = from.index(count + 1)?.checked_sub(1);
        origins.push(Origin {
            commit,
            path,
            previous: previous.map(|at| OriginId(at as u32)),
        });
    }
    let mut boundaries = HashSet::new();
    for _ in 0..from.count_of(1)? {
        boundaries.insert(ids[from.index(ids.len())?]);
    }
    let is_ordered = flags & IS_ORDERED != 0;
    let entries = entries(&mut from, origins.len())?;
    if !are_disjoint(&entries, is_ordered) {
        return None;
    }
    let mut version = None;
    for _ in 0..from.count_of(1)? {
        let (commit, blob) = (from.id(expected.kind)?, from.id(expected.kind)?);
        let lines = from.bytes()?;
        if commit == *expected.commit && blob == *expected.blob {
            let lines = common_lines(lines)?;
            version = Some(OlderVersion {
                commit,
                blob,
                lines,
            });
        }
    }
    let count = from.count_of(2)?;
    let mut texts = Vec::with_capacity(count);
    for _ in 0..count {
        let id = ids[from.index(ids.len())?];
        let len = from.bytes()?.len();
        let end = bytes.len() - from.len();
        texts.push((id, end - len..end));
    }
    from.is_empty().then_some(())?;
    let mut blame = CachedBlame {
        commits,
        path: expected.path.to_owned(),
        blob,
        entries,
        is_ordered,
        origins,
        boundaries,
        paths: walked,
        older: Vec::new(),
    };
    if blob != *expected.blob || !blame.commits.contains(expected.commit) {
        let version = version?;
        blame.entries = version.entries(&blame.entries);
        blame.is_ordered = false;
        blame.commits = vec![version.commit];
        blame.blob = version.blob;
        if !are_disjoint(&blame.entries, false) {
            return None;
        }
    }
    Some(Record { blame, texts })
}

fn common_lines(bytes: &[u8]) -> Option<Vec<CommonLines>> {
    let mut from = ByteReader::new(bytes);
    let mut lines = Vec::new();
    let (mut new, mut old) = (0_u32, 0_u32);
    while !from.is_empty() {
        let common = CommonLines {
            new: new.wrapping_add(from.small()?),
            old: old.wrapping_add(from.small()?),
            len: from.small()?,
        };
        (new, old) = (
            common.new.checked_add(common.len)?,
            common.old.checked_add(common.len)?,
        );
        lines.push(common);
    }
    Some(lines)
}

fn byte_strings(from: &mut ByteReader<'_>) -> Option<Vec<BString>> {
    let mut strings = Vec::new();
    for _ in 0..from.count_of(1)? {
        strings.push(from.bytes()?.as_bstr().to_owned());
    }
    Some(strings)
}

/// Reads the entries of a blame with this number of origins.
pub(super) fn entries(from: &mut ByteReader<'_>, origins: usize) -> Option<Vec<Entry>> {
    let count = from.count_of(3)?;
    let mut entries = Vec::with_capacity(count);
    let mut end = 0_u32;
    for _ in 0..count {
        let head = from.number()?;
        let origin = usize::try_from(head >> FLAG_BITS).ok()?;
        if origin >= origins {
            return None;
        }
        let start = if head & HAS_START != 0 {
            from.small()?
        } else {
            end
        };
        let len = from.small()?;
        end = start.checked_add(len)?;
        let source_start = from.small()?;
        source_start.checked_add(len)?;
        entries.push(Entry {
            lines: start..end,
            source_start,
            origin: OriginId(origin as u32),
            ignored: head & IGNORED != 0,
            unblamable: head & UNBLAMABLE != 0,
        });
    }
    Some(entries)
}

/// True if each line is in one entry at most; with `complete`, if each line from the first on is in
/// one.
pub(super) fn are_disjoint(entries: &[Entry], complete: bool) -> bool {
    let mut lines: Vec<_> = entries.iter().map(|entry| &entry.lines).collect();
    lines.sort_unstable_by_key(|lines| lines.start);
    let mut end = 0;
    lines.into_iter().all(|lines| {
        let fits = if complete {
            lines.start == end
        } else {
            lines.start >= end
        };
        end = lines.end;
        fits && lines.start < lines.end
    })
}

#[cfg(test)]
mod tests {
    use gix_hash::Kind;

    use super::*;

    fn id(byte: u8) -> ObjectId {
        ObjectId::try_from(&[byte; 20][..]).unwrap()
    }

    fn blame() -> CachedBlame {
        let path = |path: &str| Arc::new(BString::from(path));
        let origin = |commit, name, previous: Option<u32>| Origin {
            commit: id(commit),
            path: path(name),
            previous: previous.map(OriginId),
        };
        let entry = |start, end, source_start, origin, ignored| Entry {
            lines: start..end,
            source_start,
            origin: OriginId(origin),
            ignored,
            unblamable: false,
        };
        CachedBlame {
            commits: vec![id(1), id(2)],
            path: "a".into(),
            blob: id(9),
            entries: vec![
                entry(3, 300, 1, 0, false),
                entry(0, 2, 70_000, 2, true),
                entry(2, 3, 0, 0, false),
            ],
            is_ordered: true,
            origins: vec![
                origin(2, "a", Some(1)),
                origin(3, "b", None),
                origin(4, "a", None),
            ],
            boundaries: HashSet::from([id(4)]),
            paths: vec!["a".into(), "b".into()],
            older: vec![OlderVersion {
                commit: id(5),
                blob: id(8),
                lines: vec![common(1, 4, 2), common(290, 6, 5), common(10, 20, 3)],
            }],
        }
    }

    fn common(new: u32, old: u32, len: u32) -> CommonLines {
        CommonLines { new, old, len }
    }

    fn fingerprint() -> RequestFingerprint {
        hash(&[b"options"])
    }

    fn encoded() -> Vec<u8> {
        encode(&blame(), &fingerprint(), |commit| {
            (*commit != id(3)).then(|| b"\nauthor A\n\nsummary".to_vec().into())
        })
    }

    fn decoded(bytes: &[u8]) -> Option<Record> {
        let expected = Expected {
            kind: Kind::Sha1,
            fingerprint: &fingerprint(),
            commit: &id(2),
            path: BStr::new("a"),
            blob: &id(9),
        };
        decode(bytes, expected)
    }

    /// The older version, as a file describes it.
    fn decoded_older(bytes: &[u8]) -> Option<Record> {
        let expected = Expected {
            kind: Kind::Sha1,
            fingerprint: &fingerprint(),
            commit: &id(5),
            path: BStr::new("a"),
            blob: &id(8),
        };
        decode(bytes, expected)
    }

    /// Replaces the checksum by the right one.
    fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
        bytes.truncate(bytes.len() - CHECKSUM_LEN);
        let checksum = hash(&[&bytes]);
        bytes.extend_from_slice(checksum.as_slice());
        bytes
    }

    #[test]
    fn a_blame_is_read_as_it_was_written() {
        let record = decoded(&encoded()).unwrap();
        let expected = CachedBlame {
            older: Vec::new(),
            ..blame()
        };
        assert_eq!(record.blame, expected);
        let texts: Vec<_> = record.texts.iter().map(|(commit, _)| *commit).collect();
        assert_eq!(texts, [id(2), id(4)]);
    }

    #[test]
    fn an_older_version_has_the_lines_that_it_passed_on() {
        let blame = decoded_older(&encoded()).unwrap().blame;
        let mut lines: Vec<_> = blame
            .entries
            .iter()
            .map(|entry| (entry.lines.clone(), entry.source_start, entry.origin.0))
            .collect();
        lines.sort_unstable_by_key(|(lines, ..)| lines.start);
        // 1..3 of the newer version are 4..6 of this one, 290..295 are 6..11, 10..13 are 20..23.
        assert_eq!(
            lines,
            [
                (4..5, 70_001, 2),
                (5..6, 0, 0),
                (6..11, 288, 0),
                (20..23, 8, 0)
            ]
        );
        assert!(!blame.is_ordered);
        assert_eq!(blame.commits, [id(5)]);
    }

    #[test]
    fn an_older_format_is_refused() {
        let mut bytes = encoded();
        bytes[MAGIC.len() - 1] -= 1;
        assert!(decoded(&signed(bytes)).is_none());
        assert!(decoded(&signed(encoded())).is_some());
    }

    #[test]
    fn what_is_not_expected_is_refused() {
        let bytes = encoded();
        let other = hash(&[b"other options"]);
        let good = Expected {
            kind: Kind::Sha1,
            fingerprint: &fingerprint(),
            commit: &id(1),
            path: BStr::new("a"),
            blob: &id(9),
        };
        assert!(decode(&bytes, good).is_some());
        for wrong in [
            Expected {
                fingerprint: &other,
                ..good
            },
            Expected {
                commit: &id(3),
                ..good
            },
            Expected {
                path: BStr::new("b"),
                ..good
            },
            Expected {
                blob: &id(8),
                ..good
            },
            Expected {
                commit: &id(5),
                ..good
            },
            Expected {
                kind: Kind::Sha256,
                ..good
            },
        ] {
            assert!(decode(&bytes, wrong).is_none());
        }
    }

    /// Every number is checked, not only the checksum.
    #[test]
    fn numbers_out_of_bounds_are_refused() {
        let bytes = encoded();
        let (mut refused, mut read) = (0, 0);
        for at in 0..bytes.len() - CHECKSUM_LEN {
            for value in 0..=u8::MAX {
                let mut changed = bytes.clone();
                changed[at] = value;
                let changed = signed(changed);
                let records = [decoded(&changed), decoded_older(&changed)];
                refused += records.iter().filter(|record| record.is_none()).count();
                for Record { blame, .. } in records.into_iter().flatten() {
                    read += 1;
                    let count = blame.origins.len() as u32;
                    for entry in &blame.entries {
                        assert!(entry.origin.0 < count && entry.lines.start < entry.lines.end);
                    }
                    for origin in &blame.origins {
                        assert!(origin.previous.is_none_or(|previous| previous.0 < count));
                    }
                    assert!(are_disjoint(&blame.entries, blame.is_ordered));
                }
            }
        }
        // Ids, paths and texts may be anything; of these the checksum alone vouches.
        assert!(refused > 20_000 && read > 20_000, "{refused}, {read}");
    }
}
