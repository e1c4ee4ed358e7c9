//! Reading objects.

mod damaged_streams;
mod object_sources;
mod partial_clones;
mod store;
mod wrong_filters;
