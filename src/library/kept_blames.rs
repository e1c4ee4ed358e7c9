//! Blames kept in files, which later ones take lines from.

use std::{path::PathBuf, sync::Arc, time::Duration};

use super::repository::{Opened, Repository};
use crate::{
    cache::{BlameFiles, CacheDirectory, CacheSettings, RequestCache},
    engine::{Blame, BlameCache, Request},
};

impl Repository {
    /// The same repository, whose finished blames are kept in files below `directory` and used by
    /// later ones: one of the same commit follows no history, and one of a later commit only what
    /// is new. The answers are the same.
    ///
    /// The files are like those of the program's cache, which is in the user's directory for caches;
    /// `docs/cache.md` says what is in them and when they are believed. Only the user can read
    /// them. Once all files below the directory have more than `max_bytes`, those used longest ago
    /// are removed. A file that cannot be read or written is no error: then nothing is kept. The
    /// configuration `tblame.cache = false` turns this off for a repository.
    ///
    /// Blames of directories take what is kept of their files. They are not kept themselves, and
    /// neither is the history of lines.
    pub fn with_cache(&self, directory: impl Into<PathBuf>, max_bytes: u64) -> Repository {
        self.with_settings(CacheSettings {
            directory: Some(directory.into()),
            max_bytes,
            min_time: Duration::ZERO,
            // Commits are read from the repository, with their messages and committers.
            texts: false,
            ..CacheSettings::default()
        })
    }
}

/// The kept blames with the options of one blame.
pub(super) struct BlameKeeper(RequestCache);

impl BlameKeeper {
    /// Those with the options of `request`. `None` if such blames are not kept.
    pub(super) fn of(
        opened: &Opened,
        settings: Option<&CacheSettings>,
        request: &Request,
    ) -> Option<BlameKeeper> {
        let settings = settings?;
        let repository = &opened.repository;
        let directory = CacheDirectory::new(settings, |_| None)?;
        let directory = directory.of_repository(repository, settings)?;
        let files = BlameFiles::new(&directory, settings);
        let cache = files.of_request(repository, request, Arc::default());
        cache.map(BlameKeeper)
    }

    pub(super) fn blames(&mut self) -> &mut dyn BlameCache {
        &mut self.0
    }

    /// Those for one of the threads that blame the files of a directory.
    pub(super) fn of_many_files(&self) -> Box<dyn BlameCache> {
        self.0.of_many_files()
    }

    /// Keeps what later blames can use of a finished one.
    pub(super) fn keep(self, opened: &Opened, blame: &mut Blame) {
        let store = opened.repository.store();
        // Through a wrong index, it may be another blame.
        if let Some(blame) = blame.to_cache.take()
            && !store.is_careful()
            && store.damage().is_none()
        {
            // A directory that cannot be written to is no reason to complain about.
            let _ = self.0.keep(&blame, Duration::ZERO);
        }
    }
}
