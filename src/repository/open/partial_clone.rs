//! Lazy fetching of objects that a partial clone lacks, by running `git fetch` on its promisor remotes.

use std::{
    collections::HashSet,
    ffi::OsString,
    io::Write,
    path::PathBuf,
    process::Stdio,
    sync::{Mutex, MutexGuard, PoisonError},
};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    error::Result,
    leftovers::{self, Leftover},
    objects::{ObjectId, Promisor},
    repository::open::{environment::EnvironmentUse, promisor_remotes::PromisorRemotes},
    system,
};

/// Runs git to fetch missing objects.
#[derive(Debug)]
pub(crate) struct PartialClone {
    git_dir: PathBuf,
    remotes: Vec<OsString>,
    /// Objects that no remote had, not to be asked for again.
    refused: Mutex<HashSet<ObjectId>>,
    /// The history that the next blame reads.
    expected: Mutex<Option<FileHistory>>,
}

/// A file's history.
#[derive(Debug)]
struct FileHistory {
    heads: Vec<ObjectId>,
    path: BString,
}

impl PartialClone {
    /// For `remotes` of `gix`; `None` without any, or with `GIT_NO_LAZY_FETCH`.
    ///
    /// # Errors
    ///
    /// If that variable is no boolean.
    pub(crate) fn new(
        gix: &gix::Repository,
        remotes: &PromisorRemotes,
    ) -> Result<Option<PartialClone>> {
        // Applies in the library too: the processes that fetch inherit the environment.
        let off = EnvironmentUse::Apply.boolean("GIT_NO_LAZY_FETCH")?;
        let git_dir = gix.git_dir().canonicalize().ok();
        let Some(git_dir) = git_dir.filter(|_| off != Some(true) && !remotes.names.is_empty())
        else {
            return Ok(None);
        };
        Ok(Some(PartialClone {
            git_dir,
            remotes: remotes
                .names
                .iter()
                .map(|name| name.to_os_str_lossy().into_owned())
                .collect(),
            refused: Mutex::default(),
            expected: Mutex::default(),
        }))
    }

    /// Announces that the versions of `path` in the history of `heads` will be read: the first that
    /// is missing is fetched together with all other missing ones.
    pub(crate) fn expect(&self, heads: &[ObjectId], path: &BStr) {
        let history = FileHistory {
            heads: heads.to_vec(),
            path: path.to_owned(),
        };
        *lock(&self.expected) = Some(history);
    }

    /// The missing blobs of a history, as `git rev-list --missing=print` lists them.
    fn missing(&self, history: &FileHistory) -> Vec<ObjectId> {
        let listed = system::command("git")
            .current_dir(&self.git_dir)
            .env("GIT_DIR", &self.git_dir)
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_LITERAL_PATHSPECS", "1")
            .args(["rev-list", "--objects", "--missing=print"])
            .args(history.heads.iter().map(ToString::to_string))
            .arg("--")
            .arg(history.path.to_os_str_lossy())
            .stderr(Stdio::null())
            .output();
        let listed = listed.map(|output| output.stdout).unwrap_or_default();
        let ids = listed.lines().filter_map(|line| line.strip_prefix(b"?"));
        ids.filter_map(|id| ObjectId::from_hex(id).ok()).collect()
    }

    fn fetch_from(&self, remote: &OsString, ids: &[ObjectId]) -> bool {
        let mut command = system::command("git");
        command
            .env("GIT_DIR", &self.git_dir)
            .args(["-c", "fetch.negotiationAlgorithm=noop", "fetch"])
            .arg(remote)
            .args(["--no-tags", "--no-write-fetch-head"])
            .args(["--recurse-submodules=no", "--filter=blob:none", "--stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        let started = leftovers::track(|| command.spawn(), |it| Leftover::Process(it.id()));
        let Ok((mut child, _tracking)) = started else {
            return false;
        };
        if let Some(mut stdin) = child.stdin.take() {
            // If git does not read its input it has failed, which its status shows.
            let ids: String = ids.iter().map(|id| format!("{id}\n")).collect();
            stdin.write_all(ids.as_bytes()).ok();
        }
        child.wait().is_ok_and(|status| status.success())
    }
}

impl Promisor for PartialClone {
    fn fetch(&self, id: &ObjectId) -> bool {
        let mut refused = lock(&self.refused);
        if refused.contains(id) {
            return false;
        }
        let fetch = |ids: &[ObjectId]| {
            let mut remotes = self.remotes.iter();
            remotes.any(|remote| self.fetch_from(remote, ids))
        };
        let expected = lock(&self.expected).take();
        let together = expected.map(|history| self.missing(&history));
        let together = together.filter(|ids| ids.len() > 1 && ids.contains(id));
        let fetched = together.is_some_and(|ids| fetch(&ids)) || fetch(&[*id]);
        if !fetched {
            refused.insert(*id);
        }
        fetched
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
