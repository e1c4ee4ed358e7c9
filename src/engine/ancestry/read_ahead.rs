//! Reads commits beside a walk that needs them all, on a second thread.
//!
//! The walk begins with the oldest commits, and this thread with the newest ones, so that they meet. What it reads is what
//! the walk would read: results do not depend on timing.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use crate::{
    engine::history::{
        commits::{CommitIndex, Commits, SharedGrafts, slot},
        queue::{Queue, QueueOrder},
    },
    objects::{CommitHead, CommitList, ObjectId, Reader, Store},
};

/// Commits that are handed over together.
const BATCH_LEN: usize = 256;

/// What was read and not yet taken.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    read: Mutex<Vec<(ObjectId, CommitHead)>>,
    is_over: AtomicBool,
}

impl Exchange {
    /// Takes the commits that were read since the last call.
    pub(super) fn take(&self) -> Vec<(ObjectId, CommitHead)> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *read)
    }

    /// Ends the thread soon.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    fn add(&self, batch: &mut Vec<(ObjectId, CommitHead)>) {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.append(batch);
    }
}

/// Reads the commits from which others descend, the newest first.
pub(super) struct ReadAhead {
    commits: Commits,
    reader: Reader,
    queue: Queue,
    /// By commit: whether it was queued.
    queued: Vec<bool>,
}

impl ReadAhead {
    /// From `tips` on. What is `known` is not read again.
    pub(super) fn new(
        store: &Arc<Store>,
        grafts: &SharedGrafts,
        known: Option<&CommitList>,
        tips: &[ObjectId],
    ) -> ReadAhead {
        let mut commits = Commits::new(Arc::clone(store));
        commits.set_grafts(grafts);
        if let Some(known) = known {
            commits.add_known(known);
        }
        let mut ahead = ReadAhead {
            commits,
            reader: store.reader(),
            queue: Queue::new(QueueOrder::NewestFirst),
            queued: Vec::new(),
        };
        for &tip in tips {
            let tip = ahead.commits.intern(tip);
            ahead.enqueue(tip, i64::MAX);
        }
        ahead
    }

    /// Reads until there are no more, or the walk is over. What cannot be read is left to the walk.
    pub(super) fn run(mut self, exchange: &Exchange) {
        let mut batch = Vec::with_capacity(BATCH_LEN);
        while let Some(commit) = self.queue.pop()
            && !exchange.is_over.load(Ordering::Relaxed)
        {
            let header = match self.commits.cached_header(commit) {
                Some(header) => header,
                None => {
                    let id = self.commits.id(commit);
                    let Ok(head) = self.reader.commit_head_only(&id) else {
                        continue;
                    };
                    let header = self.commits.insert_header(commit, &head);
                    batch.push((id, head));
                    header
                }
            };
            if batch.len() == BATCH_LEN {
                exchange.add(&mut batch);
            }
            for nth in 0..self.commits.parents(&header).len() {
                let parent = self.commits.parents(&header)[nth];
                // The date of the parent is not known yet. It is about as old.
                self.enqueue(parent, header.time);
            }
        }
        exchange.add(&mut batch);
    }

    fn enqueue(&mut self, commit: CommitIndex, date: i64) {
        let queued = slot(&mut self.queued, commit);
        if !*queued {
            *queued = true;
            self.queue.push(commit, date);
        }
    }
}
