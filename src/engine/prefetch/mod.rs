//! The prefetch thread, which reads ahead of the walk.

pub(crate) mod chains;
pub(crate) mod exchange;
pub(crate) mod prefetched;
pub(crate) mod prefetcher;
pub(crate) mod range_prefetch;
pub(crate) mod received;
mod visit;
pub(crate) mod visit_queue;
