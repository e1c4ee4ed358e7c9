//! Gives the output formats access to the repository's commits.

use std::sync::Arc;

use bstr::BString;

use crate::{
    objects::ObjectId,
    output::{CommitProvider, ProviderError},
    repository::commits::{commit_text::CommitText, commit_texts::CommitTexts},
};

pub(super) struct RepositoryCommits {
    texts: CommitTexts,
}

impl RepositoryCommits {
    pub(super) fn new(texts: CommitTexts) -> RepositoryCommits {
        RepositoryCommits { texts }
    }

    pub(super) fn take_notes(&mut self) -> Vec<BString> {
        self.texts.take_notes()
    }
}

impl CommitProvider for RepositoryCommits {
    fn text(&mut self, id: &ObjectId) -> Result<Arc<CommitText>, ProviderError> {
        Ok(self.texts.get(id)?)
    }

    fn unique_len(&mut self, id: &ObjectId, at_least: usize) -> usize {
        self.texts.reader().unique_len(id, at_least)
    }

    fn packed_object_count(&mut self) -> u64 {
        self.texts.reader().packed_object_count()
    }
}
