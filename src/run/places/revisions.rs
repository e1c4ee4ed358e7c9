//! The revisions that names such as `v1.0:src/main.c` begin with, as `git grep` writes them.

use std::{collections::HashMap, sync::Arc};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    objects::ObjectId,
    repository::{Repository, revisions::resolver::RevisionResolver},
    run::places::place_file::NamedRevision,
};

/// A longer name is no revision.
const MAX_NAME: usize = 256;

/// Most names that are remembered. Beyond that, all are resolved again.
const MAX_NAMES: usize = 1 << 12;

/// Most names with operators such as `~` that are resolved, each of which may be a walk through
/// history. Further ones are no revisions.
const MAX_WALKS: usize = 256;

/// Resolves the names of revisions.
pub(super) struct RevisionNames {
    repository: Arc<Repository>,
    known: HashMap<BString, Option<ObjectId>>,
    walks_left: usize,
}

impl RevisionNames {
    pub(super) fn new(repository: &Arc<Repository>) -> RevisionNames {
        RevisionNames {
            repository: Arc::clone(repository),
            known: HashMap::new(),
            walks_left: MAX_WALKS,
        }
    }

    /// The revision before the first colon of a name, and what follows it.
    pub(super) fn split<'a>(&mut self, name: &'a BStr) -> Option<(NamedRevision, &'a BStr)> {
        let (revision, path) = name.split_once_str(":")?;
        let commit = self.commit(revision.as_bstr())?;
        let name = revision.into();
        Some((NamedRevision { name, commit }, path.as_bstr()))
    }

    fn commit(&mut self, name: &BStr) -> Option<ObjectId> {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        // A search through all messages, as of `HEAD^{/text}`, is nothing that a text may start.
        let is_odd = |byte: &u8| byte.is_ascii_control() || b" -/".contains(byte);
        let is_possible = name.len() <= MAX_NAME
            && !name.first().is_none_or(is_odd)
            && !name
                .iter()
                .any(|byte| byte.is_ascii_control() || *byte == b' ')
            && !name.contains_str("{/");
        if !is_possible {
            return None;
        }
        if name.find_byteset(b"~^@").is_some() {
            self.walks_left = self.walks_left.checked_sub(1)?;
        }
        let mut notes = Vec::new();
        let mut resolver = RevisionResolver::new(&self.repository, &mut notes);
        let commit = resolver.commit(name).ok().flatten();
        if self.known.len() >= MAX_NAMES {
            self.known.clear();
        }
        self.known.insert(name.to_owned(), commit);
        commit
    }
}
