//! What one blame learned that serves the next.

use std::sync::Arc;

use crate::{
    diff::{Differ, lines::interner::Lines},
    engine::{history::commits::Commits, versions::version_cache::Versions},
    objects::{Reader, Store},
};

/// Everything that outlives a single blame.
#[derive(Debug)]
pub(crate) struct Caches {
    pub(crate) store: Arc<Store>,
    pub(crate) reader: Reader,
    pub(crate) commits: Commits,
    pub(crate) lines: Lines,
    pub(crate) versions: Versions,
    pub(crate) differ: Differ,
    ignores_whitespace: bool,
}

impl Caches {
    pub(crate) fn new(store: Arc<Store>) -> Self {
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
    pub(crate) fn set_ignore_whitespace(&mut self, ignore: bool) {
        if self.ignores_whitespace != ignore {
            self.ignores_whitespace = ignore;
            self.lines = Lines::new(ignore);
            self.versions.clear();
        }
    }
}
