//! Reading objects.

mod careful_reads;
mod damaged_streams;
mod object_sources;
mod partial_clones;
mod store;
mod tree_differences;
mod truncated_files;
mod wrong_filters;
