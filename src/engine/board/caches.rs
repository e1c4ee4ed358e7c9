//! Caches kept from one blame to the next.

use std::sync::Arc;

use crate::{
    diff::{Differ, LineInterner},
    engine::{
        board::shared_work::SharedWork,
        history::commits::{Commits, SharedGrafts},
        versions::version_cache::VersionCache,
    },
    objects::{Reader, Store},
};

/// State that outlives a single blame.
#[derive(Debug)]
pub(crate) struct Caches {
    pub(crate) store: Arc<Store>,
    pub(crate) reader: Reader,
    pub(crate) commits: Commits,
    pub(crate) lines: LineInterner,
    pub(crate) versions: VersionCache,
    pub(crate) differ: Differ,
    /// What walks have found, if they share it.
    pub(crate) shared: Option<SharedWork>,
    ignores_whitespace: bool,
}

impl Caches {
    pub(crate) fn new(store: Arc<Store>) -> Self {
        Caches {
            reader: store.reader(),
            commits: Commits::new(Arc::clone(&store)),
            store,
            lines: LineInterner::new(false),
            versions: VersionCache::default(),
            differ: Differ::default(),
            shared: None,
            ignores_whitespace: false,
        }
    }

    /// Switches to these grafts; under others, commits have other numbers.
    pub(crate) fn set_grafts(&mut self, grafts: &SharedGrafts) {
        if self.commits.set_grafts(grafts)
            && let Some(shared) = &mut self.shared
        {
            *shared = SharedWork::default();
        }
    }

    /// Drops versions and their lines, but not the commits.
    pub(crate) fn release_versions(&mut self) {
        self.lines = LineInterner::new(self.ignores_whitespace);
        self.versions.clear();
        self.differ = Differ::default();
    }

    /// Switches whitespace handling. Lines are interned with one setting, so a change drops them.
    pub(crate) fn set_ignore_whitespace(&mut self, ignore: bool) {
        if self.ignores_whitespace != ignore {
            self.ignores_whitespace = ignore;
            self.release_versions();
        }
    }
}
