//! Reads commits beside a walk that needs them, on a second thread. What it reads is what the walk
//! would read: results do not depend on timing.
//!
//! For a walk that needs nearly all: git writes the commits of a pack together, the newest first. The walk begins with the oldest
//! commits, and this thread reads the pack from the newest ones on, so that they meet: it looks up
//! no commit by its id, and waits for none to name its parents.
//!
//! For one along first parents: it begins where the walk is to arrive later.

use std::{
    panic,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use rustc_hash::FxHashSet;

use crate::{
    engine::history::commits::hash_prefix,
    objects::{self, CommitHead, HeadParts, ObjectId, PackOrder, Reader, Store, oid},
};

/// Pack entries that are read before commits are handed over.
const BATCH_ENTRIES: usize = 256;

/// The thread ends where this many commits have not been taken: some 10 MB.
const MAX_PENDING: usize = 1 << 16;

/// A thread that reads commits, the newest ones first. It ends soon after this is dropped.
#[derive(Debug)]
pub(crate) struct ReadAhead {
    exchange: EndsThread,
    thread: JoinHandle<()>,
}

impl ReadAhead {
    /// Reads the commits at the start of the largest pack, where git writes them. Those that are
    /// `known` are not read again. `None` if no thread can be started.
    pub(crate) fn start<'a>(
        store: &Arc<Store>,
        known: impl Iterator<Item = &'a ObjectId>,
        parts: HeadParts,
    ) -> Option<ReadAhead> {
        let scan = PackScan {
            reader: store.reader(),
            known: known.map(|id| hash_prefix(id)).collect(),
            parts,
        };
        ReadAhead::spawn(move |exchange| scan.run(exchange))
    }

    /// Reads `start`, its first parent, the first parent of that and so on, each by `read`. `None`
    /// if no thread can be started.
    pub(super) fn along_first_parents(
        store: &Arc<Store>,
        start: ObjectId,
        read: impl Fn(&mut Reader, &oid) -> Result<CommitHead, objects::Error> + Send + 'static,
    ) -> Option<ReadAhead> {
        let mut reader = store.reader();
        ReadAhead::spawn(move |exchange| {
            let mut batch = Vec::with_capacity(BATCH_ENTRIES);
            let mut next = Some(start);
            // What cannot be read is left to the walk.
            while let Some(id) = next
                && let Ok(head) = read(&mut reader, &id)
            {
                next = head.parents.first().copied();
                batch.push((id, head));
                if batch.len() == BATCH_ENTRIES && !exchange.add(&mut batch) {
                    return;
                }
            }
            exchange.add(&mut batch);
        })
    }

    fn spawn(read: impl FnOnce(&Exchange) + Send + 'static) -> Option<ReadAhead> {
        let exchange = Arc::new(Exchange::default());
        let shared = Arc::clone(&exchange);
        let thread = thread::Builder::new().name("read ahead".into());
        let thread = thread.spawn(move || read(&shared)).ok()?;
        let exchange = EndsThread(exchange);
        Some(ReadAhead { exchange, thread })
    }

    /// Takes the commits that were read since the last call.
    pub(super) fn take(&self) -> Vec<(ObjectId, CommitHead)> {
        self.exchange.0.take()
    }

    /// Ends the thread, and returns what it has read since the last call.
    ///
    /// # Panics
    ///
    /// If the thread has.
    pub(super) fn end(self) -> Vec<(ObjectId, CommitHead)> {
        self.exchange.0.end();
        self.wait()
    }

    /// As [`end`](Self::end), once it has read all.
    ///
    /// # Panics
    ///
    /// If the thread has.
    pub(super) fn wait(self) -> Vec<(ObjectId, CommitHead)> {
        if let Err(reason) = self.thread.join() {
            panic::resume_unwind(reason);
        }
        self.exchange.0.take()
    }
}

/// Commits that were read and not taken yet.
#[derive(Debug, Default)]
struct Exchange {
    read: Mutex<Vec<(ObjectId, CommitHead)>>,
    is_over: AtomicBool,
}

impl Exchange {
    fn take(&self) -> Vec<(ObjectId, CommitHead)> {
        std::mem::take(&mut *self.read.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Returns whether more is wanted.
    fn add(&self, batch: &mut Vec<(ObjectId, CommitHead)>) -> bool {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.append(batch);
        read.len() < MAX_PENDING && !self.is_over.load(Ordering::Relaxed)
    }
}

/// The end of the thread that reads.
#[derive(Debug)]
struct EndsThread(Arc<Exchange>);

impl Drop for EndsThread {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Reads the commits of packs in the order in which they are stored.
struct PackScan {
    reader: Reader,
    /// The first bytes of the ids of commits that are not to be read. Another commit whose id has
    /// the same ones is left to the walk.
    known: FxHashSet<u64>,
    parts: HeadParts,
}

impl PackScan {
    /// Reads until there are no more commits, or no more are wanted. What cannot be read is left to
    /// the walk.
    fn run(mut self, exchange: &Exchange) {
        let mut order = PackOrder::default();
        if let Some(start) = self.reader.largest_pack_start()
            && self.reader.seek_pack_order(&mut order, start)
        {
            while self.read_batch(&mut order, exchange) {}
        }
    }

    /// Returns false once the commits of the pack have ended, or no more are wanted.
    fn read_batch(&mut self, order: &mut PackOrder, exchange: &Exchange) -> bool {
        let (known, store) = (&self.known, Arc::clone(self.reader.store()));
        let mut has_known = false;
        let is_known = |id: &oid| {
            let is_known = known.contains(&hash_prefix(id)) || store.graph_position(id).is_some();
            has_known |= is_known;
            is_known
        };
        let mut heads = Vec::with_capacity(BATCH_ENTRIES);
        self.reader.read_heads_in_pack_order(
            order,
            BATCH_ENTRIES,
            self.parts,
            is_known,
            &mut heads,
        );
        let has_commits = has_known || !heads.is_empty();
        self.known
            .extend(heads.iter().map(|(id, _)| hash_prefix(id)));
        exchange.add(&mut heads) && has_commits
    }
}
