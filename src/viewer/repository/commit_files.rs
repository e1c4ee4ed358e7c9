//! The files that a commit changed, with those that it renamed or copied.

use std::{cmp::Reverse, collections::HashMap, sync::Arc};

use bstr::{BString, ByteSlice};

use crate::{
    engine::Chunks,
    objects::{Change, Error, ObjectId, Reader, TreeEntry},
    viewer::model::source::{Changes, FileChange},
};

/// Files that are listed.
const MOST: usize = 5000;

/// Pairs of files that are compared to find renames, and then copies.
const PAIRS: usize = 20_000;

/// Bytes of a file from which on it is found by its exact contents only.
const LARGE: u64 = 4 << 20;

/// From so much in common on, in percent, a file is taken for another one renamed or copied.
const ENOUGH: u8 = 50;

/// Lists what `commit` did, compared with `parent` or with its first one. Gives up finding renames
/// once `stop` says so.
///
/// # Errors
/// A commit, a tree or a file is missing or damaged.
pub fn list(
    reader: &mut Reader,
    commit: &ObjectId,
    parent: Option<ObjectId>,
    stop: &dyn Fn() -> bool,
) -> Result<Changes, Error> {
    let head = reader.commit_head(commit)?;
    let parent = parent.or(head.parents.first().copied());
    let before = parent.map(|parent| reader.commit_head(&parent));
    let before = before.transpose()?.map(|head| head.tree);
    let (mut changes, mut more) = (Vec::new(), 0);
    reader.changes(before, Some(head.tree), &mut |change| {
        if changes.len() < MOST {
            changes.push(change);
        } else {
            more += 1;
        }
    })?;
    let mut files = join(changes);
    find_origins(&mut files, reader, stop)?;
    let gone = |file: &Listed| file.taken && file.new.is_none();
    files.retain(|file| !gone(file));
    files.sort_by(|one, other| one.path().cmp(&other.path()));
    Ok(Changes {
        parent,
        files: files.into_iter().map(Listed::into_change).collect(),
        more,
    })
}

type Side = (Arc<BString>, TreeEntry);

struct Listed {
    old: Option<Side>,
    new: Option<Side>,
    alike: Option<u8>,
    copied: bool,
    /// It is the origin of a renamed file.
    taken: bool,
}

impl Listed {
    fn path(&self) -> Option<&BString> {
        let side = self.new.as_ref().or(self.old.as_ref());
        side.map(|(path, _)| path.as_ref())
    }

    fn into_change(self) -> FileChange {
        let side = |side: Option<Side>| side.map(|(path, entry)| (path, entry.mode));
        FileChange {
            old: side(self.old),
            new: side(self.new),
            alike: self.alike,
            copied: self.copied,
        }
    }
}

/// The two sides of one path may come one by one.
fn join(changes: Vec<Change>) -> Vec<Listed> {
    let mut files: Vec<Listed> = Vec::new();
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
            None => files.push(Listed {
                old,
                new,
                alike: None,
                copied: false,
                taken: false,
            }),
        }
    }
    files
}

/// Finds out which of the new files are others that were renamed, or copies of ones that were
/// changed too.
fn find_origins(
    files: &mut [Listed],
    reader: &mut Reader,
    stop: &dyn Fn() -> bool,
) -> Result<(), Error> {
    let mut estimator = Estimator {
        reader,
        known: HashMap::new(),
        left: PAIRS,
    };
    for copied in [false, true] {
        let of = |file: &Listed| match copied {
            false => file.new.is_none(),
            true => file.old.is_some() && !file.taken && file.alike.is_none(),
        };
        let numbers = 0..files.len();
        let sources: Vec<usize> = numbers.clone().filter(|&at| of(&files[at])).collect();
        let targets: Vec<usize> = numbers.filter(|&at| files[at].old.is_none()).collect();
        let mut pairs = exact(files, &sources, &targets);
        pairs.extend(estimator.pairs(files, &sources, &targets, stop)?);
        // The most alike first, then those whose names are, then in order.
        pairs.sort_by_key(|&(alike, source, target)| {
            let other = name(&files[source].old) != name(&files[target].new);
            (Reverse(alike), other, target, source)
        });
        for (alike, source, target) in pairs {
            let free = files[target].old.is_none() && (copied || !files[source].taken);
            if free {
                files[source].taken |= !copied;
                files[target].old = files[source].old.clone();
                files[target].alike = Some(alike);
                files[target].copied = copied;
            }
        }
    }
    Ok(())
}

fn name(side: &Option<Side>) -> &[u8] {
    let path = side.as_ref().map_or(&b""[..], |(path, _)| path.as_slice());
    path.rfind_byte(b'/').map_or(path, |at| &path[at + 1..])
}

fn regular(side: Option<&Side>) -> Option<TreeEntry> {
    side.map(|(_, entry)| *entry).filter(TreeEntry::is_regular)
}

/// Pairs of files with the same contents.
fn exact(files: &[Listed], sources: &[usize], targets: &[usize]) -> Vec<(u8, usize, usize)> {
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
        // Of many that are the same, some are enough.
        pairs.extend(
            same.into_iter()
                .flatten()
                .take(16)
                .map(|&it| (100, it, target)),
        );
    }
    pairs
}

struct Estimator<'a> {
    reader: &'a mut Reader,
    known: HashMap<ObjectId, Option<Arc<Chunks>>>,
    /// Pairs that may still be compared.
    left: usize,
}

impl Estimator<'_> {
    /// Pairs of files that are alike.
    fn pairs(
        &mut self,
        files: &[Listed],
        sources: &[usize],
        targets: &[usize],
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<(u8, usize, usize)>, Error> {
        let mut pairs = Vec::new();
        if sources.len().saturating_mul(targets.len()) > self.left {
            return Ok(pairs);
        }
        self.left -= sources.len() * targets.len();
        for &target in targets {
            for &source in sources {
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
                    let alike = old.percent(&new);
                    pairs.extend((alike >= ENOUGH).then_some((alike, source, target)));
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
        let chunks = match size.is_some_and(|size| size <= LARGE) {
            true => Some(Arc::new(Chunks::of(&self.reader.object(id)?.data))),
            false => None,
        };
        self.known.insert(*id, chunks.clone());
        Ok(chunks)
    }
}
