//! The process and its surroundings: memory, time, files and the installed git; and the differences
//! between operating systems, behind one interface.
//!
//! `unix.rs` and `windows.rs` define the same items, as do `unix_signals.rs` and
//! `windows_signals.rs`, and `unix_terminal.rs` and `windows_terminal.rs`, which only the program
//! needs.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read},
    path::Path,
    time::SystemTime,
};

mod arenas;
mod commands;
#[cfg(feature = "program")]
pub(crate) mod cpu_time;
pub(crate) mod file_replacement;
pub(crate) mod git_version;
pub(crate) mod index_stamp;
pub(crate) mod installed_git;
mod large_pages;
pub(crate) mod leftovers;
pub(crate) mod memory;
pub(crate) mod run_log;
pub(crate) mod terminfo;
pub(crate) mod test_panic;
#[cfg(unix)]
mod unix;
#[cfg(all(unix, feature = "program"))]
mod unix_signals;
#[cfg(all(unix, feature = "program"))]
mod unix_terminal;
#[cfg(windows)]
mod windows;
#[cfg(all(windows, feature = "program"))]
mod windows_signals;
#[cfg(all(windows, feature = "program"))]
mod windows_terminal;

pub use arenas::*;
pub use commands::*;
pub use large_pages::*;
#[cfg(unix)]
pub use unix::*;
#[cfg(all(unix, feature = "program"))]
pub use unix_signals::*;
#[cfg(all(unix, feature = "program"))]
pub use unix_terminal::*;
#[cfg(windows)]
pub use windows::*;
#[cfg(all(windows, feature = "program"))]
pub use windows_signals::*;
#[cfg(all(windows, feature = "program"))]
pub use windows_terminal::*;

/// Identifies the state of a file, as git's index does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    size: u64,
    modified: Option<SystemTime>,
    /// Inode, mode and ctime: detects replaced files and modification times that were set back.
    identity: [i64; 4],
}

impl FileStamp {
    /// Takes the stamp from `stat` data.
    pub fn new(metadata: &Metadata) -> Self {
        FileStamp {
            size: metadata.len(),
            modified: metadata.modified().ok(),
            identity: file_identity(metadata),
        }
    }

    /// The stamp of the file at `path`; `None` if there is none.
    pub fn read(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().as_ref().map(FileStamp::new)
    }
}

/// True if both paths lead to the same file; on Windows also to a copy of it.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    file_key(one).is_some_and(|key| Some(key) == file_key(other))
}

/// Opens a regular file, or `/dev/null`, to read it. Others, such as named pipes, might never end.
/// Where as many files are open as is usual for a process, its limit is raised: a repository may
/// have more packs than that.
///
/// # Errors
///
/// As those of the system, also for a directory; [`InvalidInput`](io::ErrorKind::InvalidInput) for
/// what else is no regular file.
pub fn open_file(path: &Path) -> io::Result<File> {
    Ok(open_with_metadata(path)?.0)
}

/// As [`open_file`], with what is known of the file.
///
/// # Errors
///
/// As those of [`open_file`].
pub fn open_with_metadata(path: &Path) -> io::Result<(File, Metadata)> {
    let file = match open_without_waiting(path) {
        Err(error) if too_many_files(&error).is_some() => {
            allow_more_open_files();
            open_without_waiting(path)?
        }
        opened => opened?,
    };
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(is_directory());
    }
    if metadata.is_file() || is_null_device(&metadata) {
        Ok((file, metadata))
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ))
    }
}

/// The system's number of an error of opening a file where too many are open; `None` for other
/// errors.
pub fn too_many_files(error: &io::Error) -> Option<i32> {
    let code = error.raw_os_error()?;
    TOO_MANY_FILES.contains(&code).then_some(code)
}

/// The contents of a regular file.
///
/// # Errors
///
/// As those of [`open_file`].
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    read_file_within(path, u64::MAX)
}

/// The contents of a regular file of at most `max_bytes`.
///
/// # Errors
///
/// As those of [`open_file`], and if it is larger.
pub fn read_file_within(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let (file, metadata) = open_with_metadata(path)?;
    let expected = metadata.len().min(max_bytes).saturating_add(1);
    let mut contents = Vec::new();
    contents.try_reserve_exact(usize::try_from(expected).unwrap_or(usize::MAX))?;
    // Of a part of a file, the system is not asked for its size once more.
    file.take(max_bytes.saturating_add(1))
        .read_to_end(&mut contents)?;
    if contents.len() as u64 > max_bytes {
        Err(io::Error::other("the file is too large"))
    } else {
        Ok(contents)
    }
}

/// A request of the system to a program in a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemSignal {
    /// To end; the number of the signal.
    End(i32),
    /// To suspend.
    Suspend,
    /// To go on after it was suspended.
    Resumed,
}
