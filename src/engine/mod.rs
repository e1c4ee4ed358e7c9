//! The blame: which commit each line of a file comes from.
//!
//! The engine knows object ids, bytes and std. It pushes what it decides into a [`Sink`] and can be
//! stopped between any two commits or diffs. An [`Engine`] keeps its caches from one blame to the
//! next, so that stepping back through history costs little.
//!
//! The way of a blame: [`walk`] takes commits from the [`queue`], asks the [`scoreboard`] for their
//! origins, looks their file up in the parents ([`rename`] where it is gone), and hands lines over
//! by [`pass`]; what no parent takes is guilty.

mod blame;
mod caches;
mod children;
mod commits;
mod elsewhere;
mod error;
mod facts;
mod guess;
mod ignored;
mod movement;
mod pass;
mod passes;
mod queue;
mod rename;
mod request;
mod scoreboard;
mod scout;
mod similarity;
mod trees;
mod versions;
mod walk;

pub use blame::{Blame, Entry, Origin, OriginId, Sink, Stats};
pub use error::Error;
pub use request::{IndexPaths, Movement, Request, Start, TextConversion, Uncommitted};

use std::sync::Arc;

use self::{
    caches::Caches,
    facts::{Exchange, Known},
    scout::{Scout, Task},
    walk::Walk,
};
use crate::objects::Store;

/// Blames files of one repository; what it learned of commits and versions serves the next blame.
#[derive(Debug)]
pub struct Engine {
    caches: Caches,
    threads: usize,
}

impl Engine {
    /// An engine with empty caches, which works on `threads` threads: one, or two for more.
    pub fn new(store: Arc<Store>, threads: usize) -> Self {
        Engine {
            caches: Caches::new(store),
            threads,
        }
    }

    /// Blames what `request` asks for, pushing into `sink` what is decided, in git's order.
    ///
    /// # Errors
    ///
    /// When the final file cannot be found or an object cannot be read. What the sink received
    /// before stays true.
    pub fn blame(&mut self, request: &Request, sink: &mut dyn Sink) -> Result<Blame, Error> {
        self.caches.commits.set_grafts(&request.grafts);
        self.caches
            .set_ignore_whitespace(request.diff.ignore_whitespace);
        let Some(task) = self.task(request) else {
            return Walk::new(&mut self.caches, request, None, sink).run();
        };
        let exchange = Exchange::default();
        let scout = Scout::new(&exchange, Arc::clone(&self.caches.store), task);
        std::thread::scope(|scope| {
            let known = Known::new(&exchange);
            scope.spawn(|| scout.run());
            Walk::new(&mut self.caches, request, Some(known), sink).run()
        })
    }

    /// What another thread can find out ahead. It follows parents as they are stored.
    fn task(&self, request: &Request) -> Option<Task> {
        if self.threads < 2 || request.reverse.is_some() || !request.grafts.is_empty() {
            return None;
        }
        Some(Task {
            start: match &request.start {
                Start::Commit(id) => *id,
                Start::Uncommitted(uncommitted) => *uncommitted.parents.first()?,
            },
            path: Arc::new(request.path.clone()),
            first_parent: request.first_parent,
            diff: request.diff,
            compares: request.text_conversion.is_none(),
        })
    }
}
