//! Temporary files and processes of threads that are not waited for when the program ends.

use std::{
    fs,
    path::PathBuf,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use crate::system;

/// What would outlive the program if the thread that made it were ended with it.
#[derive(Debug)]
pub enum Leftover {
    /// A temporary file.
    File(PathBuf),
    /// A temporary directory.
    Directory(PathBuf),
    /// A process, by its id.
    Process(u32),
}

/// Those that exist, by number; the next number.
static EXISTING: Mutex<(Vec<(u64, Leftover)>, u64)> = Mutex::new((Vec::new(), 0));

/// The program ends: nothing new may be made.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Ends the tracking of something when it is dropped, which is to be done once that no longer exists.
#[derive(Debug)]
pub struct Tracking(u64);

/// Makes something that [`remove_all`] removes, as `leftover` describes it.
///
/// # Errors
///
/// Those of `make`.
pub fn track<T, E>(
    make: impl FnOnce() -> Result<T, E>,
    leftover: impl FnOnce(&T) -> Leftover,
) -> Result<(T, Tracking), E> {
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

/// Removes the files and directories, and asks the processes to end. Threads that want to make others stop.
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
