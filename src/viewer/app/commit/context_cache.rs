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
    /// The pending query, by its number, and its commit.
    asked: Option<(u64, ObjectId)>,
    answers: FxHashMap<ObjectId, Arc<CommitContext>>,
}

impl ContextCache {
    /// The context of a commit, if it is known.
    pub(crate) fn of(&self, id: &ObjectId) -> Option<&CommitContext> {
        self.answers.get(id).map(Arc::as_ref)
    }

    /// True if the context of a commit is known or asked for.
    pub(crate) fn knows(&self, id: &ObjectId) -> bool {
        let is_asked = self.asked.is_some_and(|(_, asked)| asked == *id);
        is_asked || self.answers.contains_key(id)
    }

    /// Registers a query by its number.
    pub(crate) fn ask(&mut self, number: u64, id: ObjectId) {
        self.asked = Some((number, id));
    }

    /// Stores the answer to a query. After a failure the context stays empty.
    pub(crate) fn insert(&mut self, number: u64, found: Result<CommitContext, Failure>) {
        let Some((_, id)) = self.asked.take_if(|(asked, _)| *asked == number) else {
            return;
        };
        if self.answers.len() >= MAX_CACHED {
            self.answers.clear();
        }
        self.answers.insert(id, Arc::new(found.unwrap_or_default()));
    }
}
