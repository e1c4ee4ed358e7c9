//! Gives the output formats access to the repository's commits.

use std::{ops::Range, sync::Arc};

use bstr::{BStr, BString};

use crate::{
    objects::{CommitTable, ObjectId},
    output::commit_provider::{CommitProvider, ProviderError},
    repository::{
        agents::{agent::AgentLines, finder::AgentFinder, signature::CommitSignature},
        commits::{cached_texts::CachedTexts, commit_text::CommitText, commit_texts::CommitTexts},
        provenance::finder::{Arrival, KnownHeads, ProvenanceFinder},
    },
};

/// The texts of commits, what brought them, and the agents that wrote lines of them.
pub(crate) struct RepositoryCommits {
    texts: CommitTexts,
    provenance: ProvenanceFinder,
    agents: AgentFinder,
}

impl RepositoryCommits {
    pub(crate) fn new(
        texts: CommitTexts,
        provenance: ProvenanceFinder,
        agents: AgentFinder,
    ) -> RepositoryCommits {
        RepositoryCommits {
            texts,
            provenance,
            agents,
        }
    }

    /// Takes what a kept blame has of commits in place of their objects.
    pub(crate) fn set_cached_texts(&mut self, texts: Arc<CachedTexts>) {
        self.texts.set_cached(texts);
    }

    /// Adds what is read of commits to `texts`, for the cache.
    pub(crate) fn add_texts_to(&mut self, texts: Arc<CachedTexts>) {
        self.texts.add_to(texts);
    }

    /// Commits that were read before, as they are stored.
    pub(crate) fn set_known(&mut self, known: KnownHeads) {
        self.provenance.set_known(known);
    }

    /// Reads the history so that it can be remembered.
    pub(crate) fn set_kept(&mut self) {
        self.provenance.set_kept();
    }

    /// What was read of the history: [`ProvenanceFinder::commits_read`].
    pub(crate) fn commits_read(&self) -> Option<(&impl CommitTable, usize)> {
        self.provenance.commits_read()
    }

    /// Reads the references that releases are found by.
    pub(crate) fn read_references(&mut self) {
        self.provenance.read_references();
    }

    /// Lets a second thread begin to read what [`read_history`](Self::read_history) reads.
    pub(crate) fn begin_history(&mut self) {
        self.provenance.begin();
    }

    /// Reads what questions for the releases and merges of commits need. What cannot be read is an
    /// error of the question.
    pub(crate) fn read_history(&mut self, commits: &[ObjectId]) {
        self.provenance.read_history(commits, &|| false);
    }

    /// Forgets the texts without freeing them, at the end of the process.
    pub(crate) fn leak_texts(&mut self) {
        self.texts.leak();
    }

    pub(crate) fn take_notes(&mut self) -> Vec<BString> {
        self.texts.take_notes()
    }
}

impl CommitProvider for RepositoryCommits {
    fn text(&mut self, id: &ObjectId) -> Result<Arc<CommitText>, ProviderError> {
        Ok(self.texts.get(id)?)
    }

    fn text_once(&mut self, id: &ObjectId) -> Result<Arc<CommitText>, ProviderError> {
        Ok(self.texts.get_once(id)?)
    }

    fn unique_len(&mut self, id: &ObjectId, at_least: usize) -> Result<usize, ProviderError> {
        Ok(self.texts.reader().unique_len(id, at_least)?)
    }

    fn packed_object_count(&mut self) -> Result<u64, ProviderError> {
        Ok(self.texts.reader().packed_object_count()?)
    }

    fn co_authors(&mut self, message: &BStr) -> Vec<(BString, BString)> {
        self.texts.co_authors(message)
    }

    fn release(&mut self, id: &ObjectId) -> Result<Option<BString>, ProviderError> {
        if id.is_null() {
            Ok(None)
        } else {
            Ok(self.provenance.release(id, &|| false)?)
        }
    }

    fn arrival(&mut self, id: &ObjectId) -> Result<Arrival, ProviderError> {
        if id.is_null() {
            Ok(Arrival::default())
        } else {
            Ok(self.provenance.arrival(id, &|| false)?)
        }
    }

    fn agents(
        &mut self,
        id: &ObjectId,
        path: &BStr,
        lines: Range<u32>,
    ) -> Result<Vec<AgentLines>, ProviderError> {
        if id.is_null() {
            return Ok(Vec::new());
        }
        let text = self.texts.get(id)?;
        let signature = CommitSignature {
            name: &text.author.name,
            mail: text.author.address(),
            message: &text.message,
        };
        Ok(self.agents.lines(id, path, lines, signature))
    }
}
