//! Which commits contain a commit, without a look at what is much older than it.

use std::{collections::VecDeque, fmt, sync::Arc};

use rustc_hash::FxHashSet;

use crate::{
    engine::history::commits::{CommitIndex, Commits, SharedGrafts},
    objects::{self, CommitList, ObjectId, Reader, Store},
};

/// A commit is taken to have no descendant that is this many seconds older: a day, as clocks are
/// seldom wrong by more.
const SLACK: i64 = 24 * 60 * 60;
/// How many commits below one that is too old are looked at, for newer ones: a wrong clock may have
/// dated several commits in a row.
const LOOKED_AT: usize = 32;

/// A commit that may contain another.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    pub commit: ObjectId,
    /// The date of the tag that names it, or another one that it cannot be much newer than.
    pub date: i64,
}

/// What one question has looked at.
struct Seen {
    /// Commits before this date are not followed.
    oldest: i64,
    /// Commits that do not have the searched one among their ancestors.
    newer: FxHashSet<CommitIndex>,
    /// Commits below others that are too old.
    older: FxHashSet<CommitIndex>,
}

impl Seen {
    fn newer_than(oldest: i64) -> Seen {
        Seen {
            oldest,
            newer: FxHashSet::default(),
            older: FxHashSet::default(),
        }
    }
}

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
/// old history reads little of it. Where one of the 32 commits below such a commit is newer again,
/// dates tell nothing; a longer row of commits with a wrong date is not noticed.
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

    /// The first of `list` that contains `commit`, by its place there.
    ///
    /// # Errors
    ///
    /// A commit is missing or damaged.
    pub fn first_of(
        &mut self,
        list: impl Iterator<Item = Candidate>,
        commit: &ObjectId,
    ) -> Result<NearAnswer<usize>, objects::Error> {
        let commit = self.commits.intern(*commit);
        let mut seen = Seen::newer_than(self.date(commit)?.saturating_sub(SLACK));
        for (place, candidate) in list.enumerate() {
            let from = self.commits.intern(candidate.commit);
            if candidate.date < seen.oldest && self.date(from)? < seen.oldest {
                if self.has_newer_below(from, &mut seen)? {
                    return Ok(NearAnswer::Unknown);
                }
                continue;
            }
            match self.reaches(from, commit, &mut seen)? {
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
        let mut seen = Seen::newer_than(self.date(searched)?.saturating_sub(SLACK));
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
            if self.date(at)? < seen.oldest {
                if self.has_newer_below(at, &mut seen)? {
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
        for place in (0..count).rev() {
            let from = self.first_parents[place];
            match self.reaches(from, searched, &mut seen)? {
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
        seen: &mut Seen,
    ) -> Result<Option<bool>, objects::Error> {
        let mut pending = vec![from];
        while let Some(commit) = pending.pop() {
            if commit == searched {
                return Ok(Some(true));
            }
            if !seen.newer.insert(commit) {
                continue;
            }
            let header = self.commits.header_without_tree(commit, &mut self.reader)?;
            if header.time >= seen.oldest {
                pending.extend(self.commits.parents(&header));
            } else if self.has_newer_below(commit, seen)? {
                return Ok(None);
            }
        }
        Ok(Some(false))
    }

    /// True if one of the next ancestors of a commit that is too old is not.
    fn has_newer_below(
        &mut self,
        commit: CommitIndex,
        seen: &mut Seen,
    ) -> Result<bool, objects::Error> {
        let mut pending = VecDeque::from([commit]);
        let mut left = LOOKED_AT;
        while let Some(commit) = pending.pop_front() {
            let header = self.commits.header_without_tree(commit, &mut self.reader)?;
            for &parent in self.commits.parents(&header).to_vec().iter() {
                if left == 0 || !seen.older.insert(parent) {
                    continue;
                }
                left -= 1;
                if self.date(parent)? >= seen.oldest {
                    return Ok(true);
                }
                pending.push_back(parent);
            }
        }
        Ok(false)
    }

    fn date(&mut self, commit: CommitIndex) -> Result<i64, objects::Error> {
        let header = self.commits.header_without_tree(commit, &mut self.reader)?;
        Ok(header.time)
    }
}
