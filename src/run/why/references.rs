//! Commits that messages name.

use std::sync::Arc;

use bstr::{BString, ByteSlice};

use crate::{
    error::{Error, Result},
    objects::ObjectId,
    output::{CommitProvider, repository_commits::RepositoryCommits, why::facts::ReferredCommit},
    repository::{Repository, revisions::resolver::RevisionResolver},
    viewer::model::texts::message_references::{self, MAX_SCANNED_LEN, MessageReference},
};

/// Most commits of one message.
const MAX_REFERENCES: usize = 5;

/// Most words of one message that may be ids.
const MAX_WORDS: usize = 50;

/// What stands before an id, in lower case, and what it says.
const RELATIONS: [(&str, &str); 8] = [
    ("reverts commit ", "reverts"),
    ("reverts ", "reverts"),
    ("cherry picked from commit ", "picked from"),
    ("fixes: ", "fixes"),
    ("fixes ", "fixes"),
    ("fixes commit ", "fixes"),
    ("reapplies ", "applies again"),
    ("reapplies commit ", "applies again"),
];

/// Finds the commits that messages name.
pub(super) struct ReferenceFinder<'a> {
    repository: &'a Arc<Repository>,
}

impl<'a> ReferenceFinder<'a> {
    pub(super) fn new(repository: &'a Arc<Repository>) -> ReferenceFinder<'a> {
        ReferenceFinder { repository }
    }

    /// The other commits of the repository that the message of `own` names, each once.
    ///
    /// # Errors
    ///
    /// If one of them cannot be read.
    pub(super) fn of_message(
        &mut self,
        message: &BString,
        own: &ObjectId,
        commits: &mut RepositoryCommits,
    ) -> Result<Vec<ReferredCommit>> {
        let message = &message[..message.len().min(MAX_SCANNED_LEN)];
        let mut found: Vec<ReferredCommit> = Vec::new();
        let places = message_references::find(message).into_iter();
        let places = places.filter(|(_, reference)| *reference == MessageReference::Id);
        let mut notes = Vec::new();
        let mut resolver = RevisionResolver::new(self.repository, &mut notes);
        for (place, _) in places.take(MAX_WORDS) {
            // One that is ambiguous, or no commit, says nothing.
            let word = message[place.clone()].as_bstr();
            let Some(commit) = resolver.commit(word).ok().flatten() else {
                continue;
            };
            if commit == *own || found.iter().any(|it| it.commit == commit) {
                continue;
            }
            let text = commits.text(&commit);
            let text = text.map_err(|err| Error::fatal(err.to_string()))?;
            let before = message[..place.start].to_ascii_lowercase();
            let relation = RELATIONS
                .iter()
                .find(|(words, _)| before.ends_with(words.as_bytes()));
            found.push(ReferredCommit {
                relation: relation.map_or("mentions", |(_, relation)| relation),
                commit,
                day: text.author.date().format("%Y-%m-%d").unwrap_or_default(),
                summary: text.summary.clone(),
            });
            if found.len() == MAX_REFERENCES {
                break;
            }
        }
        Ok(found)
    }
}
