//! Resolves names of objects (gitrevisions(7)).

use std::{collections::HashMap, sync::Arc};

use bstr::{BStr, BString};

use crate::{
    error::Result,
    objects::{CommitHead, ObjectId, ObjectKind, Reader},
    repository::{
        open::{grafts::Grafts, repository::Repository},
        references::References,
        revisions::peel::{damaged, peel_to_commit},
    },
};

/// Resolves names of objects in one repository.
pub struct RevisionResolver<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) reader: Reader,
    pub(crate) references: References,
    /// Short reference names already looked up.
    pub(super) known: HashMap<BString, KnownName>,
    /// Overriding parents, followed by `~`, `^` and `:/`.
    pub(super) grafts: Arc<Grafts>,
    /// Warnings, and the errors that git prints before the fatal one.
    pub(crate) notes: &'a mut Vec<BString>,
    /// The objects that ambiguous abbreviated ids are resolved to.
    pub(super) preference: Preference,
    /// Parsing a commit adds the advice about grafts to `notes`, as git prints it then.
    pub(super) prints_advice: bool,
    /// Commit heads read while resolving; a bounded number.
    pub(super) heads: Vec<(ObjectId, CommitHead)>,
}

/// Which objects an ambiguous abbreviated id prefers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Preference {
    /// None of them.
    Nothing,
    /// Commits, and tags of commits.
    Commits,
    /// Commits themselves.
    CommitsAlone,
    /// Trees, and what leads to trees.
    Trees,
}

/// The outcome of looking up a short name.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownName {
    /// The object of the first rule that matches.
    pub(super) id: Option<ObjectId>,
    /// How many rules match.
    pub(super) count: usize,
    /// Warnings about references that do not lead to an object.
    pub(super) notes: Vec<BString>,
}

impl<'a> RevisionResolver<'a> {
    /// A resolver that adds warnings to `notes`.
    pub fn new(repository: &'a Repository, notes: &'a mut Vec<BString>) -> Self {
        RevisionResolver {
            references: repository.references(),
            reader: repository.reader(),
            grafts: Arc::clone(repository.grafts()),
            repository,
            known: HashMap::new(),
            notes,
            preference: Preference::Nothing,
            prints_advice: false,
            heads: Vec::new(),
        }
    }

    /// The same with other overriding parents.
    pub(crate) fn with_grafts(mut self, grafts: &Arc<Grafts>) -> Self {
        self.grafts = Arc::clone(grafts);
        self
    }

    /// True if `word` resolves to an existing object: a revision, not a file. Warnings about it
    /// are added when it is resolved again, or now if it will not be.
    ///
    /// # Errors
    ///
    /// Where git ends.
    pub fn names_object(&mut self, word: &BStr, is_resolved_again: bool) -> Result<bool> {
        let noted = self.notes.len();
        let found = self.object(word);
        let named = match &found {
            Ok(Some(id)) => matches!(self.kind(id), Ok(Some(_))),
            Ok(None) | Err(_) => false,
        };
        if found.is_ok() && is_resolved_again {
            self.notes.truncate(noted);
        }
        found.map(|_| named)
    }

    /// Resolves `word` to a commit; an ambiguous abbreviated id may match only one commit.
    ///
    /// # Errors
    ///
    /// Where git ends, and if an object cannot be read.
    pub fn commit(&mut self, word: &BStr) -> Result<Option<ObjectId>> {
        match self.committish(word)? {
            Some(id) => peel_to_commit(&mut self.reader, id),
            None => Ok(None),
        }
    }

    /// Resolves `name` where only a committish is valid, which disambiguates abbreviated ids.
    pub(super) fn committish(&mut self, name: &BStr) -> Result<Option<ObjectId>> {
        self.preferring(Preference::Commits, |this| this.object(name))
    }

    pub(super) fn preferring<T>(
        &mut self,
        preference: Preference,
        resolve: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = std::mem::replace(&mut self.preference, preference);
        let resolved = resolve(self);
        self.preference = before;
        resolved
    }

    /// Adds the advice about grafts: called where git first parses a commit, and prints it.
    pub(super) fn note_grafts(&mut self) {
        if self.prints_advice {
            self.repository.note_grafts(self.notes);
        }
    }

    pub(super) fn kind(&mut self, id: &ObjectId) -> Result<Option<ObjectKind>> {
        self.reader.kind(id).map_err(damaged)
    }
}
