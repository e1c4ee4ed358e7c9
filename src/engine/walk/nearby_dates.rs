//! Corrected commit dates, as far as near ancestors tell them.

use rustc_hash::FxHashMap;

use crate::engine::{
    history::commits::{CommitIndex, ParentIndexes, slot},
    walk::{
        corrected_dates::header,
        state::{Interrupt, Walk},
    },
};

/// Ancestors are read until they are this many seconds older: a day, as clocks are seldom wrong by
/// more.
const SLACK: i64 = 24 * 60 * 60;

/// Most commits that are looked at, each as often as it is. All commits of a history may be of one
/// day.
const MAX_STEPS: u64 = 1 << 17;

/// The dates of [`CorrectedDates`](super::corrected_dates::CorrectedDates), without reading all
/// ancestors: those that are more than a day older are taken to have no ancestor that is newer than
/// the commit. Where something speaks against that, the walk is stopped.
#[derive(Debug, Default)]
pub(super) struct NearbyDates {
    /// By commit.
    dates: Vec<Option<i64>>,
    steps: u64,
    /// Buffers: the dates of ancestors, and the way to the one that is looked at.
    near: FxHashMap<CommitIndex, i64>,
    path: Vec<(CommitIndex, i64, ParentIndexes)>,
}

impl NearbyDates {
    /// The corrected date of a commit.
    ///
    /// # Errors
    ///
    /// [`Interrupt::Stopped`] if a commit is more than a day older than its parent, or too many are
    /// within a day of each other.
    pub(super) fn date(
        &mut self,
        commit: CommitIndex,
        walk: &mut Walk<'_>,
    ) -> Result<i64, Interrupt> {
        if let Some(Some(date)) = self.dates.get(commit.index()) {
            return Ok(*date);
        }
        // It cannot be read: the walk ends there.
        let Some(start) = header(commit, walk)? else {
            return Ok(i64::MIN);
        };
        let oldest = start.time.saturating_sub(SLACK);
        self.near.clear();
        self.path.clear();
        self.path
            .push((commit, start.time, walk.parents_of(&start)));
        let mut corrected = start.time;
        while let Some((commit, time, parents)) = self.path.last_mut() {
            let mut next = None;
            while let Some(parent) = parents.last().copied() {
                let date = match self.near.get(&parent) {
                    Some(date) => *date,
                    None => match header(parent, walk)? {
                        None => i64::MIN,
                        Some(header) if header.time < oldest => header.time,
                        Some(header) => {
                            self.steps += 1;
                            let is_near = header.time <= time.saturating_add(SLACK);
                            if !is_near || self.steps > MAX_STEPS {
                                return Err(Interrupt::Stopped);
                            }
                            next = Some((parent, header.time, walk.parents_of(&header)));
                            break;
                        }
                    },
                };
                *time = (*time).max(date.saturating_add(1));
                parents.pop();
            }
            match next {
                Some(next) => self.path.push(next),
                None => {
                    corrected = *time;
                    self.near.insert(*commit, *time);
                    self.path.pop();
                }
            }
        }
        *slot(&mut self.dates, commit) = Some(corrected);
        Ok(corrected)
    }
}
