//! What brought a commit: compared with the tags and the first parents that git tells.

mod generated;
mod rules;

use std::sync::Arc;

use bstr::ByteSlice;
use tblame::internals::{
    objects::ObjectId,
    repository::{Repository, provenance::finder::ProvenanceFinder},
};

use crate::harness::repository::TestRepo;

/// A finder for the history of `tip`.
pub fn finder(repository: &TestRepo, tip: &str) -> ProvenanceFinder {
    finder_in(
        Repository::open_own(repository.root()).expect("a repository"),
        tip,
    )
}

/// A finder for the history of `tip` in a repository.
pub fn finder_in(repository: Repository, tip: &str) -> ProvenanceFinder {
    ProvenanceFinder::new(Arc::new(repository), Some(id(tip)), 2)
}

/// The id with these digits.
pub fn id(hex: &str) -> ObjectId {
    ObjectId::from_hex(hex.as_bytes()).expect("an id")
}

/// The first tag that contains a commit.
pub fn release(finder: &mut ProvenanceFinder, commit: &str) -> Option<String> {
    let name = finder.release(&id(commit), &|| false).expect("a commit");
    name.map(|name| name.to_str().expect("UTF-8").to_owned())
}
