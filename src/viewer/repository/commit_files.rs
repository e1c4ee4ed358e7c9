//! The files that a commit changed, with rename and copy detection.

use std::{cmp::Reverse, collections::HashMap, sync::Arc};

use bstr::{BString, ByteSlice};

use crate::{
    engine::Chunks,
    objects::{Error, ObjectId, Reader, TreeChange, TreeEntry},
    sorting,
    viewer::model::source::{CommitChanges, FileChange},
};

/// Most files that are listed.
const MAX_FILES: usize = 5000;

/// Most pairs of files that are compared for renames and copies together.
const MAX_PAIRS: usize = 20_000;

/// Size in bytes above which only exact renames and copies of a file are found.
const MAX_SIZE: u64 = 4 << 20;

/// Smallest similarity of a rename or copy, in percent.
const MIN_SIMILARITY: u8 = 50;

/// Lists the files that `commit` changed compared with `parent`, by default its first one. Stops
/// detecting renames once `stop` returns true.
///
/// # Errors
/// If a commit, a tree or a blob is missing or damaged.
pub fn list(
    reader: &mut Reader,
    commit: &ObjectId,
    parent: Option<ObjectId>,
    stop: &dyn Fn() -> bool,
) -> Result<CommitChanges, Error> {
    let head = reader.commit_head(commit)?;
    let parent = parent.or(head.parents.first().copied());
    let before = parent.map(|parent| reader.commit_head(&parent));
    let before = before.transpose()?.map(|head| head.tree);
    let (mut changes, mut more) = (Vec::new(), 0);
    reader.diff_trees(before, Some(head.tree), &mut |change| {
        if changes.len() < MAX_FILES {
            changes.push(change);
        } else {
            more += 1;
        }
    })?;
    Ok(CommitChanges {
        parent,
        parents: head.parents.to_vec(),
        files: paired(changes, reader, HashMap::new(), stop)?,
        more,
    })
}

/// The changes of files that are not those of a commit, with renames among them. Of files that are not
/// stored, `contents` has what they have, by their ids.
///
/// # Errors
/// If a blob is missing or damaged.
pub(crate) fn uncommitted(
    reader: &mut Reader,
    changes: Vec<TreeChange>,
    contents: &[(ObjectId, Arc<[u8]>)],
) -> Result<CommitChanges, Error> {
    let known = contents.iter().map(|(id, bytes)| {
        let chunks = Some(bytes).filter(|bytes| bytes.len() as u64 <= MAX_SIZE);
        (*id, chunks.map(|bytes| Arc::new(Chunks::new(bytes))))
    });
    let files = paired(changes, reader, known.collect(), &|| false)?;
    Ok(CommitChanges {
        files,
        ..CommitChanges::default()
    })
}

/// Changes with renames and copies among them, by path. The chunks of some files are known, by their ids.
fn paired(
    changes: Vec<TreeChange>,
    reader: &mut Reader,
    known: HashMap<ObjectId, Option<Arc<Chunks>>>,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<FileChange>, Error> {
    let mut files = merge_sides(changes);
    detect_renames(&mut files, reader, known, stop)?;
    let gone = |file: &FilePair| file.taken && file.new.is_none();
    files.retain(|file| !gone(file));
    sorting::sort_by(&mut files, |one, other| one.path().cmp(&other.path()));
    Ok(files.into_iter().map(FilePair::into_change).collect())
}

type PathEntry = (Arc<BString>, TreeEntry);

struct FilePair {
    old: Option<PathEntry>,
    new: Option<PathEntry>,
    similarity: Option<u8>,
    copied: bool,
    /// True if it is the source of a rename.
    taken: bool,
}

impl FilePair {
    fn path(&self) -> Option<&BString> {
        let side = self.new.as_ref().or(self.old.as_ref());
        side.map(|(path, _)| path.as_ref())
    }

    fn into_change(self) -> FileChange {
        let side = |side: Option<PathEntry>| side.map(|(path, entry)| (path, entry.mode));
        FileChange {
            old: side(self.old),
            new: side(self.new),
            similarity: self.similarity,
            copied: self.copied,
        }
    }
}

/// Merges the deletion and the addition of one path, which a change of type yields separately.
fn merge_sides(changes: Vec<TreeChange>) -> Vec<FilePair> {
    let mut files: Vec<FilePair> = Vec::new();
    for change in changes {
        let path = Arc::new(change.path);
        let side = |entry: Option<TreeEntry>| entry.map(|entry| (Arc::clone(&path), entry));
        let (old, new) = (side(change.old), side(change.new));
        let last = files.last_mut();
        match last.filter(|last| last.path() == Some(path.as_ref())) {
            Some(last) => {
                last.old = last.old.take().or(old);
                last.new = last.new.take().or(new);
            }
            None => files.push(FilePair {
                old,
                new,
                similarity: None,
                copied: false,
                taken: false,
            }),
        }
    }
    files
}

/// Pairs added files with deleted ones (renames), then with modified ones (copies).
fn detect_renames(
    files: &mut [FilePair],
    reader: &mut Reader,
    known: HashMap<ObjectId, Option<Arc<Chunks>>>,
    stop: &dyn Fn() -> bool,
) -> Result<(), Error> {
    let mut estimator = SimilarityEstimator {
        reader,
        known,
        left: MAX_PAIRS,
    };
    for copied in [false, true] {
        let of = |file: &FilePair| {
            if copied {
                file.old.is_some() && !file.taken && file.similarity.is_none()
            } else {
                file.new.is_none()
            }
        };
        let numbers = 0..files.len();
        let sources: Vec<usize> = numbers.clone().filter(|&at| of(&files[at])).collect();
        let targets: Vec<usize> = numbers.filter(|&at| files[at].old.is_none()).collect();
        let mut pairs = exact(files, &sources, &targets);
        pairs.extend(estimator.pairs(files, &sources, &targets, stop)?);
        // Most similar first, then those with the same file name, then in order.
        sorting::sort_by_key(&mut pairs, |&(similarity, source, target)| {
            let other = name(&files[source].old) != name(&files[target].new);
            (Reverse(similarity), other, target, source)
        });
        for (similarity, source, target) in pairs {
            let free = files[target].old.is_none() && (copied || !files[source].taken);
            if free {
                files[source].taken |= !copied;
                files[target].old = files[source].old.clone();
                files[target].similarity = Some(similarity);
                files[target].copied = copied;
            }
        }
    }
    Ok(())
}

fn name(side: &Option<PathEntry>) -> &[u8] {
    let path = side.as_ref().map_or(&b""[..], |(path, _)| path.as_slice());
    path.rfind_byte(b'/').map_or(path, |at| &path[at + 1..])
}

fn regular(side: Option<&PathEntry>) -> Option<TreeEntry> {
    side.map(|(_, entry)| *entry).filter(TreeEntry::is_regular)
}

/// Pairs with identical contents, as (similarity, source, target).
fn exact(files: &[FilePair], sources: &[usize], targets: &[usize]) -> Vec<(u8, usize, usize)> {
    let mut by_id: HashMap<ObjectId, Vec<usize>> = HashMap::new();
    for &source in sources {
        if let Some(entry) = regular(files[source].old.as_ref()) {
            by_id.entry(entry.id).or_default().push(source);
        }
    }
    let mut pairs = Vec::new();
    for &target in targets {
        let entry = regular(files[target].new.as_ref());
        let same = entry.and_then(|entry| by_id.get(&entry.id));
        // Bounds the pairs among many identical files.
        pairs.extend(
            same.into_iter()
                .flatten()
                .take(16)
                .map(|&it| (100, it, target)),
        );
    }
    pairs
}

struct SimilarityEstimator<'a> {
    reader: &'a mut Reader,
    known: HashMap<ObjectId, Option<Arc<Chunks>>>,
    /// Number of pairs that may still be compared.
    left: usize,
}

impl SimilarityEstimator<'_> {
    /// Pairs with at least the minimum similarity, as (percent, source, target).
    fn pairs(
        &mut self,
        files: &[FilePair],
        sources: &[usize],
        targets: &[usize],
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<(u8, usize, usize)>, Error> {
        let mut pairs = Vec::new();
        let is_whole = sources.len().saturating_mul(targets.len()) <= self.left;
        // Of too many files, those with the same name are compared.
        let mut named: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for &source in sources.iter().filter(|_| !is_whole) {
            named
                .entry(name(&files[source].old))
                .or_default()
                .push(source);
        }
        let compared = |target: usize| match named.get(name(&files[target].new)) {
            _ if is_whole => sources,
            named => named.map_or(&[][..], Vec::as_slice),
        };
        let count: usize = targets.iter().map(|&target| compared(target).len()).sum();
        if count > self.left {
            return Ok(pairs);
        }
        self.left -= count;
        for &target in targets {
            for &source in compared(target) {
                if stop() {
                    return Ok(Vec::new());
                }
                let old = regular(files[source].old.as_ref());
                let new = regular(files[target].new.as_ref());
                let (Some(old), Some(new)) = (old, new) else {
                    continue;
                };
                if old.id == new.id {
                    continue;
                }
                if let (Some(old), Some(new)) = (self.chunks(&old.id)?, self.chunks(&new.id)?) {
                    let similarity = old.percent(&new);
                    pairs.extend(
                        (similarity >= MIN_SIMILARITY).then_some((similarity, source, target)),
                    );
                }
            }
        }
        Ok(pairs)
    }

    fn chunks(&mut self, id: &ObjectId) -> Result<Option<Arc<Chunks>>, Error> {
        if let Some(known) = self.known.get(id) {
            return Ok(known.clone());
        }
        let size = self.reader.size(id)?;
        let chunks = if size.is_some_and(|size| size <= MAX_SIZE) {
            Some(Arc::new(Chunks::new(&self.reader.object(id)?.data)))
        } else {
            None
        };
        self.known.insert(*id, chunks.clone());
        Ok(chunks)
    }
}
