//! Reading objects.

mod object_sources;
mod store;
