//! The known releases, merges and requests of commits, and the pending query.

use std::collections::BTreeSet;

use bstr::{BStr, BString, ByteSlice};
use rustc_hash::FxHashMap;

use crate::{
    objects::ObjectId,
    repository::{agents::agent::AgentLines, provenance::finder::Arrival},
    viewer::model::{
        background::provenance::{FoundProvenance, ProvenanceQuery, WrittenLine},
        source::Failure,
    },
};

/// Most commits whose answers are kept.
pub(crate) const MAX_CACHED: usize = 1 << 17;

/// The answers so far, and the pending query.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProvenanceCache {
    releases: FxHashMap<ObjectId, Option<BString>>,
    arrivals: FxHashMap<ObjectId, Arrival>,
    /// The first paragraphs of the messages of merges.
    merges: FxHashMap<ObjectId, BString>,
    agents: FxHashMap<WrittenLine, Option<AgentLines>>,
    /// True if an agent is known of some line.
    has_agents: bool,
    /// True if the repository has notes on agents; `None` until that is known.
    has_agent_notes: Option<bool>,
    /// The pending query, with its number.
    asked: Option<(u64, ProvenanceQuery)>,
    reading: u64,
}

impl ProvenanceCache {
    /// The first release that contains a commit; `None` while that is not known, and if none does.
    pub(crate) fn release(&self, id: &ObjectId) -> Option<&BStr> {
        self.releases.get(id)?.as_ref().map(|name| name.as_bstr())
    }

    /// True if a commit is known to be in no release.
    pub(crate) fn is_unreleased(&self, id: &ObjectId) -> bool {
        self.releases.get(id) == Some(&None)
    }

    /// The merge and the request that brought a commit, once known.
    pub(crate) fn arrival(&self, id: &ObjectId) -> Option<Arrival> {
        self.arrivals.get(id).copied()
    }

    /// The merge that brought a commit, once known, and the first paragraph of its message.
    pub(crate) fn merge(&self, id: &ObjectId) -> Option<(ObjectId, &BStr)> {
        let merge = self.arrival(id)?.merge?;
        let summary = self.merges.get(&merge).map(|text| text.as_bstr());
        Some((merge, summary.unwrap_or_default()))
    }

    /// The agent that wrote a line; `None` while that is not known, and if none is recorded.
    pub(crate) fn agent(&self, line: &WrittenLine) -> Option<&AgentLines> {
        self.agents.get(line)?.as_ref()
    }

    /// True if an agent is known of some line.
    pub(crate) fn has_agents(&self) -> bool {
        self.has_agents
    }

    /// The names of all agents that are known of some line.
    pub(crate) fn agent_names(&self) -> BTreeSet<&str> {
        let known = self.agents.values().flatten();
        known.map(|found| found.agent.name()).collect()
    }

    /// How much is known of requests and agents.
    pub(crate) fn count_known(&self) -> usize {
        self.arrivals.len() + self.agents.len()
    }

    /// True if the repository has notes on agents; `None` until that is known.
    pub(crate) fn has_agent_notes(&self) -> Option<bool> {
        self.has_agent_notes
    }

    /// True if it is known whether an agent wrote a line.
    pub(crate) fn knows_agent(&self, line: &WrittenLine) -> bool {
        self.agents.contains_key(line)
    }

    /// True if a query is unanswered.
    pub(crate) fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// Forgets everything, for references may have changed.
    pub(crate) fn forget(&mut self) {
        let reading = self.reading + 1;
        *self = ProvenanceCache {
            reading,
            ..ProvenanceCache::default()
        };
    }

    /// The query for what is not known of these commits; `None` if everything is, or a query is
    /// pending.
    pub(crate) fn unanswered(
        &self,
        mut releases: Vec<ObjectId>,
        mut arrivals: Vec<ObjectId>,
        mut agents: Vec<WrittenLine>,
    ) -> Option<ProvenanceQuery> {
        releases.retain(|id| !self.releases.contains_key(id));
        arrivals.retain(|id| !self.arrivals.contains_key(id));
        agents.retain(|line| !self.agents.contains_key(line));
        let is_known = releases.is_empty() && arrivals.is_empty() && agents.is_empty();
        if self.is_asked() || is_known {
            return None;
        }
        Some(ProvenanceQuery {
            reading: self.reading,
            releases,
            arrivals,
            agents,
        })
    }

    /// Registers a query by its number.
    pub(crate) fn ask(&mut self, id: u64, query: ProvenanceQuery) {
        self.asked = Some((id, query));
    }

    /// Stores an answer. Commits that it leaves out stay without one.
    pub(crate) fn insert(&mut self, id: u64, found: Result<FoundProvenance, Failure>) {
        let Some((_, asked)) = self.asked.take_if(|(asked, _)| *asked == id) else {
            return;
        };
        let found = found.unwrap_or_default();
        if self.releases.len().max(self.arrivals.len()) > MAX_CACHED {
            self.releases.clear();
            self.arrivals.clear();
            self.merges.clear();
        }
        if self.agents.len() > MAX_CACHED {
            self.agents.clear();
        }
        self.has_agents |= found.agents.iter().any(|(_, agent)| agent.is_some());
        self.has_agent_notes = Some(found.has_agent_notes);
        self.agents.extend(found.agents);
        for line in asked.agents {
            self.agents.entry(line).or_default();
        }
        self.releases.extend(found.releases);
        self.arrivals.extend(found.arrivals);
        let merges = found.merges.into_iter();
        self.merges
            .extend(merges.map(|merge| (merge.id, merge.summary)));
        for id in asked.releases {
            self.releases.entry(id).or_default();
        }
        for id in asked.arrivals {
            self.arrivals.entry(id).or_default();
        }
    }
}
