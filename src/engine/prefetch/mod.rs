//! The prefetch thread, which reads ahead of the walk.

pub(crate) mod exchange;
pub(crate) mod prefetcher;
pub(crate) mod range_prefetch;
