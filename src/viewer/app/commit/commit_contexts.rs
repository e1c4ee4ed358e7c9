//! Cache of commit contexts: references, merges, and commits that messages mention.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{
    objects::ObjectId,
    viewer::model::source::{CommitContext, Failure},
};

/// Most cached contexts.
const MOST: usize = 4000;

/// The cached and requested contexts.
#[derive(Debug, Clone, Default)]
pub(crate) struct CommitContexts {
    asked: Option<ObjectId>,
    answers: FxHashMap<ObjectId, Arc<CommitContext>>,
}

impl CommitContexts {
    /// The context of a commit, if it is known.
    pub(crate) fn of(&self, id: &ObjectId) -> Option<&CommitContext> {
        self.answers.get(id).map(Arc::as_ref)
    }

    /// Whether a request is unanswered.
    pub(crate) fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// Registers a request. Returns false if the context is known or requested already.
    pub(crate) fn ask(&mut self, id: ObjectId) -> bool {
        let new = self.asked != Some(id) && !self.answers.contains_key(&id);
        if new {
            self.asked = Some(id);
        }
        new
    }

    /// Takes an answer. After a failure the context stays empty.
    pub(crate) fn take(&mut self, id: ObjectId, found: Result<CommitContext, Failure>) {
        if self.asked == Some(id) {
            self.asked = None;
        }
        if self.answers.len() >= MOST {
            self.answers.clear();
        }
        self.answers.insert(id, Arc::new(found.unwrap_or_default()));
    }
}
