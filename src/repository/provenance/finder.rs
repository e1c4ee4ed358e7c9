//! Answers for many commits: their first release, and the merge and the request that brought them.

use std::{mem, sync::Arc};

use bstr::{BString, ByteSlice};

use crate::{
    engine::{Containing, FirstContaining},
    objects::{self, CommitHead, CommitTable, ObjectId, Reader},
    repository::{
        open::repository::Repository,
        provenance::{
            releases::{self, TagReferences},
            request_number::RequestNumber,
        },
    },
};

/// How a commit came to the history of another one, called the tip.
///
/// The first-parent history of the tip is the tip, its first parent, the first parent of that and
/// so on. Its oldest commit that is the commit or has it among its ancestors has brought it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Arrival {
    /// The merge that brought the commit; `None` if it is in the first-parent history itself, or
    /// not in the history of the tip.
    pub merge: Option<ObjectId>,
    /// The number of the request, from the message of the merge, or else from that of the commit
    /// itself.
    pub request: Option<RequestNumber>,
}

/// Finds what brought commits. What it has read of the repository serves later questions;
/// references are read once.
#[derive(Debug)]
pub struct ProvenanceFinder {
    repository: Arc<Repository>,
    reader: Reader,
    tip: Option<ObjectId>,
    /// Finds what brought the commits that are not in the history of the tip.
    other: Option<Box<ProvenanceFinder>>,
    containing: Option<FirstContaining>,
    tags: Option<TagReferences>,
    /// The names of tags in the order of the list of `containing`, and the lowest level of commits
    /// that the others do not contain.
    releases: Option<(Vec<BString>, u32)>,
    /// Commits that need not be read again, until `containing` has them.
    known: KnownHeads,
    /// Commits are read as they are remembered, with their dates.
    is_kept: bool,
    threads: usize,
}

/// Commits that were read, as they are stored.
pub type KnownHeads = Arc<Vec<(ObjectId, CommitHead)>>;

impl ProvenanceFinder {
    /// For the history of `tip`; without one, no merges are found. Nothing is read yet. Up to
    /// `threads` threads will read.
    pub fn new(
        repository: Arc<Repository>,
        tip: Option<ObjectId>,
        threads: usize,
    ) -> ProvenanceFinder {
        ProvenanceFinder {
            reader: repository.reader(),
            repository,
            tip,
            other: None,
            containing: None,
            tags: None,
            releases: None,
            known: KnownHeads::default(),
            is_kept: false,
            threads,
        }
    }

    /// Takes the history of another tip for commits that are not in that of the first.
    pub fn set_other_tip(&mut self, tip: ObjectId) {
        let (repository, threads) = (Arc::clone(&self.repository), self.threads);
        self.other = Some(ProvenanceFinder::new(repository, Some(tip), threads).into());
    }

    /// Commits that were read before, as they are stored. Answers are found sooner with them, and
    /// are the same.
    pub fn set_known(&mut self, known: KnownHeads) {
        self.known = known;
    }

    /// Reads commits so that they can be remembered: [`commits_read`](Self::commits_read).
    pub fn set_kept(&mut self) {
        self.is_kept = true;
    }

    /// The commits that were read or known, and the number of those that were read from their
    /// objects. `None` if they cannot be remembered.
    pub fn commits_read(&self) -> Option<(&impl CommitTable, usize)> {
        self.containing.as_ref().map(FirstContaining::commits_read)
    }

    /// Reads the references to tags.
    pub fn read_references(&mut self) {
        if self.tags.is_none() {
            self.tags = Some(TagReferences::read(&self.repository));
        }
    }

    /// True if no more of the history is read than what may contain the commits that are asked for.
    pub fn has_levels(&mut self) -> bool {
        self.containing().has_levels()
    }

    /// Lets a second thread begin to read what the questions need and is not known.
    pub fn begin(&mut self) {
        self.containing();
    }

    /// The name of the first tag that contains `commit`, in the order of
    /// `git tag --contains=COMMIT --sort=creatordate`: by date, and then by name. `None` also once
    /// `stop` returns true.
    ///
    /// # Errors
    ///
    /// A commit is missing or damaged.
    pub fn release(
        &mut self,
        commit: &ObjectId,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<BString>, objects::Error> {
        self.containing().prepare_for(&[*commit]);
        if !self.know_releases(stop) {
            return Ok(None);
        }
        Ok(match self.containing().first_listed(commit, stop)? {
            Containing::First(number) => {
                let releases = self.releases.as_ref();
                releases.and_then(|(names, _)| names.get(number)).cloned()
            }
            Containing::None | Containing::Stopped => None,
        })
    }

    /// Reads the tags and the first parents of the tip, as far as questions for `commits` need them.
    /// Returns false once `stop` returns true.
    pub fn read_history(&mut self, commits: &[ObjectId], stop: &dyn Fn() -> bool) -> bool {
        self.containing().prepare_for(commits);
        self.know_releases(stop) && self.containing().read_trunk(stop)
    }

    fn know_releases(&mut self, stop: &dyn Fn() -> bool) -> bool {
        let floor = self.containing().floor();
        let is_known = |(_, known): &(Vec<BString>, u32)| *known <= floor;
        if !self.releases.as_ref().is_some_and(is_known) {
            self.releases = self.read_releases(stop).map(|names| (names, floor));
        }
        self.releases.is_some()
    }

    /// Reads the tags, and makes those that lead to a commit the list of commits that may contain
    /// others. `None` once `stop` returns true.
    fn read_releases(&mut self, stop: &dyn Fn() -> bool) -> Option<Vec<BString>> {
        self.read_references();
        // Most tags are of commits that contain none that is asked for.
        let containing = self.containing.as_mut()?;
        let mut tags = Vec::new();
        for (name, id) in self.tags.iter().flat_map(|tags| &tags.all) {
            let peeled = self.tags.as_ref().and_then(|tags| tags.peeled.get(id));
            if containing.may_contain(peeled.unwrap_or(id)) {
                tags.push((name.clone(), *id));
            }
        }
        if !tags.is_empty() && !containing.read_trunk(stop) {
            return None;
        }
        let mut dated = Vec::with_capacity(tags.len());
        for (name, id) in tags {
            // Most lead to commits that were read.
            let found = match containing.date_on_trunk(&id) {
                Some(time) => Some((time.unsigned_abs(), id)),
                None => releases::dated_commit(&mut self.reader, id),
            };
            dated.extend(found.map(|(time, commit)| (time, name, commit)));
        }
        // They are in the order of their names, which decides among equal dates.
        dated.sort_by_key(|(time, ..)| *time);
        let commits: Vec<ObjectId> = dated.iter().map(|(_, _, commit)| *commit).collect();
        containing.set_list(&commits);
        Some(dated.into_iter().map(|(_, name, _)| name).collect())
    }

    /// Ends a second thread, after the last of several questions. Another one may start it again.
    pub fn end_reading_ahead(&mut self) {
        if let Some(containing) = &mut self.containing {
            containing.end_reading_ahead();
        }
        if let Some(other) = &mut self.other {
            other.end_reading_ahead();
        }
    }

    /// How `commit` arrived. Incomplete once `stop` returns true.
    ///
    /// # Errors
    ///
    /// A commit is missing or damaged.
    pub fn arrival(
        &mut self,
        commit: &ObjectId,
        stop: &dyn Fn() -> bool,
    ) -> Result<Arrival, objects::Error> {
        if self.tip.is_none() {
            return Ok(Arrival::default());
        }
        let containing = self.containing();
        containing.prepare_for(&[*commit]);
        let found = containing.first_on_trunk(commit, stop)?;
        let brought_by = match found {
            Containing::First(position) => containing.on_trunk(position),
            Containing::None | Containing::Stopped => None,
        };
        if let (Containing::None, Some(other)) = (found, &mut self.other) {
            return other.arrival(commit, stop);
        }
        let merge = brought_by.filter(|id| id != commit);
        let of_merge = match merge {
            Some(merge) => self.request_of(&merge)?,
            None => None,
        };
        let request = match of_merge {
            None => self.request_of(commit)?,
            request => request,
        };
        Ok(Arrival { merge, request })
    }

    fn containing(&mut self) -> &mut FirstContaining {
        let known = mem::take(&mut self.known);
        if let Some(containing) = &mut self.containing {
            containing.add_known(&known);
        }
        self.containing.get_or_insert_with(|| {
            let read = || TagReferences::read(&self.repository);
            let tags = &self.tags.get_or_insert_with(read).all;
            let (store, grafts) = (self.repository.store(), self.repository.grafts());
            let dated = (!self.is_kept).then(|| tags.iter().map(|(_, id)| id));
            let mut containing = FirstContaining::new(store, grafts, self.tip, dated);
            containing.add_known(&known);
            containing.set_threads(self.threads);
            if self.threads > 1 && !containing.has_levels() {
                containing.begin_trunk(&releases::marks(&mut self.reader, tags));
            }
            containing
        })
    }

    /// The number in a commit's own message.
    fn request_of(&mut self, commit: &ObjectId) -> Result<Option<RequestNumber>, objects::Error> {
        let message = self.message(commit)?;
        Ok(RequestNumber::of_message(message.as_bstr()))
    }

    /// The message of a commit as it is stored.
    fn message(&mut self, commit: &ObjectId) -> Result<BString, objects::Error> {
        let data = self.reader.object(commit)?.data;
        let message = data.find("\n\n").map_or(&[][..], |end| &data[end + 2..]);
        Ok(message.into())
    }
}
