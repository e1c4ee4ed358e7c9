//! The interface through which formats get commit metadata.

use std::{error, ops::Range, sync::Arc};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    objects::ObjectId,
    repository::{
        agents::agent::AgentLines,
        commits::{commit_text::CommitText, line_counts::CommitAuthors, trailers},
        provenance::finder::Arrival,
    },
};

/// An error of an implementation of [`CommitProvider`].
pub type ProviderError = Box<dyn error::Error + Send + Sync>;

/// Commit metadata that the formats need from the repository.
pub trait CommitProvider {
    /// The metadata of a commit, after mailmap and re-encoding. The null id stands for uncommitted
    /// changes; its metadata are synthesized.
    fn text(&mut self, id: &ObjectId) -> Result<Arc<CommitText>, ProviderError>;

    /// As [`text`](Self::text), for a format that needs each commit once: the text need not be
    /// kept.
    fn text_once(&mut self, id: &ObjectId) -> Result<Arc<CommitText>, ProviderError> {
        self.text(id)
    }

    /// The length in hex digits, `at_least` or more, of the shortest unique abbreviation of `id`.
    /// At most the length of a full id.
    fn unique_len(&mut self, id: &ObjectId, at_least: usize) -> Result<usize, ProviderError>;

    /// The number of packed objects, including alternates; determines the default abbreviation.
    fn packed_object_count(&mut self) -> Result<u64, ProviderError>;

    /// Names and addresses of a message's co-authors, after mailmap; addresses without angle
    /// brackets, and empty where there is none.
    fn co_authors(&mut self, message: &BStr) -> Vec<(BString, BString)> {
        trailers::co_authors(message)
    }

    /// Who made a commit.
    fn authors(&mut self, id: &ObjectId) -> Result<CommitAuthors, ProviderError> {
        let text = self.text(id)?;
        let co_authors = self.co_authors(text.message.as_bstr());
        Ok(CommitAuthors::new(&text, co_authors))
    }

    /// The first release that contains a commit; `None` if none does, and for uncommitted changes.
    fn release(&mut self, _id: &ObjectId) -> Result<Option<BString>, ProviderError> {
        Ok(None)
    }

    /// The merge and the request that brought a commit.
    fn arrival(&mut self, _id: &ObjectId) -> Result<Arrival, ProviderError> {
        Ok(Arrival::default())
    }

    /// The parts that agents wrote of some lines (0-based, half-open) of a file as it is in a
    /// commit.
    fn agents(
        &mut self,
        _id: &ObjectId,
        _path: &BStr,
        _lines: Range<u32>,
    ) -> Result<Vec<AgentLines>, ProviderError> {
        Ok(Vec::new())
    }
}
