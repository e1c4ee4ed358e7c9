//! The first of several commits that contains a commit, for many commits at once.

use std::{fmt, sync::Arc};

use rustc_hash::FxHashSet;

use crate::{
    engine::{
        ancestry::read_ahead::ReadAhead,
        history::commits::{CommitIndex, Commits, SharedGrafts, slot},
    },
    objects::{self, CommitHead, CommitList, ObjectId, Reader, Store},
};

/// Commits visited between two questions whether to stop.
const COMMITS_PER_CHECK: u32 = 256;

/// Commits that one question reads before a second thread helps: some 4 ms.
const READS_ALONE: u32 = 1024;

/// An answer of [`FirstContaining`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Containing {
    /// The first commit that contains it, by its number in the list.
    First(usize),
    /// None does.
    None,
    /// The walk was stopped before it was known. It goes on with the next question.
    Stopped,
}

/// Finds the first commit of a list that contains a given one: that is this commit, or has it among
/// its ancestors.
///
/// The commits of the list are walked in its order, and each marks those of its ancestors that none
/// before it has marked. So a commit is visited once for all questions together. The walk goes no
/// further along the list than a question needs.
pub struct FirstContaining {
    store: Arc<Store>,
    commits: Commits,
    reader: Reader,
    /// Threads that may be used.
    threads: usize,
    /// Commits that were read one by one for this question.
    reads: u32,
    /// The second thread.
    ahead: Option<ReadAhead>,
    list: List,
    /// The number of commits of the list whose walk has begun.
    begun: usize,
    /// By commit: the number in the list of the first one that contains it, plus one; 0 if it is
    /// not marked.
    marks: Vec<u32>,
    /// Marked commits whose parents are not.
    pending: Vec<CommitIndex>,
}

/// The commits of a list.
enum List {
    Known(Vec<CommitIndex>),
    /// The first parents of a commit, as far as they were followed.
    FirstParents {
        /// The newest first.
        commits: Vec<CommitIndex>,
        seen: FxHashSet<CommitIndex>,
        next: Option<CommitIndex>,
    },
}

impl fmt::Debug for FirstContaining {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("FirstContaining");
        debug.field("begun", &self.begun).finish_non_exhaustive()
    }
}

impl FirstContaining {
    /// For the commits `list`, the first one first.
    pub fn among(store: &Arc<Store>, grafts: &SharedGrafts, list: &[ObjectId]) -> Self {
        let mut finder = FirstContaining::new(store, grafts);
        let list = list.iter().map(|&id| finder.commits.intern(id)).collect();
        finder.list = List::Known(list);
        finder
    }

    /// For `tip`, its first parent, the first parent of that and so on, the oldest first. Their
    /// numbers count from the oldest.
    pub fn on_first_parents(store: &Arc<Store>, grafts: &SharedGrafts, tip: ObjectId) -> Self {
        let mut finder = FirstContaining::new(store, grafts);
        finder.list = List::FirstParents {
            commits: Vec::new(),
            seen: FxHashSet::default(),
            next: Some(finder.commits.intern(tip)),
        };
        finder
    }

    /// Adds commits that were read before, as they are stored. With grafts, which change parents,
    /// they are not used.
    pub fn add_known(&mut self, known: &CommitList) {
        self.commits.add_known(known);
    }

    /// All commits that are known now, without the dates of those that were read here, if some
    /// were.
    pub fn commits_read(&self) -> Option<CommitList> {
        (self.begun > 0).then(|| self.commits.list())
    }

    /// Reads on a second thread too where many commits have to be read, if there may be as many;
    /// one thread otherwise.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// Goes on with a thread that was started before.
    pub(crate) fn set_read_ahead(&mut self, ahead: Option<ReadAhead>) {
        self.ahead = ahead;
    }

    fn new(store: &Arc<Store>, grafts: &SharedGrafts) -> Self {
        let mut commits = Commits::new(Arc::clone(store));
        commits.set_grafts(grafts);
        FirstContaining {
            store: Arc::clone(store),
            commits,
            reader: store.reader(),
            threads: 1,
            reads: 0,
            ahead: None,
            list: List::Known(Vec::new()),
            begun: 0,
            marks: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// The first commit of the list that contains `commit`. Ends early once `stop` returns true.
    ///
    /// # Errors
    ///
    /// A commit is missing or damaged.
    pub fn find(
        &mut self,
        commit: &ObjectId,
        stop: &dyn Fn() -> bool,
    ) -> Result<Containing, objects::Error> {
        let commit = self.commits.intern(*commit);
        self.reads = 0;
        let mut visited = 0;
        if !self.read_first_parents(stop, &mut visited)? {
            return Ok(Containing::Stopped);
        }
        loop {
            let mark = *slot(&mut self.marks, commit);
            if let Some(number) = mark.checked_sub(1) {
                return Ok(Containing::First(number as usize));
            }
            if should_stop(&mut visited, stop) {
                return Ok(Containing::Stopped);
            }
            if visited.is_multiple_of(COMMITS_PER_CHECK)
                && let Some(ahead) = &self.ahead
            {
                let read = ahead.take();
                self.add_read(read);
            }
            if self.reads >= READS_ALONE && self.threads > 1 && self.ahead.is_none() {
                self.start_reading_ahead();
            }
            if let Some(commit) = self.pending.pop() {
                self.mark_parents(commit)?;
            } else if let Some(next) = self.list.commit(self.begun) {
                self.begun += 1;
                self.mark(next);
            } else {
                return Ok(Containing::None);
            }
        }
    }

    fn start_reading_ahead(&mut self) {
        self.ahead = ReadAhead::start(&self.store, self.commits.read_ids());
        if self.ahead.is_none() {
            self.threads = 1;
        }
    }

    /// Ends the second thread, after the last of several questions. Another one may start it again.
    pub fn end_reading_ahead(&mut self) {
        if let Some(ahead) = self.ahead.take() {
            let read = ahead.end();
            self.add_read(read);
        }
    }

    /// Adds what the second thread has read.
    fn add_read(&mut self, read: Vec<(ObjectId, CommitHead)>) {
        for (id, head) in read {
            self.commits.insert_new_header(id, &head);
        }
    }

    /// The commit with this number in the list.
    pub fn id(&self, number: usize) -> Option<ObjectId> {
        self.list
            .commit(number)
            .map(|commit| self.commits.id(commit))
    }

    /// Follows first parents to their end; returns whether it was reached.
    fn read_first_parents(
        &mut self,
        stop: &dyn Fn() -> bool,
        visited: &mut u32,
    ) -> Result<bool, objects::Error> {
        let List::FirstParents {
            commits,
            seen,
            next,
        } = &mut self.list
        else {
            return Ok(true);
        };
        while let Some(commit) = *next {
            if should_stop(visited, stop) {
                return Ok(false);
            }
            let header = self.commits.header_without_date(commit, &mut self.reader)?;
            commits.push(commit);
            seen.insert(commit);
            let parent = self.commits.parents(&header).first().copied();
            // Grafts and replacements can make a cycle.
            *next = parent.filter(|parent| !seen.contains(parent));
        }
        Ok(true)
    }

    fn mark(&mut self, commit: CommitIndex) {
        let mark = slot(&mut self.marks, commit);
        if *mark == 0 {
            *mark = self.begun as u32;
            self.pending.push(commit);
        }
    }

    fn mark_parents(&mut self, commit: CommitIndex) -> Result<(), objects::Error> {
        self.reads += u32::from(self.commits.cached_header(commit).is_none());
        let header = self.commits.header_without_date(commit, &mut self.reader);
        let header = header.inspect_err(|_| {
            // Every later question has to fail too, since its answer could be behind this commit.
            self.pending.push(commit);
        })?;
        for nth in 0..self.commits.parents(&header).len() {
            let parent = self.commits.parents(&header)[nth];
            self.mark(parent);
        }
        Ok(())
    }
}

impl List {
    fn commit(&self, number: usize) -> Option<CommitIndex> {
        match self {
            List::Known(list) => list.get(number).copied(),
            List::FirstParents { commits, .. } => {
                let from_newest = commits.len().checked_sub(number + 1)?;
                commits.get(from_newest).copied()
            }
        }
    }
}

fn should_stop(visited: &mut u32, stop: &dyn Fn() -> bool) -> bool {
    *visited += 1;
    visited.is_multiple_of(COMMITS_PER_CHECK) && stop()
}
