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
mod guess;
mod ignored;
mod movement;
mod pass;
mod passes;
mod queue;
mod rename;
mod request;
mod scoreboard;
mod similarity;
mod trees;
mod versions;
mod walk;

pub use blame::{Blame, Entry, Origin, OriginId, Sink, Stats};
pub use error::Error;
pub use request::{IndexPaths, Movement, Request, Start, TextConversion, Uncommitted};

use std::sync::Arc;

use self::{caches::Caches, walk::Walk};
use crate::objects::Store;

/// Blames files of one repository; what it learned of commits and versions serves the next blame.
#[derive(Debug)]
pub struct Engine {
    caches: Caches,
}

impl Engine {
    /// An engine with empty caches.
    pub fn new(store: Arc<Store>) -> Self {
        Engine {
            caches: Caches::new(store),
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
        Walk::new(&mut self.caches, request, sink).run()
    }
}
