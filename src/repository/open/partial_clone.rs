//! Fetching of objects that a partial clone lacks, by running `git fetch` on its promisor remotes.

use std::{
    collections::HashSet,
    ffi::OsString,
    fmt,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process::Stdio,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

use bstr::ByteSlice;

use crate::{
    error::Result,
    objects::{FetchedTrees, ObjectId, Promisor},
    repository::open::{environment::EnvironmentUse, promisor_remotes::PromisorRemotes},
    system::{
        self,
        leftovers::{self, Leftover},
    },
};

/// The beginning or the end of a fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchEvent {
    /// git was started.
    Began,
    /// git has ended; the reason if it failed, as git words it.
    Ended(Option<String>),
}

/// Is told of all fetches, on the threads that wait for them.
pub type FetchObserver = Box<dyn Fn(FetchEvent) + Send + Sync>;

/// Runs git to fetch missing objects.
pub(crate) struct PartialClone {
    git_dir: PathBuf,
    remotes: Vec<PromisorRemote>,
    /// Objects that no remote had, not to be asked for again.
    refused: Mutex<HashSet<ObjectId>>,
    observer: OnceLock<FetchObserver>,
}

#[derive(Debug)]
struct PromisorRemote {
    name: OsString,
    sends_trees_alone: bool,
}

impl fmt::Debug for PartialClone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartialClone")
            .field("git_dir", &self.git_dir)
            .field("remotes", &self.remotes)
            .finish_non_exhaustive()
    }
}

impl PartialClone {
    /// For `remotes` of the repository in `git_dir`; `None` without any, or with
    /// `GIT_NO_LAZY_FETCH`.
    ///
    /// # Errors
    ///
    /// If that variable is no boolean.
    pub(crate) fn new(git_dir: &Path, remotes: &PromisorRemotes) -> Result<Option<PartialClone>> {
        // Applies in the library too: the processes that fetch inherit the environment.
        let off = EnvironmentUse::Apply.boolean("GIT_NO_LAZY_FETCH")?;
        if off == Some(true) || remotes.names.is_empty() {
            return Ok(None);
        }
        let names = remotes.names.iter().map(|name| PromisorRemote {
            name: name.to_os_str_lossy().into_owned(),
            sends_trees_alone: remotes.without_trees.contains(name),
        });
        Ok(Some(PartialClone {
            git_dir: git_dir.to_owned(),
            remotes: names.collect(),
            refused: Mutex::default(),
            observer: OnceLock::new(),
        }))
    }

    /// Tells `observer` of all fetches from now on. What git writes does not go to the terminal
    /// then.
    pub(crate) fn observe(&self, observer: FetchObserver) {
        // There is one viewer.
        let _ = self.observer.set(observer);
    }

    /// Fetches from one remote.
    ///
    /// # Errors
    ///
    /// The reason, as git words it if it does.
    fn fetch_from(
        &self,
        remote: &PromisorRemote,
        ids: &[ObjectId],
        trees: FetchedTrees,
    ) -> std::result::Result<(), String> {
        // Objects that are asked for are sent in spite of the filter.
        let filter = match trees {
            FetchedTrees::Alone if remote.sends_trees_alone => "--filter=tree:0",
            _ => "--filter=blob:none",
        };
        let mut command = system::command("git");
        command
            .env("GIT_DIR", &self.git_dir)
            .args(["-c", "fetch.negotiationAlgorithm=noop", "fetch"])
            .arg(&remote.name)
            .args(["--no-tags", "--no-write-fetch-head"])
            .args(["--recurse-submodules=no", "--no-auto-maintenance"])
            .args([filter, "--stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        if self.observer.get().is_some() {
            // Nobody would see the question.
            command.env("GIT_TERMINAL_PROMPT", "0");
            command.stderr(Stdio::piped());
        } else if trees == FetchedTrees::Alone || ids.len() > 1 && !io::stderr().is_terminal() {
            // A failure is reported for the first object that cannot be had by itself.
            command.stderr(Stdio::null());
        }
        let not_run = |error: io::Error| error.to_string();
        let started = leftovers::track(|| command.spawn(), |it| Leftover::Process(it.id()));
        let (mut child, _tracking) = started.map_err(not_run)?;
        if let Some(mut stdin) = child.stdin.take() {
            // If git does not read its input it has failed, which its status shows.
            let ids: String = ids.iter().map(|id| format!("{id}\n")).collect();
            stdin.write_all(ids.as_bytes()).ok();
        }
        let output = child.wait_with_output().map_err(not_run)?;
        if output.status.success() {
            Ok(())
        } else {
            Err(reason(&output.stderr))
        }
    }
}

/// The line of git's messages that says most.
fn reason(stderr: &[u8]) -> String {
    let mut lines = stderr.lines().rev().filter(|line| !line.is_empty());
    let fatal = stderr.lines().find(|line| line.starts_with(b"fatal: "));
    let line = fatal.or_else(|| lines.next()).unwrap_or_default();
    String::from_utf8_lossy(line).into_owned()
}

impl Promisor for PartialClone {
    fn fetch(&self, ids: &[ObjectId], trees: FetchedTrees) -> bool {
        let mut refused = lock(&self.refused);
        if ids.iter().any(|id| refused.contains(id)) {
            return false;
        }
        let notify = |event| {
            if let Some(observer) = self.observer.get() {
                observer(event);
            }
        };
        notify(FetchEvent::Began);
        let mut failure = None;
        let fetched = self.remotes.iter().any(|remote| {
            let fetched = self.fetch_from(remote, ids, trees);
            fetched.map_err(|reason| failure = Some(reason)).is_ok()
        });
        // Of several objects, those that cannot be had are asked for one by one.
        let is_final = !fetched && ids.len() == 1;
        notify(FetchEvent::Ended(failure.filter(|_| is_final)));
        if let ([id], false) = (ids, fetched) {
            refused.insert(*id);
        }
        fetched
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
