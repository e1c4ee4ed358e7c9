//! Chains of trees that go from the prefetch thread to the walk, and back to be used again.

use std::sync::Arc;

use crate::{engine::prefetch::prefetched::PathLookup, objects::PathChain};

/// Chains that came from the prefetch thread, in the order of their arrival.
///
/// The walk keeps a reference to each, so that it never frees one: memory that one thread allocates
/// and the other frees makes both wait for each other in the allocator (of git's builtin/blame.c
/// and vim's eval.c, nine of ten waits, and a tenth of the time). They go back to the prefetch
/// thread, which uses them again.
#[derive(Debug, Default)]
pub(crate) struct ReceivedChains {
    chains: Vec<Arc<PathChain>>,
}

/// Chains that arrived later than these many are probably still in use.
const CHAINS_IN_USE: usize = 512;

impl ReceivedChains {
    pub(crate) fn add(&mut self, lookup: &PathLookup) {
        if let PathLookup::At(_, Some(chain)) = lookup {
            self.chains.push(Arc::clone(chain));
        }
    }

    /// Moves the oldest to `returned`, if there are many.
    pub(crate) fn give_back(&mut self, returned: impl FnOnce(std::vec::Drain<'_, Arc<PathChain>>)) {
        if self.chains.len() >= 2 * CHAINS_IN_USE {
            returned(self.chains.drain(..CHAINS_IN_USE));
        }
    }
}

/// Chains that the walk has given back.
#[derive(Debug, Default)]
pub(crate) struct SpareChains {
    chains: Vec<Arc<PathChain>>,
}

impl SpareChains {
    pub(crate) fn add(&mut self, returned: &mut Vec<Arc<PathChain>>) {
        self.chains.append(returned);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.chains.is_empty()
    }

    /// Wraps a chain as [`PathChain::share`] does, in the memory of a spare one if there is one.
    pub(crate) fn share(
        &mut self,
        chain: PathChain,
        known: Option<&Arc<PathChain>>,
    ) -> Arc<PathChain> {
        if let Some(known) = chain.equivalent(known) {
            return Arc::clone(known);
        }
        // One that is still referred to is left to those who do.
        if let Some(mut spare) = self.chains.pop()
            && let Some(slot) = Arc::get_mut(&mut spare)
        {
            *slot = chain;
            return spare;
        }
        Arc::new(chain)
    }
}
