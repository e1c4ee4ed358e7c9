//! Blames of the files of a plan on several threads.

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use crate::{
    engine::{
        api::{
            blame_cache::{BlameCache, OpenBlameCache},
            error::Error,
        },
        driver::Engine,
        tree::{plan::TreePlan, planned_blame::PlannedBlame},
    },
    objects::Store,
};

/// How many blames may be finished before the next one that is wanted.
const MAX_AHEAD: usize = 64;

/// A finished blame of a file of a plan, or why there is none.
type Blamed = Result<PlannedBlame, Error>;

/// The blames that are finished and not taken yet.
struct Finished {
    /// By their place in the order.
    blames: BTreeMap<usize, Blamed>,
    /// The place of the next file that a thread takes on.
    next: usize,
    /// The place of the next blame that is taken.
    wanted: usize,
    is_stopped: bool,
    /// The number of threads that have not ended.
    running: usize,
}

/// What the threads share.
struct SharedBlames<'a> {
    plan: &'a TreePlan,
    order: &'a [usize],
    finished: Mutex<Finished>,
    changed: Condvar,
}

/// Blames files of a plan, by their numbers there, and calls `take` with each in the given order, on
/// the calling thread. It can stop them. Blames that are known need no other thread. Each of the
/// others opens the cached blames for itself.
pub fn blame_in_order(
    store: &Arc<Store>,
    plan: &TreePlan,
    order: &[usize],
    threads: usize,
    open_cache: &OpenBlameCache<'_>,
    take: &mut dyn FnMut(usize, Blamed) -> ControlFlow<()>,
) {
    let unknown = order.iter().copied();
    let unknown: Vec<usize> = unknown.filter(|&file| !plan.is_known(file)).collect();
    let threads = threads.max(1).min(unknown.len());
    let shared = &SharedBlames {
        plan,
        order: &unknown,
        finished: Mutex::new(Finished {
            blames: BTreeMap::new(),
            next: 0,
            wanted: 0,
            is_stopped: false,
            running: threads,
        }),
        changed: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(move || {
                let _ended = EndOfWorker(shared);
                let mut cache = open_cache();
                shared.blame_files(&mut Engine::new(Arc::clone(store), 1), cache.as_deref_mut());
            });
        }
        for &file in order {
            let known = plan.known(file).map(Ok);
            let Some(blamed) = known.or_else(|| shared.wait()) else {
                break;
            };
            if take(file, blamed).is_break() {
                break;
            }
        }
        shared.lock().is_stopped = true;
        shared.changed.notify_all();
    });
}

/// Counts a thread as ended, even if it panics.
struct EndOfWorker<'a>(&'a SharedBlames<'a>);

impl Drop for EndOfWorker<'_> {
    fn drop(&mut self) {
        self.0.lock().running -= 1;
        self.0.changed.notify_all();
    }
}

impl SharedBlames<'_> {
    fn lock(&self) -> MutexGuard<'_, Finished> {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Blames one file after the other.
    fn blame_files(&self, engine: &mut Engine, mut cache: Option<&mut (dyn BlameCache + 'static)>) {
        while let Some(place) = self.next_place() {
            let (file, cache) = (self.order[place], cache.as_deref_mut());
            let blamed = engine.blame_planned_with_cache(self.plan, file, cache);
            self.lock().blames.insert(place, blamed);
            self.changed.notify_all();
        }
    }

    /// Waits until a further file is to be blamed; `None` if there is none.
    fn next_place(&self) -> Option<usize> {
        let mut finished = self.lock();
        loop {
            if finished.is_stopped || finished.next == self.order.len() {
                return None;
            }
            if finished.next < finished.wanted + MAX_AHEAD {
                finished.next += 1;
                return Some(finished.next - 1);
            }
            finished = self
                .changed
                .wait(finished)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for the next blame; `None` if the threads have ended without it, which they do only if
    /// they panic.
    fn wait(&self) -> Option<Blamed> {
        let mut finished = self.lock();
        loop {
            let wanted = finished.wanted;
            if let Some(blamed) = finished.blames.remove(&wanted) {
                finished.wanted += 1;
                self.changed.notify_all();
                return Some(blamed);
            }
            if finished.running == 0 {
                return None;
            }
            finished = self
                .changed
                .wait(finished)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}
