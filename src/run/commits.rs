//! What the formats ask of the repository.

use std::sync::Arc;

use bstr::BString;

use crate::{
    objects::ObjectId,
    output::{Commits, ProviderError},
    repository::commits::{commit_reader::CommitTexts, commit_text::CommitText},
};

/// Commit texts, and the widths of ids.
pub(super) struct Provider {
    texts: CommitTexts,
}

impl Provider {
    pub(super) fn new(texts: CommitTexts) -> Provider {
        Provider { texts }
    }

    pub(super) fn take_notes(&mut self) -> Vec<BString> {
        self.texts.take_notes()
    }
}

impl Commits for Provider {
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
