//! The order of walks that visit children before their parents.

use crate::engine::{
    api::request::CommitOrder,
    history::commits::CommitIndex,
    walk::{
        commit_places::CommitPlaces,
        corrected_dates::{CorrectedDates, ReportProgress},
        nearby_dates::NearbyDates,
        state::{Interrupt, Walk},
    },
};

/// Queues commits by their dates, and once there is more than one by ranks, for which the history
/// has to be read.
#[derive(Debug)]
pub(crate) struct ChildrenFirst {
    order: CommitOrder,
    /// Ranks are dates for which only near ancestors are read.
    is_nearby: bool,
    /// Where the walk begins.
    start: Option<CommitIndex>,
    ranks: Option<Ranks>,
    /// True if the last commit was queued without a rank, as no other one waited.
    is_alone: bool,
    /// The date of the last visited commit.
    pub(crate) frontier: i64,
}

/// Higher ranks are visited first.
#[derive(Debug)]
enum Ranks {
    Dates(CorrectedDates),
    NearbyDates(NearbyDates),
    Places(CommitPlaces),
}

impl Ranks {
    fn rank(
        &mut self,
        commit: CommitIndex,
        walk: &mut Walk<'_>,
        progress: &mut ReportProgress<'_>,
    ) -> Result<i64, Interrupt> {
        match self {
            Ranks::Dates(dates) => dates.date(commit, walk, progress),
            Ranks::NearbyDates(dates) => dates.date(commit, walk),
            Ranks::Places(places) => Ok(places.rank(commit)),
        }
    }
}

impl ChildrenFirst {
    /// No commit was visited yet. In chronological order, they are visited by their corrected
    /// dates.
    pub(crate) fn new(order: CommitOrder) -> ChildrenFirst {
        ChildrenFirst {
            order,
            is_nearby: false,
            start: None,
            ranks: None,
            is_alone: false,
            frontier: i64::MAX,
        }
    }

    /// The chronological order as far as near ancestors tell it. Where they do not, the walk is
    /// stopped ([`Interrupt::Stopped`]).
    pub(crate) fn nearby() -> ChildrenFirst {
        ChildrenFirst {
            is_nearby: true,
            ..ChildrenFirst::new(CommitOrder::Chronological)
        }
    }

    /// True if more than one commit has waited to be visited, so that one may have been visited too
    /// early.
    pub(crate) fn may_be_wrong(&self) -> bool {
        self.is_nearby && self.ranks.is_some()
    }

    /// Puts a commit into the queue of the walk. The walk begins with the first one.
    pub(crate) fn enqueue(
        &mut self,
        commit: CommitIndex,
        walk: &mut Walk<'_>,
        progress: &mut ReportProgress<'_>,
    ) -> Result<(), Interrupt> {
        let start = *self.start.get_or_insert(commit);
        if walk.queue.is_empty() {
            self.is_alone = true;
            let time = walk.header(commit)?.time;
            walk.queue.push(commit, time);
            return Ok(());
        }
        let mut ranks = match self.ranks.take() {
            Some(ranks) => ranks,
            None => self.read_ranks(start, walk, progress)?,
        };
        if std::mem::take(&mut self.is_alone) {
            let queued: Vec<CommitIndex> = std::iter::from_fn(|| walk.queue.pop()).collect();
            for commit in queued {
                let rank = ranks.rank(commit, walk, progress)?;
                walk.queue.push(commit, rank);
            }
        }
        let rank = ranks.rank(commit, walk, progress)?;
        walk.queue.push(commit, rank);
        self.ranks = Some(ranks);
        Ok(())
    }

    fn read_ranks(
        &self,
        start: CommitIndex,
        walk: &mut Walk<'_>,
        progress: &mut ReportProgress<'_>,
    ) -> Result<Ranks, Interrupt> {
        Ok(match self.order {
            CommitOrder::Chronological if self.is_nearby => {
                Ranks::NearbyDates(NearbyDates::default())
            }
            CommitOrder::Chronological => Ranks::Dates(CorrectedDates::new(self.frontier)),
            order => {
                let mut ask = || progress(self.frontier);
                Ranks::Places(CommitPlaces::read(start, order, walk, &mut ask)?)
            }
        })
    }
}
