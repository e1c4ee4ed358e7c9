//! The provenance of commits: the first release that contains each, and the merge and the request
//! that brought it.

use std::convert::Infallible;

use bstr::BString;

use crate::{
    objects::ObjectId,
    repository::{agents::agent::AgentLines, provenance::finder::Arrival},
    viewer::model::background::query::Query,
};

/// A line of a file as it is in a commit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WrittenLine {
    /// The commit.
    pub commit: ObjectId,
    /// The path there.
    pub path: BString,
    /// The line (0-based).
    pub line: u32,
}

/// A query for several commits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProvenanceQuery {
    /// Counts up when what is known has become old; references are then read again.
    pub reading: u64,
    /// The commits whose first release is wanted.
    pub releases: Vec<ObjectId>,
    /// The commits whose merge and request are wanted.
    pub arrivals: Vec<ObjectId>,
    /// The lines whose agents are wanted.
    pub agents: Vec<WrittenLine>,
}

impl Query for ProvenanceQuery {
    type Item = Infallible;
    type End = FoundProvenance;
}

/// A merge commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeCommit {
    /// Its id.
    pub id: ObjectId,
    /// The first paragraph of its message.
    pub summary: BString,
}

/// The answer to a [`ProvenanceQuery`]. Commits that cannot be read are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundProvenance {
    /// The first tags that contain the commits; `None` for commits that are in none.
    pub releases: Vec<(ObjectId, Option<BString>)>,
    /// The merges and requests that brought the commits.
    pub arrivals: Vec<(ObjectId, Arrival)>,
    /// The merges among what brought them.
    pub merges: Vec<MergeCommit>,
    /// True if the repository has notes on agents.
    pub has_agent_notes: bool,
    /// The agents that wrote lines; `None` for lines without a record.
    pub agents: Vec<(WrittenLine, Option<AgentLines>)>,
}
