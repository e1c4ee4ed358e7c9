//! References by the commits they point at.

use std::collections::HashMap;

use bstr::{BString, ByteSlice, ByteVec};

use crate::{
    objects::ObjectId,
    repository::{open::repository::Repository, revisions::peel::peel},
};

/// References read at most.
const MAX_REFS: usize = 1 << 20;

impl Repository {
    /// Names of branches and tags by the commit they point at; tags as `tag NAME`. Unreadable
    /// references are skipped; ends early once `stop` returns true.
    pub fn refs_by_commit(&self, stop: &dyn Fn() -> bool) -> HashMap<ObjectId, Vec<BString>> {
        let mut refs: HashMap<ObjectId, Vec<BString>> = HashMap::new();
        let mut reader = self.reader();
        let references = self.references().below("refs/".into());
        for (full, id) in references.into_iter().take(MAX_REFS) {
            if stop() {
                break;
            }
            let Some(name) = shown(&full) else { continue };
            let Ok(id) = peel(&mut reader, id) else {
                continue;
            };
            refs.entry(id).or_default().push(name);
        }
        refs
    }

    /// The short names of branches, tags and remote branches, in order.
    pub(crate) fn short_ref_names(&self) -> Vec<BString> {
        let mut names = Vec::new();
        for prefix in ["refs/heads/", "refs/tags/", "refs/remotes/"] {
            let full = self.references().names(prefix.into());
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
