//! An open repository that serves blames.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use bstr::{BString, ByteSlice};

use super::error::{Error, ErrorKind, Result};
use crate::{
    cache::CacheSettings,
    engine::{Engine, default_threads},
    error::os_message,
    repository::{
        self,
        commits::commit_texts::{CommitTexts, PseudoCommit},
        open::{environment::EnvironmentUse, search::OpenAt},
    },
};

/// An open git repository.
///
/// It can be shared between threads, and clones are cheap and share it. Each blame takes the caches
/// of an earlier one that has finished, if there is one, so blaming many files of a repository is
/// faster through one `Repository` than through several.
///
/// Revisions, the index and the work tree are read anew by each blame. Configuration, attributes
/// outside of the work tree and the mailmap are read once; open the repository anew when they
/// change. The object database is reopened when packs were added or removed in its own object
/// directory, not in alternates.
#[derive(Clone)]
pub struct Repository {
    shared: Arc<Shared>,
}

struct Shared {
    directory: PathBuf,
    location: OpenAt,
    environment: EnvironmentUse,
    cache: Option<CacheSettings>,
    opened: Mutex<Arc<Opened>>,
}

/// The repository as opened with the packs of that time; replaced when packs were added or removed.
pub(super) struct Opened {
    pub(super) repository: Arc<repository::Repository>,
    /// Warnings of opening it.
    pub(super) notes: Vec<BString>,
    packs_modified: Option<SystemTime>,
    /// Sessions not in use.
    sessions: Mutex<Vec<Session>>,
}

/// An engine and commit texts with their caches: used by one blame at a time, and then by the next.
pub(super) struct Session {
    pub(super) engine: Engine,
    pub(super) texts: CommitTexts,
}

impl Repository {
    /// Opens the repository that contains `path`, a directory or a file, as git does.
    ///
    /// Environment variables that git reads (`GIT_DIR`, `GIT_CONFIG_COUNT` …) are ignored, as they
    /// may name another repository; see [`from_environment`](Repository::from_environment).
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/library/example.rs"));
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = example_repository();
    /// # let path = directory.path();
    /// let repository = tblame::Repository::discover(path.join("src"))?;
    /// assert_eq!(repository.work_tree(), Some(path.canonicalize()?));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoRepository`] if there is none, [`ErrorKind::Open`] if it cannot be opened.
    pub fn discover(path: impl AsRef<Path>) -> Result<Repository> {
        Repository::new(path.as_ref(), OpenAt::OrAbove, EnvironmentUse::Ignore)
    }

    /// Opens the repository at `path`: a work tree with `.git`, or a bare repository. Directories
    /// above are not searched. Environment variables that git reads are ignored.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoRepository`] if there is none, [`ErrorKind::Open`] if it cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Repository> {
        Repository::new(path.as_ref(), OpenAt::Exactly, EnvironmentUse::Ignore)
    }

    /// Opens the repository that git would use in `directory` with the environment of this process:
    /// for hooks, and for other programs that git starts.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoRepository`] if there is none, [`ErrorKind::Open`] if it cannot be opened.
    pub fn from_environment(directory: impl AsRef<Path>) -> Result<Repository> {
        Repository::new(directory.as_ref(), OpenAt::OrAbove, EnvironmentUse::Apply)
    }

    fn new(path: &Path, location: OpenAt, environment: EnvironmentUse) -> Result<Repository> {
        let directory = path.canonicalize().map_err(|err| {
            let message = format!("{}: {}", path.display(), os_message(&err));
            Error::new(ErrorKind::NoRepository, message)
        })?;
        let directory = match (location, directory.parent()) {
            (OpenAt::OrAbove, Some(parent)) if directory.is_file() => parent.to_owned(),
            _ => directory,
        };
        let opened = Opened::new(&directory, location, environment)?;
        Ok(Repository {
            shared: Arc::new(Shared {
                directory,
                location,
                environment,
                cache: None,
                opened: Mutex::new(Arc::new(opened)),
            }),
        })
    }

    /// The same repository with kept blames.
    pub(super) fn with_settings(&self, cache: CacheSettings) -> Repository {
        let Shared {
            directory,
            location,
            environment,
            opened,
            ..
        } = &*self.shared;
        Repository {
            shared: Arc::new(Shared {
                directory: directory.clone(),
                location: *location,
                environment: *environment,
                cache: Some(cache),
                opened: Mutex::new(Arc::clone(&lock(opened))),
            }),
        }
    }

    /// The settings for kept blames; `None` if none are kept.
    pub(super) fn cache(&self) -> Option<&CacheSettings> {
        self.shared.cache.as_ref()
    }

    /// The root of the work tree; `None` if the repository is bare.
    pub fn work_tree(&self) -> Option<PathBuf> {
        let opened = lock(&self.shared.opened);
        opened.repository.paths().work_tree.clone()
    }

    /// The `.git` directory of the work tree, or the bare repository.
    pub fn git_dir(&self) -> PathBuf {
        let opened = lock(&self.shared.opened);
        opened.repository.git_dir().to_owned()
    }

    /// Frees the caches of commits, versions and texts that no blame is using. The delta-base cache
    /// is kept.
    pub fn clear_caches(&self) {
        let opened = lock(&self.shared.opened);
        lock(&opened.sessions).clear();
    }

    /// The open repository; reopens it if packs were added or removed.
    pub(super) fn current(&self) -> Result<Arc<Opened>> {
        let mut opened = lock(&self.shared.opened);
        if opened.packs_modified != packs_modified(&opened.repository) {
            let Shared {
                directory,
                location,
                environment,
                ..
            } = &*self.shared;
            *opened = Arc::new(Opened::new(directory, *location, *environment)?);
        }
        Ok(Arc::clone(&opened))
    }
}

impl fmt::Debug for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repository")
            .field("git_dir", &self.git_dir())
            .finish_non_exhaustive()
    }
}

impl Opened {
    fn new(directory: &Path, location: OpenAt, environment: EnvironmentUse) -> Result<Opened> {
        let mut notes = Vec::new();
        let check = &|_: &str, _: &_, _: &mut _| Ok(());
        let opened =
            repository::Repository::open_at(directory, location, environment, check, &mut notes);
        let opened = opened.map_err(Error::of_open)?.at_root();
        // What git has to say of a fetch is not written to standard error.
        opened.observe_fetches(Box::new(|_| ()));
        Ok(Opened {
            packs_modified: packs_modified(&opened),
            repository: Arc::new(opened),
            notes,
            sessions: Mutex::default(),
        })
    }

    /// A session with warm caches, or else a new one.
    pub(super) fn session(&self, threads: Option<usize>) -> Session {
        let threads = threads.unwrap_or_else(default_threads);
        let known = lock(&self.sessions).pop();
        // Caches of what was read without care may be wrong.
        let known = known.filter(|_| !self.repository.store().is_careful());
        let mut session = known.unwrap_or_else(|| Session {
            engine: Engine::new(Arc::clone(self.repository.store()), threads),
            texts: CommitTexts::new(Arc::clone(&self.repository), None, PseudoCommit::default()),
        });
        session.engine.set_threads(threads);
        session
    }

    /// Keeps a session for the next blame.
    pub(super) fn give_back(&self, session: Session) {
        lock(&self.sessions).push(session);
    }
}

/// When packs were last added or removed.
fn packs_modified(repository: &repository::Repository) -> Option<SystemTime> {
    let directory = repository.objects_directory().join("pack");
    directory.metadata().ok()?.modified().ok()
}

/// A path as git writes it: with slashes on every system.
pub(super) fn path_bytes(path: &Path) -> BString {
    let bytes = path.as_os_str().as_encoded_bytes();
    match std::path::MAIN_SEPARATOR {
        '\\' => bytes.replace(b"\\", b"/").into(),
        _ => bytes.into(),
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
