//! What is known of the releases, merges and requests of commits, and what is asked.

pub(crate) mod provenance_cache;
mod provenance_requests;
