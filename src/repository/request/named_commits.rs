//! The commits that the revisions of a command line lead to.

use std::collections::{HashMap, HashSet};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result},
    objects::ObjectId,
    repository::{
        open::repository::Repository,
        revisions::{
            arguments::Revision,
            peel::{peel_to_named_commit, unreadable_parent},
        },
    },
};

/// The revisions of a command line.
pub(super) struct NamedCommits<'a> {
    repository: &'a Repository,
    pub(super) all: Vec<Revision>,
    /// The objects of the negative ones.
    negated: HashSet<ObjectId>,
}

impl<'a> NamedCommits<'a> {
    pub(super) fn new(repository: &'a Repository, all: Vec<Revision>) -> NamedCommits<'a> {
        let negative = all.iter().filter(|revision| revision.negative);
        NamedCommits {
            repository,
            negated: negative.map(|revision| revision.id).collect(),
            all,
        }
    }

    /// Positive revisions whose object is not also given as negative.
    pub(super) fn positives(&self) -> Vec<&Revision> {
        let positive = self.all.iter().filter(|one| !one.negative);
        positive.filter(|one| !self.is_negated(one)).collect()
    }

    /// True if the same object is given as a negative revision.
    pub(super) fn is_negated(&self, revision: &Revision) -> bool {
        self.negated.contains(&revision.id)
    }

    /// The only commit to blame and its name; `None` if there is none.
    pub(super) fn single_positive(&self) -> Result<Option<(BString, ObjectId)>> {
        let mut found: Option<(BString, ObjectId)> = None;
        for revision in self.positives() {
            let id = self.commit(revision)?;
            if let Some((first, _)) = &found {
                return Err(more_than_one(
                    "dig from ",
                    revision.name.as_bstr(),
                    first.as_bstr(),
                ));
            }
            found = Some((revision.name.clone(), id));
        }
        Ok(found)
    }

    /// The commits of the negative revisions.
    pub(super) fn negatives(&self) -> Result<Vec<ObjectId>> {
        self.commits(self.all.iter().filter(|revision| revision.negative))
    }

    /// The commit that a revision leads to.
    pub(super) fn commit(&self, revision: &Revision) -> Result<ObjectId> {
        peel_to_named_commit(&mut self.repository.reader(), revision.id)?.ok_or_else(|| {
            let mut message = b"Non commit ".to_vec();
            message.push_str(&revision.name);
            message.push(b'?');
            Error::fatal(message)
        })
    }

    /// The commits that revisions lead to. Many references may lead to one object, which is read
    /// once.
    pub(super) fn commits<'r>(
        &self,
        revisions: impl Iterator<Item = &'r Revision>,
    ) -> Result<Vec<ObjectId>> {
        let mut reader = self.repository.reader();
        let (mut found, mut known) = (Vec::new(), HashMap::new());
        for revision in revisions {
            let commit = match known.get(&revision.id) {
                Some(commit) => *commit,
                None => peel_to_named_commit(&mut reader, revision.id)?,
            };
            // A parent of `A^!`, or an object that was replaced after it was taken for a commit.
            // git ignores other objects.
            if commit.is_none()
                && let Err(err) = reader.commit_head_only(&revision.id)
                && (err.is_absence() || reader.is_replaced(&revision.id))
            {
                let message = [b"unable to parse commit ", revision.name.as_slice()].concat();
                return Err(Error::fatal(message).after(vec![unreadable_parent(&err)]));
            }
            known.insert(revision.id, commit);
            found.extend(commit);
        }
        Ok(found)
    }
}

/// The error where only one commit can be meant.
pub(super) fn more_than_one(what: &str, second: &BStr, first: &BStr) -> Error {
    let mut message = b"More than one commit to ".to_vec();
    message.push_str(what);
    message.push_str(second);
    message.push_str(" and ");
    message.push_str(first);
    message.push(b'?');
    Error::fatal(message)
}
