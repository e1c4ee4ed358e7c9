//! Branches and tags by the commits they point at.

use std::collections::{BTreeSet, HashMap};

use bstr::{BString, ByteSlice, ByteVec};

use crate::{
    objects::ObjectId,
    repository::{
        open::repository::Repository,
        references::{names, packed::PeeledRefs},
        revisions::peel::peel,
    },
    sorting,
};

/// References read at most.
const MAX_REFS: usize = 1 << 20;

/// The references of a repository, to be found by the commits they point at.
#[derive(Default)]
pub struct RefsByCommit {
    /// Full names, without those found in `packed`.
    read: HashMap<ObjectId, Vec<BString>>,
    /// Packed references, and the names that are not taken from there.
    packed: Option<(PeeledRefs, BTreeSet<BString>)>,
}

impl RefsByCommit {
    /// Names of the branches and tags that point at `commit`, in order of their full names; tags as
    /// `tag NAME`.
    pub fn names_of(&self, commit: &ObjectId) -> Vec<BString> {
        let mut full = self.read.get(commit).cloned().unwrap_or_default();
        if let Some((packed, files)) = &self.packed {
            let packed = packed.names_of(commit).into_iter();
            let packed = packed.filter(|&name| names::is_valid(name) && !files.contains(name));
            full.extend(packed.take(MAX_REFS).map(BString::from));
            sorting::sort(&mut full);
        }
        full.iter().filter_map(|name| shown(name)).collect()
    }
}

impl Repository {
    /// The references of the repository. Unreadable ones are skipped; ends early once `stop`
    /// returns true.
    pub fn refs_by_commit(&self, stop: &dyn Fn() -> bool) -> RefsByCommit {
        let mut refs = RefsByCommit::default();
        let mut reader = self.reader();
        let mut references = self.references();
        refs.packed = references.peeled();
        let found = match &refs.packed {
            Some((_, files)) => {
                let names = files.iter().take_while(|_| !stop());
                let objects = names.filter_map(|name| {
                    let id = references.object(name.as_bstr())?;
                    Some((name.clone(), id))
                });
                objects.collect()
            }
            None => references.below("refs/".into()),
        };
        for (full, id) in found.into_iter().take(MAX_REFS) {
            if stop() {
                break;
            }
            if shown(&full).is_none() {
                continue;
            }
            let Ok(id) = peel(&mut reader, id) else {
                continue;
            };
            refs.read.entry(id).or_default().push(full);
        }
        refs
    }

    /// The short names of branches, tags and remote branches, in order.
    pub(crate) fn short_ref_names(&self) -> Vec<BString> {
        let mut references = self.references();
        let mut names = Vec::new();
        for prefix in ["refs/heads/", "refs/tags/", "refs/remotes/"] {
            let full = references.names(prefix.into());
            let short = full
                .iter()
                .filter_map(|name| name.strip_prefix(prefix.as_bytes()));
            names.extend(short.take(MAX_REFS).map(BString::from));
        }
        names
    }

    /// The commit that `HEAD` points at.
    pub fn head_commit(&self) -> Option<ObjectId> {
        self.references().object("HEAD".into())
    }
}

/// The display name of a branch or tag; `None` for other references.
fn shown(full: &[u8]) -> Option<BString> {
    if let Some(tag) = full.strip_prefix(b"refs/tags/") {
        let mut name = BString::from("tag ");
        name.push_str(tag);
        return Some(name);
    }
    let branch = full.strip_prefix(b"refs/heads/");
    let branch = branch.or_else(|| full.strip_prefix(b"refs/remotes/"))?;
    // A remote's HEAD repeats one of its branches.
    (!branch.ends_with(b"/HEAD")).then(|| branch.as_bstr().to_owned())
}
