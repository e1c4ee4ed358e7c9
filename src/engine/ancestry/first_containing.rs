//! The first of several commits that contains a commit.
//!
//! Most commits that one asks for are in the history of one commit, the tip, and most tags are on
//! its trunk: its first parents, each of which contains those before it. The trunk is read whole.
//! From a commit, first parents lead to a commit of the trunk, its fork. The fork does not contain
//! it, as no commit contains a descendant, and so neither do older commits of the trunk nor their
//! parents. Searches end there. So a question reads what was brought to the trunk around its commit
//! and not all of the history, and no date is believed.
//!
//! Where a commit-graph or the remembered history has the levels of commits, no more of the trunk is
//! read than what is not below the commit: a commit has a higher level than all that it contains.

use std::{fmt, sync::Arc};

use crate::{
    engine::{
        ancestry::{
            read_ahead::ReadAhead,
            search::{AncestorSearch, StopChecks},
            trunk::{DatedCommits, Trunk},
        },
        history::commits::{CommitIndex, Commits, ParentIndexes, SharedGrafts, slot},
    },
    objects::{self, CommitHead, CommitTable, HeadParts, ObjectId, Reader, Store, oid},
};

/// Commits beside the trunk that are read before a second thread helps: some 15 ms.
const READS_ALONE: u32 = 4096;

/// An answer of [`FirstContaining`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Containing {
    /// The first commit that contains it, by its number.
    First(usize),
    /// None does.
    None,
    /// The walk was stopped before it was known. It goes on with the next question.
    Stopped,
}

/// Finds the first commit of a list, and the oldest one of the first-parent history of a commit,
/// the tip, that contains a given one: that is this commit, or has it among its ancestors.
pub struct FirstContaining {
    store: Arc<Store>,
    commits: Commits,
    reader: Reader,
    /// Threads that may be used.
    threads: usize,
    /// Commits beside the trunk that were read.
    reads: u32,
    /// The second thread.
    ahead: Option<ReadAhead>,
    dated: DatedCommits,
    trunk: Trunk,
    /// Searches and the trunk end below this level, as the commits that were asked for do not have
    /// lower ones. `u32::MAX` before the first question, and while they have none.
    floor: u32,
    /// By commit: the position of its fork plus one, or 0 if it was not looked for. The length of
    /// the trunk if there is none.
    forks: Vec<u32>,
    arrivals: Arrivals,
    list: Vec<CommitIndex>,
    listed: Listed,
}

/// A search from commits of the trunk, the oldest first, for those that they brought.
#[derive(Debug, Default)]
struct Arrivals {
    search: AncestorSearch,
    /// The search begins above this position.
    start: u32,
    /// The position of the last commit that was searched from; `start` if it has not begun.
    last: u32,
}

/// A search from the commits of the list.
#[derive(Debug, Default)]
struct Listed {
    search: AncestorSearch,
    /// Commits that are known at a larger depth of the trunk are left out.
    limit: u32,
    /// For each commit that was searched from: the newest position of the trunk that it or one
    /// before it contains, or `u32::MAX`.
    newest: Vec<u32>,
}

impl fmt::Debug for FirstContaining {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FirstContaining").finish_non_exhaustive()
    }
}

impl FirstContaining {
    /// For the history of `tip`, if there is one, and without a list. `dated` are the commits whose
    /// dates will be asked for; without them, all are read with their dates.
    pub fn new<'a>(
        store: &Arc<Store>,
        grafts: &SharedGrafts,
        tip: Option<ObjectId>,
        dated: Option<impl Iterator<Item = &'a ObjectId>>,
    ) -> Self {
        let mut commits = Commits::new(Arc::clone(store));
        commits.set_grafts(grafts);
        let tip = tip.map(|tip| commits.intern(tip));
        let dated = DatedCommits::new(dated);
        FirstContaining {
            store: Arc::clone(store),
            commits,
            reader: store.reader(),
            threads: 1,
            reads: 0,
            ahead: None,
            dated: dated.clone(),
            trunk: Trunk::new(tip, dated),
            floor: u32::MAX,
            forks: Vec::new(),
            arrivals: Arrivals::default(),
            list: Vec::new(),
            listed: Listed::default(),
        }
    }

    /// True if the level of the tip is known: then commits need not be read from their objects.
    pub fn has_levels(&mut self) -> bool {
        let tip = self.trunk.tip();
        tip.is_some_and(|tip| self.commits.level(tip).is_some())
    }

    /// Prepares for questions for these commits. Each one that is asked for has to be prepared for,
    /// and the list may lack commits that [may not contain](Self::may_contain) them. Those that have
    /// been prepared for are answered sooner if no others follow.
    pub fn prepare_for(&mut self, commits: &[ObjectId]) {
        let floors = commits.iter().map(|&id| {
            let commit = self.commits.intern(id);
            self.commits.floor(commit)
        });
        let floor = floors.min().unwrap_or(u32::MAX);
        if floor >= self.floor {
            return;
        }
        // Many are asked for if some are after others.
        self.floor = if self.floor == u32::MAX { floor } else { 0 };
        self.forks.clear();
        self.arrivals.forget();
        self.listed.forget();
    }

    /// The level below which no commit contains those that were prepared for.
    pub fn floor(&self) -> u32 {
        self.floor
    }

    /// False if a commit is known to have a level below the [floor](Self::floor).
    pub fn may_contain(&self, commit: &ObjectId) -> bool {
        let known = self.commits.in_graph(commit);
        known.is_none_or(|commit| !self.commits.is_below(commit, self.floor))
    }

    /// Sets the list, the first commit first.
    pub fn set_list(&mut self, list: &[ObjectId]) {
        let list = list.iter().map(|&id| self.commits.intern(id));
        self.list = list.collect();
        self.listed.forget();
    }

    /// Starts a thread that reads the older part of the first-parent history of the tip, if there
    /// may be a second one. `marks` are commits of the history, the oldest first, or nearly so: the
    /// thread begins at one of them.
    pub fn begin_trunk(&mut self, marks: &[ObjectId]) {
        if self.threads > 1 {
            self.trunk.begin(&self.store, &mut self.commits, marks);
        }
    }

    /// Reads the first-parent history of the tip, as far as the questions that were prepared for need
    /// it. Returns false once `stop` returns true.
    pub fn read_trunk(&mut self, stop: &dyn Fn() -> bool) -> bool {
        self.read_trunk_by(&mut StopChecks::new(stop))
    }

    /// The committer date, in seconds since the epoch, of one of the dated commits if it is in the
    /// first-parent history of the tip, as far as that was read.
    pub fn date_on_trunk(&mut self, commit: &ObjectId) -> Option<i64> {
        self.trunk.date(self.commits.intern(*commit))
    }

    /// Adds commits that were read before, as they are stored.
    pub fn add_known(&mut self, known: &[(ObjectId, CommitHead)]) {
        for (id, head) in known {
            self.commits.insert_new_header(*id, head);
        }
    }

    /// The commits that were read, and the number of those that were read from their objects: 0
    /// unless all are read with their dates.
    pub fn commits_read(&self) -> (&impl CommitTable, usize) {
        let are_dated = self.dated.are_all();
        let count = if are_dated {
            self.commits.count_read()
        } else {
            0
        };
        (&self.commits, count)
    }

    /// Reads on a second thread too where many commits have to be read, if there may be as many;
    /// one thread otherwise.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// The first commit of the list that contains `commit`. Ends early once `stop` returns true.
    ///
    /// # Errors
    ///
    /// A commit is missing or damaged.
    pub fn first_listed(
        &mut self,
        commit: &ObjectId,
        stop: &dyn Fn() -> bool,
    ) -> Result<Containing, objects::Error> {
        if self.list.is_empty() {
            return Ok(Containing::None);
        }
        let commit = self.commits.intern(*commit);
        let checks = &mut StopChecks::new(stop);
        let arrival = match self.arrival(commit, checks)? {
            Containing::Stopped => return Ok(Containing::Stopped),
            Containing::First(position) => Some(position as u32),
            Containing::None => None,
        };
        // What is known to be older than its arrival does not contain it. If it has none, nothing
        // does that is known to be in the history of the tip.
        let limit = arrival.map_or(0, |position| position + 1);
        if limit > self.listed.limit {
            self.listed.limit = if self.listed.search.restart() {
                limit
            } else {
                u32::MAX
            };
            self.listed.newest.clear();
        }
        loop {
            let marked = self
                .listed
                .search
                .mark(commit)
                .map(|number| number as usize);
            let by_trunk = arrival.map(|position| self.listed.first_with(position));
            let first = marked.into_iter().chain(by_trunk).min();
            if let Some(first) = first.filter(|&first| first < self.listed.newest.len()) {
                return Ok(Containing::First(first));
            }
            if checks.should_stop() {
                return Ok(Containing::Stopped);
            }
            self.read_ahead(checks, self.listed.limit == u32::MAX);
            if let Some(&visited) = self.listed.search.pending.last() {
                let parents = self.parents(visited)?;
                self.listed.search.pending.pop();
                for parent in parents {
                    self.listed.reach(parent, &self.trunk);
                }
            } else if let Some(&next) = self.list.get(self.listed.newest.len()) {
                let before = self.listed.newest.last().copied();
                self.listed.newest.push(before.unwrap_or(u32::MAX));
                self.listed.reach(next, &self.trunk);
            } else {
                return Ok(Containing::None);
            }
        }
    }

    /// The oldest commit of the first-parent history of the tip that contains `commit`, by its
    /// position: 0 is the tip. Ends early once `stop` returns true.
    ///
    /// # Errors
    ///
    /// A commit is missing or damaged.
    pub fn first_on_trunk(
        &mut self,
        commit: &ObjectId,
        stop: &dyn Fn() -> bool,
    ) -> Result<Containing, objects::Error> {
        let commit = self.commits.intern(*commit);
        self.arrival(commit, &mut StopChecks::new(stop))
    }

    /// The commit at a position of the first-parent history of the tip.
    pub fn on_trunk(&self, position: usize) -> Option<ObjectId> {
        let commit = self.trunk.get(u32::try_from(position).ok()?)?;
        Some(self.commits.id(commit))
    }

    fn arrival(
        &mut self,
        commit: CommitIndex,
        checks: &mut StopChecks<'_>,
    ) -> Result<Containing, objects::Error> {
        if !self.read_trunk_by(checks) {
            return Ok(Containing::Stopped);
        }
        if let Some(position) = self.trunk.position(commit) {
            return Ok(Containing::First(position as usize));
        }
        let Some(fork) = self.fork(commit, checks)? else {
            return Ok(Containing::Stopped);
        };
        self.arrivals.begin(commit, fork, self.trunk.len());
        loop {
            if let Some(position) = self.arrivals.search.mark(commit) {
                return Ok(Containing::First(position as usize));
            }
            if checks.should_stop() {
                return Ok(Containing::Stopped);
            }
            self.read_ahead(checks, self.arrivals.start == self.trunk.len());
            if let Some(&visited) = self.arrivals.search.pending.last() {
                let parents = self.parents(visited)?;
                self.arrivals.search.pending.pop();
                for parent in parents {
                    self.arrivals.reach(parent, &self.trunk);
                }
            } else if let Some(next) = self.arrivals.last.checked_sub(1) {
                self.arrivals.last = next;
                let on_trunk = self.trunk.get(next);
                let header = on_trunk.and_then(|commit| self.commits.cached_header(commit));
                // Those of the trunk were read.
                for parent in header
                    .iter()
                    .flat_map(|header| self.commits.parents(header))
                {
                    self.arrivals.reach(*parent, &self.trunk);
                }
            } else {
                return Ok(Containing::None);
            }
        }
    }

    /// Returns whether the trunk was read as far as it is needed.
    fn read_trunk_by(&mut self, checks: &mut StopChecks<'_>) -> bool {
        let (commits, reader) = (&mut self.commits, &mut self.reader);
        self.trunk.read(commits, reader, self.floor, checks)
    }

    /// The position of a commit of the trunk that `commit`, which is not on it, contains, or the
    /// length of the trunk as it was read. `None` if this was stopped.
    fn fork(
        &mut self,
        commit: CommitIndex,
        checks: &mut StopChecks<'_>,
    ) -> Result<Option<u32>, objects::Error> {
        let mut path = Vec::new();
        let mut at = commit;
        let fork = loop {
            if let Some(position) = self.trunk.position(at) {
                break position;
            }
            let known = slot(&mut self.forks, at);
            if let Some(fork) = known.checked_sub(1) {
                break fork;
            }
            // Where grafts make a cycle, this answers.
            *known = self.trunk.len() + 1;
            path.push(at);
            if checks.should_stop() {
                self.forget_forks(&path);
                return Ok(None);
            }
            let parents = self.parents(at).inspect_err(|_| self.forget_forks(&path))?;
            match parents.first() {
                Some(&parent) => at = parent,
                None => break self.trunk.len(),
            }
        };
        for commit in path {
            *slot(&mut self.forks, commit) = fork + 1;
        }
        Ok(Some(fork))
    }

    fn forget_forks(&mut self, path: &[CommitIndex]) {
        for &commit in path {
            *slot(&mut self.forks, commit) = 0;
        }
    }

    /// The parents of a commit beside the trunk, without those below the floor.
    fn parents(&mut self, commit: CommitIndex) -> Result<ParentIndexes, objects::Error> {
        self.reads += u32::from(self.commits.cached_header(commit).is_none());
        let read = |reader: &mut Reader, id: &oid| self.dated.read(reader, id);
        let header = self.commits.header_by(commit, &mut self.reader, read)?;
        let mut parents = self.commits.followed_parents(&header, false);
        parents.retain(|parent| !self.commits.is_below(*parent, self.floor));
        Ok(parents)
    }

    /// Starts the second thread where much is read, for a search that leaves out nothing: others
    /// need too little of what it reads. Takes what it has read.
    fn read_ahead(&mut self, checks: &StopChecks<'_>, leaves_out_nothing: bool) {
        let reads_much = self.reads >= READS_ALONE && leaves_out_nothing;
        if reads_much && self.threads > 1 && self.ahead.is_none() {
            let parts = if self.dated.are_all() {
                HeadParts::All
            } else {
                HeadParts::TreeAndParents
            };
            self.ahead = ReadAhead::start(&self.store, self.commits.read_ids(), parts);
            if self.ahead.is_none() {
                self.threads = 1;
            }
        }
        if checks.are_due()
            && let Some(ahead) = &self.ahead
        {
            let read = ahead.take();
            self.add_known(&read);
        }
    }

    /// Ends the second thread, after the last of several questions. Another one may start it again.
    pub fn end_reading_ahead(&mut self) {
        if let Some(ahead) = self.ahead.take() {
            let read = ahead.end();
            self.add_known(&read);
            self.reads = 0;
        }
    }
}

impl Arrivals {
    fn forget(&mut self) {
        self.search.restart();
        (self.start, self.last) = (0, 0);
    }

    /// Begins the search for a commit with this fork, or goes on with one that serves it too.
    fn begin(&mut self, commit: CommitIndex, fork: u32, trunk_len: u32) {
        let is_begun = fork > self.last || self.search.mark(commit).is_some();
        let leaves_out_nothing = self.start == trunk_len;
        if fork <= self.start && (is_begun || leaves_out_nothing) {
            return;
        }
        self.start = if self.search.restart() {
            fork
        } else {
            trunk_len
        };
        self.last = self.start;
    }

    /// Visits a commit that was reached from the last one that was searched from, unless it is on
    /// the trunk or known to be older than the start.
    fn reach(&mut self, commit: CommitIndex, trunk: &Trunk) {
        if trunk.depth(commit) <= self.start && trunk.position(commit).is_none() {
            self.search.visit(commit, self.last);
        }
    }
}

impl Listed {
    fn forget(&mut self) {
        self.search.restart();
        self.limit = 0;
        self.newest.clear();
    }

    /// The number of the first commit that contains this position of the trunk.
    fn first_with(&self, position: u32) -> usize {
        self.newest.partition_point(|&newest| newest > position)
    }

    /// Visits a commit that was reached from the last one that was searched from.
    fn reach(&mut self, commit: CommitIndex, trunk: &Trunk) {
        if trunk.depth(commit) > self.limit {
            return;
        }
        let (number, last) = (self.newest.len() as u32, self.newest.last_mut());
        match (trunk.position(commit), last) {
            (Some(position), Some(newest)) => *newest = position.min(*newest),
            _ => self.search.visit(commit, number.saturating_sub(1)),
        }
    }
}
