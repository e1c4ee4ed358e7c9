//! Answers for many commits: their first release, and the merge and the request that brought them.

use std::sync::Arc;

use bstr::{BString, ByteSlice};

use crate::{
    engine::{Containing, FirstContaining},
    objects::{self, CommitList, ObjectId, Reader},
    repository::{
        open::repository::Repository,
        provenance::{releases::Releases, request_number::RequestNumber},
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
    releases: Option<Releases>,
    first_parent_history: Option<FirstContaining>,
    /// Commits that need not be read again.
    known: Option<Arc<CommitList>>,
    threads: usize,
}

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
            releases: None,
            first_parent_history: None,
            known: None,
            threads,
        }
    }

    /// Commits that were read before, as they are stored. Answers are found sooner with them, and
    /// are the same.
    pub fn set_known(&mut self, known: Arc<CommitList>) {
        self.known = Some(known);
    }

    /// The name of the first tag that contains `commit`, as [`Releases::first_with`] finds it.
    ///
    /// # Errors
    ///
    /// A commit is missing or damaged.
    pub fn release(
        &mut self,
        commit: &ObjectId,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<BString>, objects::Error> {
        let (repository, known, threads) = (&self.repository, self.known.as_ref(), self.threads);
        let releases = self
            .releases
            .get_or_insert_with(|| Releases::new(repository, known, threads));
        let tag = releases.first_with(commit, stop)?;
        Ok(tag.map(|tag| tag.name.clone()))
    }

    /// Ends a second thread, after the last of several questions. Another one may start it again.
    pub fn end_reading_ahead(&mut self) {
        if let Some(releases) = &mut self.releases {
            releases.end_reading_ahead();
        }
        if let Some(history) = &mut self.first_parent_history {
            history.end_reading_ahead();
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
        let Some(tip) = self.tip else {
            return Ok(Arrival::default());
        };
        let (repository, threads) = (&self.repository, self.threads);
        let (releases, known) = (self.releases.as_ref(), self.known.as_ref());
        let history = self.first_parent_history.get_or_insert_with(|| {
            let (store, grafts) = (repository.store(), repository.grafts());
            let mut history = FirstContaining::on_first_parents(store, grafts, tip);
            let read = releases.and_then(Releases::commits_read).map(Arc::new);
            if let Some(known) = read.as_ref().or(known) {
                history.add_known(known);
            }
            history.set_threads(threads);
            history
        });
        let brought_by = match history.find(commit, stop)? {
            Containing::First(number) => history.id(number),
            Containing::None | Containing::Stopped => None,
        };
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
