//! What is known about commits beside the blame: references, merges, and named commits.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{
    objects::ObjectId,
    viewer::model::source::{CommitContext, Failure},
};

/// Commits whose contexts are remembered.
const MOST: usize = 4000;

/// The contexts that were asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct CommitContexts {
    asked: Option<ObjectId>,
    answers: FxHashMap<ObjectId, Arc<CommitContext>>,
}

impl CommitContexts {
    /// The context of a commit, once it is known.
    pub(crate) fn of(&self, id: &ObjectId) -> Option<&CommitContext> {
        self.answers.get(id).map(Arc::as_ref)
    }

    /// An answer is still to come.
    pub(crate) fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// Notes that a context is asked for. False if it is known, or asked for already.
    pub(crate) fn ask(&mut self, id: ObjectId) -> bool {
        let new = self.asked != Some(id) && !self.answers.contains_key(&id);
        if new {
            self.asked = Some(id);
        }
        new
    }

    /// Takes an answer. Failures are answers too: the viewer does without.
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
