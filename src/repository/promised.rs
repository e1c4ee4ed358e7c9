//! Objects that a partial clone left out: git fetches them from the remotes that promised them.

use std::{
    collections::HashSet,
    env,
    ffi::OsString,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
};

use bstr::{BString, ByteSlice};

use super::settings::boolean;
use crate::objects::{ObjectId, Promisor};

/// Calls git to fetch.
#[derive(Debug)]
pub(super) struct Promised {
    git_dir: PathBuf,
    remotes: Vec<OsString>,
    /// What no remote had is not asked for again.
    refused: Mutex<HashSet<ObjectId>>,
}

impl Promised {
    /// The remotes of `gix` that have promised objects, unless fetching is switched off.
    pub(super) fn new(gix: &gix::Repository) -> Option<Promised> {
        let off = env::var_os("GIT_NO_LAZY_FETCH")
            .is_some_and(|value| boolean(value.as_encoded_bytes()) != Some(false));
        let remotes = remotes(gix);
        if off || remotes.is_empty() {
            return None;
        }
        Some(Promised {
            git_dir: gix.git_dir().canonicalize().ok()?,
            remotes: remotes
                .iter()
                .map(|name| name.to_os_str_lossy().into_owned())
                .collect(),
            refused: Mutex::default(),
        })
    }

    fn fetch_from(&self, remote: &OsString, id: &ObjectId) -> bool {
        let child = Command::new("git")
            .env("GIT_DIR", &self.git_dir)
            .args(["-c", "fetch.negotiationAlgorithm=noop", "fetch"])
            .arg(remote)
            .args(["--no-tags", "--no-write-fetch-head"])
            .args(["--recurse-submodules=no", "--filter=blob:none", "--stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn();
        let Ok(mut child) = child else { return false };
        if let Some(mut stdin) = child.stdin.take() {
            // A git that does not read has failed, and says so by its status.
            stdin.write_all(format!("{id}\n").as_bytes()).ok();
        }
        child.wait().is_ok_and(|status| status.success())
    }
}

impl Promisor for Promised {
    fn fetch(&self, id: &ObjectId) -> bool {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.contains(id) {
            return false;
        }
        let fetched = self
            .remotes
            .iter()
            .any(|remote| self.fetch_from(remote, id));
        if !fetched {
            refused.insert(*id);
        }
        fetched
    }
}

/// The names of the remotes that have promised objects, in the order in which git asks them.
fn remotes(gix: &gix::Repository) -> Vec<BString> {
    let config = gix.config_snapshot();
    let main = config.string("extensions.partialClone");
    let main = main.as_deref().map(|name| BString::from(name.to_vec()));
    let mut names: Vec<BString> = Vec::new();
    let sections = config.plumbing().sections_by_name("remote");
    for section in sections.into_iter().flatten() {
        let Some(name) = section.header().subsection_name() else {
            continue;
        };
        let promises = section.value("promisor");
        let promises = promises.is_some_and(|value| boolean(&value) == Some(true))
            || section.value("partialCloneFilter").is_some();
        if promises
            && main.as_ref().map(|main| main.as_bstr()) != Some(name)
            && !names.iter().any(|n| n == name)
        {
            names.push(name.to_owned());
        }
    }
    names.extend(main.filter(|name| !name.is_empty()));
    names
}
