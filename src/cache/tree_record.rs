//! The file that holds the blames of all files of a directory in a commit.
//!
//! First the magic number, the fingerprint, the lengths of the sections with their SHA-256, and
//! that of all this. Then the sections:
//!
//! - the index: the commit and the directory, tables of ids and paths, the attributes that count, and
//!   the files with the lengths of their blames;
//! - the last commits of the directory's entries, if they were looked for;
//! - the blames of the files;
//! - shortened commits;
//! - the versions that were compared, which are needed for other commits only.
//!
//! So what is not needed is not read. Numbers are of variable length.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    ops::Range,
    sync::Arc,
};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    cache::{
        fingerprint::{RequestFingerprint, hash},
        record,
    },
    engine::{
        AskedAttribute, CachedBlame, KeptTree, Origin, OriginId, PlannedBlame, PlannedCommit,
        PlannedFile, PlannedVersions, RecordOrigin, TextAttributes, VersionRecord,
    },
    objects::{HashKind, ObjectId, TreeEntry},
    text::byte_codec::{ByteReader, push_bytes, push_number},
};

const MAGIC: &[u8; 8] = b"tblame\x01\x02";
const CHECKSUM_LEN: usize = 32;
const BLAME_CHECKSUM_LEN: usize = 16;

/// The sections, by their places in a file.
const INDEX: usize = 0;
const LAST_COMMITS: usize = 1;
const BLAMES: usize = 2;
const TEXTS: usize = 3;
const VERSIONS: usize = 4;
const SECTIONS: usize = 5;

const HEADER_LEN: usize = MAGIC.len() + CHECKSUM_LEN + SECTIONS * (8 + CHECKSUM_LEN) + CHECKSUM_LEN;

/// The largest file that is written or read.
pub(super) const MAX_LEN: u64 = 64 << 20;

pub(super) const IS_SUBMODULE: u64 = 1;
pub(super) const HAS_BLAME: u64 = 2;
pub(super) const FLAG_BITS: u32 = 2;

/// By this, a blame is read without the others.
pub(super) fn checksum_of_blame(bytes: &[u8]) -> [u8; BLAME_CHECKSUM_LEN] {
    let mut checksum = [0; BLAME_CHECKSUM_LEN];
    checksum.copy_from_slice(&hash(&[bytes]).as_slice()[..BLAME_CHECKSUM_LEN]);
    checksum
}

/// A file of these sections.
pub(super) fn assembled(
    fingerprint: &RequestFingerprint,
    sections: &[Vec<u8>; SECTIONS],
) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(fingerprint.as_slice());
    for section in sections {
        out.extend_from_slice(&(section.len() as u64).to_le_bytes());
        out.extend_from_slice(hash(&[section]).as_slice());
    }
    let checksum = hash(&[&out]);
    out.extend_from_slice(checksum.as_slice());
    for section in sections {
        out.extend_from_slice(section);
    }
    out
}

pub(super) fn encoded_last_commits(last_commits: Option<&[(BString, ObjectId)]>) -> Vec<u8> {
    let mut out = Vec::new();
    push_number(&mut out, u64::from(last_commits.is_some()));
    for (name, commit) in last_commits.unwrap_or_default() {
        push_bytes(&mut out, name);
        out.extend_from_slice(commit.as_slice());
    }
    out
}

/// A file of the cache, of which sections can be read.
#[derive(Debug)]
pub(super) struct TreeFile {
    file: File,
    kind: HashKind,
    sections: [(u64, [u8; CHECKSUM_LEN]); SECTIONS],
}

/// Shortened commits: a buffer, and where they are in it.
type KeptTexts = (Vec<u8>, Vec<(ObjectId, Range<usize>)>);

/// The index of a file.
#[derive(Debug)]
pub(super) struct TreeIndex {
    commit: ObjectId,
    directory: BString,
    commits: Vec<PlannedCommit>,
    /// The paths of all versions.
    pub(super) paths: Vec<Arc<BString>>,
    attributes: Vec<AskedAttribute>,
    pub(super) files: Vec<PlannedFile>,
    /// By file: where its blame is in the section.
    blames: Vec<(Range<usize>, [u8; BLAME_CHECKSUM_LEN])>,
}

impl TreeFile {
    /// Reads the header of `file`, which has `len` bytes.
    pub(super) fn open(
        mut file: File,
        len: u64,
        fingerprint: &RequestFingerprint,
        kind: HashKind,
    ) -> Option<TreeFile> {
        let mut header = [0; HEADER_LEN];
        file.read_exact(&mut header).ok()?;
        let (bytes, checksum) = header.split_at(HEADER_LEN - CHECKSUM_LEN);
        let mut from = ByteReader::new(bytes);
        let own = from.take(MAGIC.len())? == MAGIC
            && from.take(CHECKSUM_LEN)? == fingerprint.as_slice()
            && hash(&[bytes]).as_slice() == checksum;
        if !own || len > MAX_LEN {
            return None;
        }
        let mut sections = [(0, [0; CHECKSUM_LEN]); SECTIONS];
        let mut left = len.checked_sub(HEADER_LEN as u64)?;
        for section in &mut sections {
            let len = u64::from_le_bytes(from.take(8)?.try_into().ok()?);
            left = left.checked_sub(len)?;
            *section = (len, from.take(CHECKSUM_LEN)?.try_into().ok()?);
        }
        (left == 0).then_some(TreeFile {
            file,
            kind,
            sections,
        })
    }

    /// The bytes of a section, if they are as they were written.
    fn section(&mut self, section: usize) -> Option<Vec<u8>> {
        let (len, checksum) = self.sections[section];
        let bytes = self.bytes(section, 0..usize::try_from(len).ok()?)?;
        (hash(&[&bytes]).as_slice() == checksum).then_some(bytes)
    }

    /// The bytes of a range within a section.
    fn bytes(&mut self, section: usize, range: Range<usize>) -> Option<Vec<u8>> {
        let before: u64 = self.sections[..section].iter().map(|(len, _)| len).sum();
        let start = HEADER_LEN as u64 + before + range.start as u64;
        self.file.seek(SeekFrom::Start(start)).ok()?;
        let mut bytes = vec![0; range.len()];
        self.file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    /// The index, if it is that of `directory` in `commit`.
    pub(super) fn index(&mut self, commit: &ObjectId, directory: &[u8]) -> Option<TreeIndex> {
        let bytes = self.section(INDEX)?;
        let mut from = ByteReader::new(&bytes);
        if from.id(self.kind)? != *commit || from.bytes()? != directory {
            return None;
        }
        let commits = ids(&mut from, self.kind)?;
        let mut paths = Vec::new();
        for _ in 0..from.count_of(1)? {
            paths.push(Arc::new(BString::from(from.bytes()?)));
        }
        let mut attributes = Vec::new();
        for _ in 0..from.count_of(2)? {
            let path = BString::from(from.bytes()?);
            let is_text = [None, Some(false), Some(true)][from.index(3)?];
            attributes.push((path, is_text));
        }
        let mut index = TreeIndex {
            commit: *commit,
            directory: directory.into(),
            commits,
            paths,
            attributes,
            files: Vec::new(),
            blames: Vec::new(),
        };
        index.read_files(&mut from, self.kind)?;
        from.is_empty().then_some(index)
    }

    /// Shortened commits: a buffer, and where they are in it.
    pub(super) fn texts(&mut self, index: &TreeIndex) -> Option<KeptTexts> {
        let bytes = self.section(TEXTS)?;
        let mut from = ByteReader::new(&bytes);
        let mut texts = Vec::new();
        while !from.is_empty() {
            let commit = index.commits[from.index(index.commits.len())?].id;
            let len = from.bytes()?.len();
            let end = bytes.len() - from.len();
            texts.push((commit, end - len..end));
        }
        Some((bytes, texts))
    }

    /// The files with their blames, and the versions if the tree is used `for_others`: other
    /// commits.
    pub(super) fn tree(&mut self, mut index: TreeIndex, for_others: bool) -> Option<KeptTree> {
        let bytes = self.section(BLAMES)?;
        for (at, (range, _)) in index.blames.iter().enumerate() {
            if !range.is_empty() {
                let blame = index.blame(bytes.get(range.clone())?)?;
                index.files[at].known = Some(Arc::new(blame));
            }
        }
        let last_commits = decoded_last_commits(&self.section(LAST_COMMITS)?, self.kind)?;
        let versions = if for_others {
            self.versions(&index)?
        } else {
            PlannedVersions::default()
        };
        Some(KeptTree {
            commit: index.commit,
            path: index.directory,
            files: index.files,
            last_commits,
            attributes: index.attributes,
            versions,
        })
    }

    /// The bytes of the file with these last commits of the directory's entries.
    pub(super) fn with_last_commits(
        &mut self,
        last_commits: &[(BString, ObjectId)],
        fingerprint: &RequestFingerprint,
    ) -> Option<Vec<u8>> {
        let mut sections = <[Vec<u8>; SECTIONS]>::default();
        for (at, section) in sections.iter_mut().enumerate() {
            *section = self.section(at)?;
        }
        sections[LAST_COMMITS] = encoded_last_commits(Some(last_commits));
        Some(assembled(fingerprint, &sections))
    }

    /// The blame of the file at `path`, if its blob is `blob`.
    pub(super) fn blame(
        &mut self,
        index: &TreeIndex,
        path: &BStr,
        blob: &ObjectId,
    ) -> Option<CachedBlame> {
        let at = index
            .files
            .binary_search_by(|file| file.path.as_bstr().cmp(path));
        let at = at.ok().filter(|at| index.files[*at].entry.id == *blob)?;
        let (range, checksum) = &index.blames[at];
        let end = self.sections[BLAMES].0;
        if range.is_empty() || range.end as u64 > end {
            return None;
        }
        let bytes = self.bytes(BLAMES, range.clone())?;
        if checksum_of_blame(&bytes) != *checksum {
            return None;
        }
        let blame = index.blame(&bytes)?;
        Some(CachedBlame {
            commits: vec![index.commit],
            path: path.to_owned(),
            blob: *blob,
            entries: blame.entries,
            is_ordered: false,
            origins: blame.origins,
            boundaries: blame.boundaries.into_iter().collect(),
            paths: blame
                .paths
                .iter()
                .map(|path| BString::clone(path))
                .collect(),
            older: Vec::new(),
        })
    }

    fn versions(&mut self, index: &TreeIndex) -> Option<PlannedVersions> {
        let bytes = self.section(VERSIONS)?;
        let mut from = ByteReader::new(&bytes);
        let mut commits = index.commits.clone();
        commits.append(&mut ids(&mut from, self.kind)?);
        let (mut records, mut origins) = (Vec::new(), Vec::new());
        let count = from.count_of(self.kind.len_in_bytes())?;
        for at in 0..count {
            let (commit, path) = (
                from.index(commits.len())? as u32,
                from.index(index.paths.len())? as u32,
            );
            let entry = TreeEntry {
                mode: from.small()?,
                id: from.id(self.kind)?,
            };
            let start = origins.len() as u32;
            for _ in 0..from.count_of(3)? {
                let (commit, path) = (
                    from.index(commits.len())? as u32,
                    from.index(index.paths.len())? as u32,
                );
                // Later than this one.
                let record = at.checked_add(from.index(count - at)?)?;
                if record == at {
                    return None;
                }
                origins.push(RecordOrigin {
                    record: record as u32,
                    commit,
                    path,
                });
            }
            records.push(VersionRecord {
                commit,
                path,
                entry,
                origins: Some(start..origins.len() as u32),
            });
        }
        let has_all = |file: &PlannedFile| file.record.is_none_or(|it| (it as usize) < count);
        (from.is_empty() && index.files.iter().all(has_all)).then(|| PlannedVersions {
            records,
            origins,
            commits,
            paths: index.paths.clone(),
        })
    }
}

impl TreeIndex {
    /// True if attributes of files still say what the renames depend on.
    pub(super) fn holds(&self, attributes: Option<&dyn TextAttributes>) -> bool {
        self.attributes.iter().all(|(path, is_text)| {
            attributes.and_then(|attributes| attributes.is_text(path)) == *is_text
        })
    }

    fn read_files(&mut self, from: &mut ByteReader<'_>, kind: HashKind) -> Option<()> {
        let mut end = 0_usize;
        for _ in 0..from.count_of(kind.len_in_bytes())? {
            let path = BString::from(from.bytes()?);
            if self.files.last().is_some_and(|last| last.path >= path) {
                return None;
            }
            let head = from.number()?;
            let entry = TreeEntry {
                mode: u32::try_from(head >> FLAG_BITS).ok()?,
                id: from.id(kind)?,
            };
            let last = from.index(self.commits.len() + 1)?.checked_sub(1);
            let record = from.index(u32::MAX as usize)?.checked_sub(1);
            let (start, mut checksum) = (end, [0; BLAME_CHECKSUM_LEN]);
            if head & HAS_BLAME != 0 {
                end = end.checked_add(usize::try_from(from.number()?).ok()?)?;
                checksum.copy_from_slice(from.take(BLAME_CHECKSUM_LEN)?);
            }
            self.blames.push((start..end, checksum));
            self.files.push(PlannedFile {
                last_commit: last.map(|at| self.commits[at].id),
                record: record.map(|at| at as u32),
                ..PlannedFile::new(path, entry, head & IS_SUBMODULE != 0)
            });
        }
        Some(())
    }

    /// The blame of a file.
    fn blame(&self, bytes: &[u8]) -> Option<PlannedBlame> {
        let mut from = ByteReader::new(bytes);
        let head = from.number()?;
        let (line_count, is_binary) = (u32::try_from(head >> 1).ok()?, head & 1 != 0);
        let count = from.count_of(3)?;
        let mut origins = Vec::with_capacity(count);
        let mut commits = Vec::with_capacity(count);
        for _ in 0..count {
            let commit = self.commits[from.index(self.commits.len())?];
            let path = Arc::clone(&self.paths[from.index(self.paths.len())?]);
            let previous = from.index(count + 1)?.checked_sub(1);
            origins.push(Origin {
                commit: commit.id,
                path,
                previous: previous.map(|at| OriginId(at as u32)),
            });
            commits.push(commit);
        }
        let entries = record::entries(&mut from, count)?;
        let lines = entries.last().map_or(0, |entry| entry.lines.end);
        let mut paths = Vec::new();
        for _ in 0..from.count_of(1)? {
            paths.push(Arc::clone(&self.paths[from.index(self.paths.len())?]));
        }
        if lines != line_count || !record::are_disjoint(&entries, true) || !from.is_empty() {
            return None;
        }
        let guilty = entries
            .iter()
            .map(|entry| &commits[entry.origin.0 as usize]);
        let ends = guilty.filter(|commit| commit.is_boundary);
        let mut boundaries: Vec<ObjectId> = ends.map(|commit| commit.id).collect();
        boundaries.sort_unstable();
        boundaries.dedup();
        Some(PlannedBlame {
            line_count,
            is_binary,
            entries,
            origins,
            boundaries,
            paths,
            is_lasting: true,
            is_alone: false,
            kept_lines: 0,
        })
    }
}

fn ids(from: &mut ByteReader<'_>, kind: HashKind) -> Option<Vec<PlannedCommit>> {
    let mut ids = Vec::new();
    for _ in 0..from.count_of(kind.len_in_bytes())? {
        ids.push(PlannedCommit {
            id: from.id(kind)?,
            is_boundary: false,
        });
    }
    for _ in 0..from.count_of(1)? {
        let at = from.index(ids.len())?;
        ids[at].is_boundary = true;
    }
    Some(ids)
}

/// The outer `None` means that the bytes are not valid, the inner one that the commits are not known.
#[expect(
    clippy::option_option,
    reason = "bytes that are not valid, and commits that are not known"
)]
fn decoded_last_commits(bytes: &[u8], kind: HashKind) -> Option<Option<Vec<(BString, ObjectId)>>> {
    let mut from = ByteReader::new(bytes);
    let is_known = from.index(2)? == 1;
    let mut found = Vec::new();
    while !from.is_empty() {
        found.push((BString::from(from.bytes()?), from.id(kind)?));
    }
    Some(is_known.then_some(found))
}
