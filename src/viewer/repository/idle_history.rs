//! Remembers the history of a repository while there is no input.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::{
    cache::{HistoryFile, Warming},
    objects::Reader,
    repository::Repository,
    viewer::model::source::IdleWork,
};

/// What `--warm` does, once blames have read many commits.
pub(super) struct IdleHistory {
    repository: Arc<Repository>,
    file: HistoryFile,
    /// The number of commits that blames have read from their objects.
    read: Arc<AtomicUsize>,
    /// What was begun and interrupted.
    begun: Option<(Warming, Reader)>,
    /// Nothing is left to do, or it has failed.
    has_ended: bool,
}

impl IdleHistory {
    pub(super) fn new(
        repository: &Arc<Repository>,
        file: HistoryFile,
        read: &Arc<AtomicUsize>,
    ) -> IdleHistory {
        IdleHistory {
            repository: Arc::clone(repository),
            file,
            read: Arc::clone(read),
            begun: None,
            has_ended: false,
        }
    }

    /// Begins, if it is worth its time and can be written. Then its time is not lost.
    fn begin(&mut self) -> Option<(Warming, Reader)> {
        let repository = &self.repository;
        let read = self.read.load(Ordering::Relaxed);
        if repository.store().is_careful() || !self.file.is_warming_worthwhile(repository, read) {
            return None;
        }
        let head = repository.head_commit().filter(|_| self.file.can_write());
        if head.is_none() {
            self.has_ended = true;
        }
        let warming = Warming::new(&self.file, repository, &[head?]);
        Some((warming, repository.reader()))
    }
}

impl IdleWork for IdleHistory {
    fn go_on(&mut self, stop: &dyn Fn() -> bool) {
        if self.has_ended {
            return;
        }
        let Some((mut warming, mut reader)) = self.begun.take().or_else(|| self.begin()) else {
            return;
        };
        match warming.run(&self.repository, &mut reader, stop) {
            Ok(false) => self.begun = Some((warming, reader)),
            // A directory that cannot be written to is no reason to complain about.
            Ok(true) | Err(_) => self.has_ended = true,
        }
    }
}

impl fmt::Debug for IdleHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdleHistory")
    }
}
