//! Checks of git's helper files against damage: pack indexes, multi-pack-indexes and commit-graphs.
//!
//! What is short is compared where it is used. The checksum of a long file takes longer than a short blame, so it is compared
//! once for each state of the file, by a thread of its own, if the caller can remember that between runs.

use std::collections::{HashSet, VecDeque};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use gix_hash::Kind;

use crate::objects::error::{Error, Reason};
use crate::objects::file_checksum::FileHasher;
use crate::system::{self, FileStamp};

/// Bytes of packs and their indexes that are compared when they are first used: some 0.3 ms.
const BYTES_AT_ONCE: u64 = 1 << 20;

/// Bytes of a file that are read at once.
const READ_LEN: usize = 256 << 10;

const DAMAGED: Reason = "its checksum does not match";

/// A file in one of its states: a hash of its path and stamp.
pub type FileState = [u8; 32];

/// The checks of the files of one store.
pub(crate) struct FileChecks {
    hash: Kind,
    bytes_left: AtomicU64,
    progress: Mutex<CheckProgress>,
    ended: Condvar,
}

#[derive(Default)]
struct CheckProgress {
    /// Those that need no check; `None` until the caller remembers some.
    known: Option<HashSet<FileState>>,
    waiting: VecDeque<PathBuf>,
    is_running: bool,
    /// Those that were in use and valid.
    valid: Vec<FileState>,
    /// Whether some of them were not known, nor taken.
    found_more: bool,
    damaged: Option<PathBuf>,
    /// A damaged index that was asked for an object.
    wrong: Option<PathBuf>,
}

impl FileChecks {
    pub(crate) fn new(hash: Kind) -> FileChecks {
        FileChecks {
            hash,
            bytes_left: AtomicU64::new(BYTES_AT_ONCE),
            progress: Mutex::default(),
            ended: Condvar::new(),
        }
    }

    /// Whether so many bytes may be compared at once.
    pub(crate) fn take(&self, bytes: u64) -> bool {
        let take = |left: u64| left.checked_sub(bytes);
        let order = Ordering::Relaxed;
        self.bytes_left.fetch_update(order, order, take).is_ok()
    }

    /// Adds a file whose checksum takes long.
    pub(crate) fn add(self: &Arc<Self>, path: &Path) {
        let mut progress = self.progress();
        progress.waiting.push_back(path.to_owned());
        self.start(progress);
    }

    /// Begins to check, but for what is `known` from earlier runs.
    pub(crate) fn begin(self: &Arc<Self>, known: HashSet<FileState>) {
        let mut progress = self.progress();
        progress.known.get_or_insert(known);
        self.start(progress);
    }

    /// Waits until all files are checked that were added.
    ///
    /// # Errors
    ///
    /// One of them is damaged.
    pub(crate) fn end(&self) -> Result<(), Error> {
        let mut progress = self.progress();
        while progress.is_running {
            let waited = self.ended.wait(progress);
            progress = waited.unwrap_or_else(PoisonError::into_inner);
        }
        match &progress.damaged {
            Some(path) => Err(Error::Corrupt {
                what: path.display().to_string(),
                reason: DAMAGED,
            }),
            None => Ok(()),
        }
    }

    /// Notes that an index was asked for an object whose place it has wrong, or of which it cannot tell the place.
    #[cold]
    pub(crate) fn note_wrong(&self, index: &Path) {
        self.progress().wrong.get_or_insert(index.to_owned());
    }

    /// An error if there was such an index.
    pub(crate) fn wrong(&self) -> Option<Error> {
        let path = self.progress().wrong.clone()?;
        Some(Error::Corrupt {
            what: path.display().to_string(),
            reason: "it does not match its pack",
        })
    }

    /// The files in use that are valid, if some of them were not known, nor returned before.
    pub(crate) fn take_found(&self) -> Option<Vec<FileState>> {
        let mut progress = self.progress();
        std::mem::take(&mut progress.found_more).then(|| progress.valid.clone())
    }

    fn progress(&self) -> MutexGuard<'_, CheckProgress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes what is known, and starts a thread for the rest.
    fn start(self: &Arc<Self>, mut progress: MutexGuard<'_, CheckProgress>) {
        let CheckProgress {
            known: Some(known),
            waiting,
            is_running: false,
            valid,
            ..
        } = &mut *progress
        else {
            return;
        };
        waiting.retain(|path| {
            let stamp = FileStamp::of(path);
            let state = stamp.map(|stamp| state_of(path, &stamp));
            let state = state.filter(|state| known.contains(state));
            valid.extend(state);
            state.is_none()
        });
        if waiting.is_empty() {
            return;
        }
        let checks = Arc::clone(self);
        let started = std::thread::Builder::new().spawn(move || checks.run());
        progress.is_running = started.is_ok();
        if !progress.is_running {
            drop(progress);
            self.run();
        }
    }

    fn run(&self) {
        let mut progress = self.progress();
        while let Some(path) = progress.waiting.pop_front() {
            drop(progress);
            let checked = self.check(&path);
            progress = self.progress();
            match checked {
                Some((state, true)) => {
                    progress.valid.push(state);
                    progress.found_more = true;
                }
                Some((_, false)) => progress.damaged = Some(path),
                // Another file may have taken its place.
                None => {}
            }
        }
        progress.is_running = false;
        self.ended.notify_all();
    }

    /// Whether a file ends with its checksum; `None` if it cannot be read, or changes.
    fn check(&self, path: &Path) -> Option<(FileState, bool)> {
        let mut file = system::open_file(path).ok()?;
        let metadata = file.metadata().ok()?;
        let stamp = FileStamp::new(&metadata);
        let mut hasher = FileHasher::new(self.hash);
        let mut bytes = vec![0; READ_LEN];
        let mut checksum = vec![0; self.hash.len_in_bytes()];
        let mut left = metadata.len().checked_sub(checksum.len() as u64)?;
        while left > 0 {
            let part = &mut bytes[..READ_LEN.min(usize::try_from(left).unwrap_or(READ_LEN))];
            file.read_exact(part).ok()?;
            hasher.update(part);
            left -= part.len() as u64;
        }
        file.read_exact(&mut checksum).ok()?;
        let is_valid = hasher.matches(&checksum);
        let is_same = FileStamp::of(path) == Some(stamp);
        is_same.then(|| (state_of(path, &stamp), is_valid))
    }
}

fn state_of(path: &Path, stamp: &FileStamp) -> FileState {
    let mut hasher = gix_hash::hasher(Kind::Sha256);
    hasher.update(path.as_os_str().as_encoded_bytes());
    hasher.update(&stamp.to_bytes());
    let sum = hasher.try_finalize();
    let mut state = FileState::default();
    if let Ok(sum) = sum {
        state.copy_from_slice(sum.as_slice());
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use gix_hash::hasher;

    fn file_with_checksum() -> Vec<u8> {
        let mut bytes = vec![7; READ_LEN + 100];
        let mut sum = hasher(Kind::Sha1);
        sum.update(&bytes);
        bytes.extend(sum.try_finalize().expect("no collision").as_slice());
        bytes
    }

    #[test]
    fn long_files_are_checked_once_for_each_state() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("file");
        let mut bytes = file_with_checksum();
        std::fs::write(&path, &bytes).expect("it is writable");
        let checked = |known: HashSet<FileState>| {
            let checks = Arc::new(FileChecks::new(Kind::Sha1));
            checks.add(&path);
            checks.add(&path.with_extension("missing"));
            assert!(checks.end().is_ok() && checks.take_found().is_none());
            checks.begin(known);
            let end = checks.end().is_ok();
            (end, checks.take_found())
        };
        let (end, found) = checked(HashSet::new());
        let found = found.expect("it was not known");
        assert!(end && found.len() == 1);
        let known: HashSet<FileState> = found.into_iter().collect();
        assert_eq!(checked(known.clone()), (true, None));
        // The same length; the time of the change is another one.
        std::thread::sleep(std::time::Duration::from_millis(20));
        bytes[5] ^= 1;
        std::fs::write(&path, &bytes).expect("it is writable");
        assert_eq!(checked(known), (false, None));
    }

    #[test]
    fn only_so_much_is_compared_at_once() {
        let checks = FileChecks::new(Kind::Sha1);
        assert!(checks.take(BYTES_AT_ONCE - 1) && !checks.take(2) && checks.take(1));
        assert!(!checks.take(1));
    }
}
