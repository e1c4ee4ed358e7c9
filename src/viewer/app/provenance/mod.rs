//! The known releases, merges and requests of commits, and the queries for them.

pub(crate) mod provenance_cache;
mod provenance_requests;
