//! Keeps the size of the cache within its bound.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use crate::{
    cache::directory::{RepositoryDirectory, is_own_directory},
    sorting, system,
};

/// A byte is appended to this file for each [`BLOCK`] bytes that are written to the cache. So its
/// length is a bound on the size of the cache that costs nothing to ask for.
const WRITTEN: &str = "written";
const BLOCK: u64 = 4096;

/// After the bound is exceeded, files are removed until this share of it is left, in percent.
const KEPT_PERCENT: u64 = 75;

/// A temporary file of this age was left behind by a program that was killed.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Writes `len` bytes below the directory of a repository, which is created. If all files take more
/// than `max_bytes` then, those that were used longest ago are removed. Nothing is written beyond
/// the process's limit.
///
/// # Errors
///
/// If the directory cannot be changed.
pub(super) fn write_within(
    max_bytes: u64,
    directory: &RepositoryDirectory,
    len: u64,
    write: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    if !can_write(len) {
        return Ok(());
    }
    directory.create()?;
    let root = directory.root();
    let is_full = note_written(root, len, max_bytes)?;
    write()?;
    if is_full {
        make_room(root, max_bytes)
    } else {
        Ok(())
    }
}

/// True if a file of `len` bytes is within the process's limit. To exceed it would end the process.
pub(super) fn can_write(len: u64) -> bool {
    /// For the small files of the cache.
    const SPARE: u64 = 1 << 20;
    system::file_size_limit().is_none_or(|limit| limit >= len.saturating_add(SPARE))
}

/// Notes that `bytes` bytes will be written below `root`, also if the program does not get that
/// far. Returns whether there may be more than `max_bytes` then.
fn note_written(root: &Path, bytes: u64, max_bytes: u64) -> io::Result<bool> {
    let path = root.join(WRITTEN);
    // Opening something else could wait forever.
    if fs::symlink_metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    system::make_private(&mut options);
    let mut written = options.open(path)?;
    let blocks = usize::try_from(bytes.div_ceil(BLOCK))
        .unwrap_or(usize::MAX)
        .min(1 << 16);
    written.write_all(&vec![b'.'; blocks])?;
    Ok(written.metadata()?.len().saturating_mul(BLOCK) > max_bytes)
}

/// Removes the files that were used longest ago, so that there is room within `max_bytes` again.
fn make_room(root: &Path, max_bytes: u64) -> io::Result<()> {
    let left = shrink(root, max_bytes / 100 * KEPT_PERCENT);
    let written = OpenOptions::new().write(true).open(root.join(WRITTEN))?;
    written.set_len(left.div_ceil(BLOCK))
}

/// The time of use of a file is noted once in this time.
const NOTED_AGAIN: Duration = Duration::from_secs(3600);

/// Notes that a file is used.
pub(super) fn note_used(path: &Path) {
    let now = SystemTime::now();
    let is_noted = fs::metadata(path)
        .and_then(|metadata| metadata.modified())
        .is_ok_and(|used| now.duration_since(used).is_ok_and(|age| age < NOTED_AGAIN));
    if !is_noted && let Ok(file) = OpenOptions::new().append(true).open(path) {
        // Without it the file is removed earlier than others.
        let _ = file.set_modified(now);
    }
}

/// A file of the cache.
#[derive(Debug)]
pub struct CacheFile {
    /// Its path.
    pub path: PathBuf,
    /// Its share of the bytes that it takes with its other names.
    pub bytes: u64,
    /// When it was used last.
    pub used: SystemTime,
}

impl CacheFile {
    /// True if it is a temporary file.
    fn is_temporary(&self) -> bool {
        let name = self.path.file_name();
        name.is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    }

    /// True if it is a temporary file of a program that was killed.
    fn is_abandoned(&self, now: SystemTime) -> bool {
        // A clock that was set back must not keep it forever.
        self.is_temporary()
            && now
                .duration_since(self.used)
                .map_or_else(|err| err.duration() > ABANDONED, |age| age > ABANDONED)
    }
}

/// All files below `directory`, to a depth that the cache has. Links are not followed.
pub fn files(directory: &Path) -> Vec<CacheFile> {
    const MAX_DEPTH: usize = 4;
    let mut found = Vec::new();
    let mut directories = vec![(directory.to_owned(), 0)];
    while let Some((directory, depth)) = directories.pop() {
        if !is_own_directory(&directory) {
            continue;
        }
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            if metadata.is_dir() && depth < MAX_DEPTH {
                directories.push((entry.path(), depth + 1));
            } else if metadata.is_file() {
                found.push(CacheFile {
                    path: entry.path(),
                    bytes: metadata.len().next_multiple_of(BLOCK) / system::name_count(&metadata),
                    used: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                });
            }
        }
    }
    found
}

/// Removes files until no more than `bytes` are left; returns how many bytes are.
fn shrink(root: &Path, bytes: u64) -> u64 {
    let mut files = files(root);
    let is_in_root = |file: &CacheFile| file.path.parent() == Some(root);
    files.retain(|file| !is_in_root(file));
    let now = SystemTime::now();
    sorting::sort_by_key(&mut files, |file| {
        // A clock that was set back must not keep files forever.
        let is_of_future = file.used > now;
        (!is_of_future, file.used)
    });
    let mut left: u64 = files.iter().map(|file| file.bytes).sum();
    for file in &files {
        let removed = if file.is_temporary() {
            file.is_abandoned(now)
        } else {
            left > bytes
        };
        if removed && fs::remove_file(&file.path).is_ok() {
            left -= file.bytes;
            // Fails unless it was the last file of its directory.
            let _ = file.path.parent().map(fs::remove_dir);
        }
    }
    left
}

/// Removes the files of a directory that were used longest ago, if there are more than `max`, and
/// what programs left there that were killed.
pub(super) fn remove_oldest(directory: &Path, max: usize) {
    let now = SystemTime::now();
    let (temporary, mut kept): (Vec<_>, Vec<_>) = files(directory)
        .into_iter()
        .partition(CacheFile::is_temporary);
    let abandoned = temporary.iter().filter(|file| file.is_abandoned(now));
    sorting::sort_by_key(&mut kept, |file| file.used);
    let oldest = kept.iter().take(kept.len().saturating_sub(max));
    for file in abandoned.chain(oldest) {
        // It will be tried again.
        let _ = fs::remove_file(&file.path);
    }
}

/// Removes everything below `directory`, and the directory. What other programs write at this time
/// may stay.
///
/// # Errors
///
/// If something cannot be removed.
pub fn clear(directory: &Path) -> io::Result<()> {
    /// A directory gets a new file between being emptied and being removed in few of them.
    const MAX_ROUNDS: usize = 1000;
    if !directory.parent().is_some_and(is_own_directory) {
        return if directory.exists() {
            Err(io::ErrorKind::PermissionDenied.into())
        } else {
            Ok(())
        };
    }
    for _ in 0..MAX_ROUNDS {
        match fs::remove_dir_all(directory) {
            Ok(()) => break,
            Err(err) if err.kind() == io::ErrorKind::DirectoryNotEmpty => {}
            Err(err) if err.kind() == io::ErrorKind::NotFound => {
                if fs::symlink_metadata(directory).is_err() {
                    break;
                }
            }
            Err(err) => return Err(err),
        }
    }
    Ok(())
}
