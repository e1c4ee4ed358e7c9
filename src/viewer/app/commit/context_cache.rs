//! Cache of commit contexts: references, merges, and commits that messages mention.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{
    objects::ObjectId,
    viewer::model::source::{CommitContext, Failure},
};

/// Most cached contexts.
const MAX_CACHED: usize = 4000;

/// The cached and requested contexts.
#[derive(Debug, Clone, Default)]
pub(crate) struct ContextCache {
    asked: Option<ObjectId>,
    answers: FxHashMap<ObjectId, Arc<CommitContext>>,
}

impl ContextCache {
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

    /// Stores an answer. After a failure the context stays empty.
    pub(crate) fn insert(&mut self, id: ObjectId, found: Result<CommitContext, Failure>) {
        if self.asked == Some(id) {
            self.asked = None;
        }
        if self.answers.len() >= MAX_CACHED {
            self.answers.clear();
        }
        self.answers.insert(id, Arc::new(found.unwrap_or_default()));
    }
}
