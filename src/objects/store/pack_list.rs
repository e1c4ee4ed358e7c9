//! The packs of the objects directories, as they were listed at one time.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use gix_hash::{Kind, oid};

use crate::objects::{
    error::Error,
    index::{multi_pack_index::MultiPackIndex, pack_index::PackIndex},
    pack::pack_file::Pack,
};
use crate::sorting;
use crate::system::FileStamp;

/// How often a file is opened again because it was replaced meanwhile.
const MAX_ATTEMPTS: usize = 5;

/// A snapshot of the known packs. Pack numbers are stable: later snapshots only append.
#[derive(Default)]
pub(crate) struct PackSnapshot {
    /// All packs that were ever listed, by number.
    pub(crate) all: Vec<Arc<Pack>>,
    pub(crate) multi_indexes: Vec<Arc<MultiPackIndex>>,
    /// Packs that are in no multi-pack-index.
    pub(crate) single: Vec<u32>,
    /// Packs that were removed, but are open.
    pub(crate) removed: Vec<u32>,
    /// The packs that were found in the directories.
    listed: Vec<u32>,
    /// The stamp of the multi-pack-index of each directory, if it has one.
    stamps: Vec<Option<FileStamp>>,
    /// The pack with the largest index, and the size of that in bytes.
    largest: Option<(u32, u64)>,
    /// A directory that could not be listed, and why.
    unlisted: Option<(PathBuf, io::Error)>,
}

impl PackSnapshot {
    /// Lists the packs of these directories. Those that are known `before` keep their numbers.
    pub(crate) fn list(
        dirs: &[PathBuf],
        hash: Kind,
        before: &PackSnapshot,
        warnings: &mut Vec<String>,
    ) -> PackSnapshot {
        let mut numbers = PackNumbers::new(before, hash);
        let mut snapshot = PackSnapshot::default();
        for (nth, dir) in dirs.iter().enumerate() {
            let dir = dir.join("pack");
            let (stamp, index) =
                multi_pack_index(&dir, hash, (before, nth), &mut numbers, warnings);
            snapshot.stamps.push(stamp);
            let packs = list_packs(&dir).unwrap_or_else(|error| {
                if snapshot.unlisted.is_none() {
                    snapshot.unlisted =
                        Error::of_shortage(&dir, &error).map(|_| (dir.clone(), error));
                }
                Vec::new()
            });
            for (path, index_len) in packs {
                let number = numbers.number(path);
                if snapshot.largest.is_none_or(|(_, len)| len < index_len) {
                    snapshot.largest = Some((number, index_len));
                }
                snapshot.listed.push(number);
                let is_covered = |index: &Arc<MultiPackIndex>| index.packs().contains(&number);
                if !index.as_ref().is_some_and(is_covered) {
                    snapshot.single.push(number);
                }
            }
            snapshot.multi_indexes.extend(index);
        }
        snapshot.all = numbers.all;
        let known = (0u32..).zip(&before.all);
        let removed =
            known.filter(|(number, pack)| pack.is_open() && !snapshot.listed.contains(number));
        snapshot.removed = removed.map(|(number, _)| number).collect();
        snapshot
    }

    /// The pack with the most objects.
    pub(crate) fn largest(&self) -> Option<u32> {
        self.largest.map(|(number, _)| number)
    }

    /// A multi-pack-index, index or pack that is not as git has written it; of packs only what
    /// shows at once. Reads all indexes.
    pub(crate) fn damaged_file(&self) -> Option<PathBuf> {
        let mut multi = self.multi_indexes.iter();
        if let Some(multi) = multi.find(|index| !index.is_intact()) {
            return Some(multi.path().to_owned());
        }
        self.all.iter().find_map(|pack| pack.damaged_file())
    }

    /// Loads the open indexes early, as most of their ids will be compared.
    pub(crate) fn expect_many_lookups(&self) {
        let indexes = self.all.iter().filter_map(|pack| pack.open_index());
        indexes.for_each(PackIndex::expect_many_lookups);
        let multi = self.multi_indexes.iter();
        multi.for_each(|index| index.expect_many_lookups());
    }

    /// Fails if a pack may not have been seen because too many files are open.
    pub(crate) fn check_opened(&self) -> Result<(), Error> {
        let unlisted = self.unlisted.as_ref();
        let unlisted = unlisted.and_then(|(dir, error)| Error::of_shortage(dir, error));
        let mut packs = self.all.iter();
        let unopened = || packs.find_map(|pack| pack.shortage());
        unlisted.or_else(unopened).map_or(Ok(()), Err)
    }

    /// True if `id`, which was not found, is surely in no index.
    pub(crate) fn is_surely_without(&self, id: &oid) -> bool {
        let mut indexes = self.all.iter().filter_map(|pack| pack.index());
        let mut multi = self.multi_indexes.iter();
        indexes.all(|index| index.is_sorted_around(id) && !index.is_unreadable())
            && multi.all(|index| index.is_sorted_around(id) && !index.is_unreadable())
    }

    /// True if both list the same packs and multi-pack-indexes.
    pub(crate) fn lists_as(&self, other: &PackSnapshot) -> bool {
        self.listed == other.listed && self.stamps == other.stamps
    }
}

/// Numbers packs by their paths.
struct PackNumbers {
    hash: Kind,
    all: Vec<Arc<Pack>>,
    by_path: HashMap<PathBuf, u32>,
}

impl PackNumbers {
    fn new(known: &PackSnapshot, hash: Kind) -> PackNumbers {
        let packs = (0u32..).zip(&known.all);
        PackNumbers {
            hash,
            all: known.all.clone(),
            by_path: packs
                .map(|(number, pack)| (pack.path().to_owned(), number))
                .collect(),
        }
    }

    /// The number of the pack at `path`, which may not exist.
    fn number(&mut self, path: PathBuf) -> u32 {
        if let Some(&number) = self.by_path.get(&path) {
            // It can come back, if what it contains is packed again.
            let is_back = self.all[number as usize].was_missing() && path.exists();
            if !is_back {
                return number;
            }
        }
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let pack = Pack::new(path.clone(), self.hash);
        self.all.push(Arc::new(pack));
        self.by_path.insert(path, number);
        number
    }
}

/// The multi-pack-index in `dir` and its stamp; that of the `nth` directory `before` if it is the
/// same.
fn multi_pack_index(
    dir: &Path,
    hash: Kind,
    (before, nth): (&PackSnapshot, usize),
    numbers: &mut PackNumbers,
    warnings: &mut Vec<String>,
) -> (Option<FileStamp>, Option<Arc<MultiPackIndex>>) {
    let path = dir.join("multi-pack-index");
    let mut attempts = 0;
    loop {
        attempts += 1;
        let Some(stamp) = FileStamp::read(&path) else {
            return (None, None);
        };
        if before.stamps.get(nth) == Some(&Some(stamp)) {
            let mut known = before.multi_indexes.iter();
            return (
                Some(stamp),
                known.find(|index| index.path() == path).cloned(),
            );
        }
        let number = |name: PathBuf| numbers.number(dir.join(name).with_extension("pack"));
        let index = MultiPackIndex::open(&path, hash, number);
        // It is read in several steps, between which it may have been replaced.
        if FileStamp::read(&path) != Some(stamp) && attempts < MAX_ATTEMPTS {
            continue;
        }
        if index.is_none() {
            let path = path.display();
            warnings.push(format!("warning: ignoring the damaged {path}"));
        }
        return (Some(stamp), index.map(Arc::new));
    }
}

/// The packs in a directory that have an index, the newest first, with the sizes of their indexes
/// in bytes.
fn list_packs(dir: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
    let mut packs: Vec<(SystemTime, PathBuf, u64)> = std::fs::read_dir(dir)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "idx"))
        .filter_map(|index| {
            let path = index.with_extension("pack");
            let changed = std::fs::metadata(&path).ok()?.modified().ok();
            let index_len = std::fs::metadata(&index).map_or(0, |index| index.len());
            Some((changed.unwrap_or(SystemTime::UNIX_EPOCH), path, index_len))
        })
        .collect();
    sorting::sort_by(&mut packs, |a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let packs = packs.into_iter();
    Ok(packs
        .map(|(_, path, index_len)| (path, index_len))
        .collect())
}
