//! Which commits contain a commit, without a look at what is much older than it.

use std::{fmt, sync::Arc};

use rustc_hash::FxHashSet;

use crate::{
    engine::history::commits::{CommitIndex, Commits, SharedGrafts},
    objects::{self, CommitList, ObjectId, Reader, Store},
};

/// A commit is taken to have no descendant that is this many seconds older: a day, as clocks are
/// seldom wrong by more.
const SLACK: i64 = 24 * 60 * 60;

/// An answer of [`NearContaining`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NearAnswer<T> {
    /// The first that contains the commit.
    First(T),
    /// None does.
    None,
    /// Dates are not those of the order of commits: all of the history has to be read.
    Unknown,
}

/// Finds the first of several commits that contains a commit, as [`FirstContaining`] does, but
/// follows no commit that is more than a day older than it. So a question about a new commit of an
/// old history reads little of it.
///
/// [`FirstContaining`]: super::first_containing::FirstContaining
pub struct NearContaining {
    commits: Commits,
    reader: Reader,
    /// The first parents of the last tip, the newest first, as far as they were followed.
    first_parents: Vec<CommitIndex>,
}

impl fmt::Debug for NearContaining {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NearContaining").finish_non_exhaustive()
    }
}

impl NearContaining {
    /// Nothing is read yet.
    pub fn new(store: &Arc<Store>, grafts: &SharedGrafts) -> NearContaining {
        let mut commits = Commits::new(Arc::clone(store));
        commits.set_grafts(grafts);
        NearContaining {
            commits,
            reader: store.reader(),
            first_parents: Vec::new(),
        }
    }

    /// Adds commits that were read before, as they are stored, with their dates.
    pub fn add_known(&mut self, known: &CommitList) {
        self.commits.add_known(known);
    }

    /// The least date of a commit that may contain `commit`.
    ///
    /// # Errors
    ///
    /// The commit is missing or damaged.
    pub fn least_date(&mut self, commit: &ObjectId) -> Result<i64, objects::Error> {
        let commit = self.commits.intern(*commit);
        Ok(self.date(commit)?.saturating_sub(SLACK))
    }

    /// The first of `list` that contains `commit`, by its place there.
    ///
    /// # Errors
    ///
    /// A commit is missing or damaged.
    pub fn first_of(
        &mut self,
        list: impl Iterator<Item = ObjectId>,
        commit: &ObjectId,
    ) -> Result<NearAnswer<usize>, objects::Error> {
        let commit = self.commits.intern(*commit);
        let oldest = self.date(commit)?.saturating_sub(SLACK);
        let mut seen = FxHashSet::default();
        for (place, from) in list.enumerate() {
            let from = self.commits.intern(from);
            match self.reaches(from, commit, oldest, &mut seen)? {
                Some(true) => return Ok(NearAnswer::First(place)),
                Some(false) => {}
                None => return Ok(NearAnswer::Unknown),
            }
        }
        Ok(NearAnswer::None)
    }

    /// The oldest of `tip`, its first parent, the first parent of that and so on that contains
    /// `commit`. The tip has to be the same for all questions.
    ///
    /// # Errors
    ///
    /// A commit is missing or damaged.
    pub fn first_of_first_parents(
        &mut self,
        tip: &ObjectId,
        commit: &ObjectId,
    ) -> Result<NearAnswer<ObjectId>, objects::Error> {
        let searched = self.commits.intern(*commit);
        let oldest = self.date(searched)?.saturating_sub(SLACK);
        if self.first_parents.is_empty() {
            let tip = self.commits.intern(*tip);
            self.first_parents.push(tip);
        }
        let mut count = 0;
        loop {
            let at = self.first_parents[count];
            if at == searched {
                return Ok(NearAnswer::First(*commit));
            }
            if self.date(at)? < oldest {
                if self.is_out_of_order(at)? {
                    return Ok(NearAnswer::Unknown);
                }
                break;
            }
            count += 1;
            if count == self.first_parents.len() {
                let header = self.commits.header_without_tree(at, &mut self.reader)?;
                // Grafts and replacements can make a cycle.
                match self.commits.parents(&header).first() {
                    _ if count > self.commits.count() => return Ok(NearAnswer::Unknown),
                    Some(&parent) => self.first_parents.push(parent),
                    None => break,
                }
            }
        }
        let mut seen = FxHashSet::default();
        for place in (0..count).rev() {
            let from = self.first_parents[place];
            match self.reaches(from, searched, oldest, &mut seen)? {
                Some(true) => return Ok(NearAnswer::First(self.commits.id(from))),
                Some(false) => {}
                None => return Ok(NearAnswer::Unknown),
            }
        }
        Ok(NearAnswer::None)
    }

    /// True if `from` is or has among its ancestors `searched`, which `seen` commits do not have.
    /// `None` if that cannot be told by dates.
    fn reaches(
        &mut self,
        from: CommitIndex,
        searched: CommitIndex,
        oldest: i64,
        seen: &mut FxHashSet<CommitIndex>,
    ) -> Result<Option<bool>, objects::Error> {
        let mut pending = vec![from];
        while let Some(commit) = pending.pop() {
            if commit == searched {
                return Ok(Some(true));
            }
            if !seen.insert(commit) {
                continue;
            }
            let header = self.commits.header_without_tree(commit, &mut self.reader)?;
            if header.time >= oldest {
                pending.extend(self.commits.parents(&header));
            } else if self.is_out_of_order(commit)? {
                return Ok(None);
            }
        }
        Ok(Some(false))
    }

    /// True if the commit is more than a day older than one of its parents.
    fn is_out_of_order(&mut self, commit: CommitIndex) -> Result<bool, objects::Error> {
        let header = self.commits.header_without_tree(commit, &mut self.reader)?;
        for parent in self.commits.parents(&header).to_vec() {
            if self.date(parent)? > header.time.saturating_add(SLACK) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn date(&mut self, commit: CommitIndex) -> Result<i64, objects::Error> {
        let header = self.commits.header_without_tree(commit, &mut self.reader)?;
        Ok(header.time)
    }
}
