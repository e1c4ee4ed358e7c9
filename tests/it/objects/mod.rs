//! Reading objects.

mod damaged_streams;
mod object_sources;
mod store;
mod wrong_filters;
