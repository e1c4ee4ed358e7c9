//! Temporary files and processes of threads that are not waited for when the program ends.

use std::{
    fs, io, mem,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use tempfile::TempDir;

use crate::system;

/// Something that would outlive the program if the thread that made it were ended with it.
#[derive(Debug)]
pub enum Leftover {
    /// A temporary file.
    File(PathBuf),
    /// A temporary directory.
    Directory(PathBuf),
    /// A process, by its id.
    Process(u32),
}

/// A function that is called before the first of them is made.
static BEFORE_FIRST: Mutex<Option<fn()>> = Mutex::new(None);

/// Those that exist, by number; the next number.
static EXISTING: Mutex<(Vec<(u64, Leftover)>, u64)> = Mutex::new((Vec::new(), 0));

/// The program ends: nothing new may be made.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Who handles signals that end the program calls [`remove_all`] itself.
static IS_END_HANDLED: Mutex<bool> = Mutex::new(false);

/// Ends the tracking of something when it is dropped, which is to be done once that no longer
/// exists.
#[derive(Debug)]
pub struct Tracking(u64);

/// Sets what is called before the first thing is made: a program that makes nothing need not
/// prepare for its end.
pub fn before_first(prepare: fn()) {
    *BEFORE_FIRST.lock().unwrap_or_else(PoisonError::into_inner) = Some(prepare);
}

/// From now on the caller handles signals that end the program. If one has arrived, this does not
/// return.
pub fn handle_end() {
    *is_end_handled() = true;
    BEFORE_FIRST
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
}

/// Calls [`remove_all`] for a program that ends by a signal. False if the signal is handled by who
/// called [`handle_end`]; after true nobody can begin to do so.
pub fn remove_all_unless_handled() -> bool {
    let is_handled = is_end_handled();
    if *is_handled {
        return false;
    }
    remove_all();
    // It stays locked.
    mem::forget(is_handled);
    true
}

fn is_end_handled() -> MutexGuard<'static, bool> {
    IS_END_HANDLED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Makes something that [`remove_all`] removes, as `leftover` describes it.
///
/// # Errors
///
/// Those of `make`.
pub fn track<T, E>(
    make: impl FnOnce() -> Result<T, E>,
    leftover: impl FnOnce(&T) -> Leftover,
) -> Result<(T, Tracking), E> {
    let prepare = BEFORE_FIRST
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(prepare) = prepare {
        prepare();
    }
    let mut existing = existing();
    while ENDING.load(Ordering::Relaxed) {
        // The program ends with this thread.
        drop(existing);
        thread::park();
        existing = self::existing();
    }
    let made = make()?;
    let (list, next) = &mut *existing;
    let number = *next;
    *next += 1;
    list.push((number, leftover(&made)));
    Ok((made, Tracking(number)))
}

/// A temporary directory that only the user can read. It is removed with its contents when it is
/// dropped, or by [`remove_all`].
#[derive(Debug)]
pub struct TemporaryDirectory {
    directory: TempDir,
    _tracking: Tracking,
}

impl TemporaryDirectory {
    /// Makes one with a name that begins with `prefix`, and what `fill` makes in it. [`remove_all`]
    /// waits for `fill`.
    ///
    /// # Errors
    ///
    /// Those of the system and of `fill`.
    pub fn new<T, E: From<io::Error>>(
        prefix: &str,
        fill: impl FnOnce(&Path) -> Result<T, E>,
    ) -> Result<(TemporaryDirectory, T), E> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(prefix);
        let permissions = system::permissions(0o700);
        let make = || {
            let directory = match permissions {
                Some(permissions) => builder.permissions(permissions).tempdir()?,
                None => builder.tempdir()?,
            };
            let filled = fill(directory.path())?;
            Ok((directory, filled))
        };
        let made = track(make, |(directory, _)| {
            Leftover::Directory(directory.path().to_owned())
        });
        made.map(|((directory, filled), tracking)| {
            let directory = TemporaryDirectory {
                directory,
                _tracking: tracking,
            };
            (directory, filled)
        })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// Removes the files and directories, and asks the processes to end. Threads that want to make
/// others stop.
pub fn remove_all() {
    ENDING.store(true, Ordering::Relaxed);
    for (_, leftover) in existing().0.drain(..) {
        // What is gone already need not be removed.
        match leftover {
            Leftover::File(path) => fs::remove_file(path).unwrap_or_default(),
            Leftover::Directory(path) => fs::remove_dir_all(path).unwrap_or_default(),
            Leftover::Process(id) => system::terminate_process(id),
        }
    }
}

fn existing() -> MutexGuard<'static, (Vec<(u64, Leftover)>, u64)> {
    EXISTING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Tracking {
    fn drop(&mut self) {
        existing().0.retain(|(number, _)| *number != self.0);
    }
}
