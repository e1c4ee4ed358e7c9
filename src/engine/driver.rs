//! [`Engine`]: runs blames, and keeps caches between them.

use std::{cell::OnceCell, sync::Arc};

use crate::{
    engine::{
        api::{
            blame::{Blame, Sink},
            error::Error,
            profile::{CpuClock, Graph, Profile, Watch},
            request::Request,
        },
        board::caches::Caches,
        prefetch::{
            exchange::{Exchange, Known},
            prefetcher::{Scout, Task},
        },
        walk::traversal::Walk,
    },
    objects::Store,
};

/// Blames files of one repository. Its caches of commits and file versions serve later blames.
#[derive(Debug)]
pub struct Engine {
    caches: Caches,
    threads: usize,
    cpu: Option<CpuClock>,
}

impl Engine {
    /// An engine with empty caches. With `threads` of 2 or more, a second thread prefetches.
    pub fn new(store: Arc<Store>, threads: usize) -> Self {
        Engine {
            caches: Caches::new(store),
            threads,
            cpu: None,
        }
    }

    /// Measures the time of each phase from now on, for [`Blame::profile`]. `cpu` returns the CPU
    /// time of the calling thread.
    pub fn take_times(&mut self, cpu: CpuClock) {
        self.cpu = Some(cpu);
    }

    /// Runs one blame and pushes each decided entry into `sink`, in git's order.
    ///
    /// # Errors
    ///
    /// If the path does not exist in the final commit, or an object cannot be read. Entries pushed
    /// before that are valid.
    pub fn blame(&mut self, request: &Request, sink: &mut dyn Sink) -> Result<Blame, Error> {
        self.caches.commits.set_grafts(&request.grafts);
        for (id, head) in request.heads.iter() {
            self.caches.commits.offer(*id, head);
        }
        self.caches
            .set_ignore_whitespace(request.diff.ignore_whitespace);
        let store = Arc::clone(&self.caches.store);
        self.caches.reader.report();
        let before = store.stats();
        let cpu = self.cpu;
        let (blame, ahead) = match self.task(request) {
            None => {
                let watch = Watch::start(cpu);
                let blame = Walk::new(&mut self.caches, request, None, watch, sink).run();
                (blame, None)
            }
            Some(task) => {
                let exchange = &Exchange::default();
                let (path, reverse) = (Arc::clone(&task.path), task.reverse);
                std::thread::scope(|scope| {
                    let scout = OnceCell::new();
                    let start = || {
                        scout.get_or_init(|| {
                            let scout = Scout::new(exchange, Arc::clone(&store), task.clone());
                            scope.spawn(move || scout.run(Watch::start(cpu)))
                        });
                    };
                    // A range may be short: `Walk::limit` starts the thread once it has seen enough
                    // commits.
                    if request.negatives.is_empty() {
                        start();
                    }
                    let known = Known::new(exchange, &start, path, reverse);
                    let watch = Watch::start(cpu);
                    let walk = Walk::new(&mut self.caches, request, Some(known), watch, sink);
                    let blame = walk.run();
                    let scout = scout.into_inner();
                    (blame, scout.and_then(|scout| scout.join().ok()))
                })
            }
        };
        let read_ahead = store.stats().since(&before);
        self.caches.reader.report();
        self.caches.reader.rest();
        let mut blame = blame?;
        blame.profile = Profile {
            ahead,
            reading: store.stats().since(&before),
            read_ahead,
            graph: match (store.has_commit_graph(), store.has_filters()) {
                (_, true) => Graph::Filters,
                (true, false) => Graph::Commits,
                (false, false) => Graph::None,
            },
            ..blame.profile
        };
        Ok(blame)
    }

    /// The prefetch thread's task, if there is to be one. It follows parents as stored, so grafts
    /// exclude it.
    fn task(&self, request: &Request) -> Option<Task> {
        if self.threads < 2 || !request.grafts.is_empty() {
            return None;
        }
        let heads = match (&request.reverse, &request.start) {
            (Some(heads), _) => heads.as_slice(),
            (None, start) => start.heads(),
        };
        Some(Task {
            start: *heads.first()?,
            path: Arc::new(request.path.clone()),
            first_parent: request.first_parent,
            diff: request.diff,
            compares: request.text_conversion.is_none(),
            reverse: request.reverse.is_some(),
            copies: request.movement.copy_level > 0,
        })
    }
}
