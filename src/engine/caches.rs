//! What one blame learned that serves the next.

use std::sync::Arc;

use super::{commits::Commits, versions::Versions};
use crate::{
    diff::{Differ, lines::Lines},
    objects::{Reader, Store},
};

/// Everything that outlives a single blame.
#[derive(Debug)]
pub(super) struct Caches {
    pub(super) store: Arc<Store>,
    pub(super) reader: Reader,
    pub(super) commits: Commits,
    pub(super) lines: Lines,
    pub(super) versions: Versions,
    pub(super) differ: Differ,
    ignores_whitespace: bool,
}

impl Caches {
    pub(super) fn new(store: Arc<Store>) -> Self {
        Caches {
            reader: store.reader(),
            commits: Commits::new(Arc::clone(&store)),
            store,
            lines: Lines::new(false),
            versions: Versions::default(),
            differ: Differ::default(),
            ignores_whitespace: false,
        }
    }

    /// Lines know their form without white space only when they were made to.
    pub(super) fn set_ignore_whitespace(&mut self, ignore: bool) {
        if self.ignores_whitespace != ignore {
            self.ignores_whitespace = ignore;
            self.lines = Lines::new(ignore);
            self.versions.clear();
        }
    }
}
