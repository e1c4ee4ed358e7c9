//! Commit dates corrected so that parents are older than their children.

use std::ops::ControlFlow;

use crate::{
    engine::{
        api::error::Error,
        history::commits::{CommitIndex, InternedHeader, ParentIndexes, slot},
        walk::state::{Interrupt, Walk, check_flow},
    },
    objects,
};

/// The number of commits after which the sink is asked whether to go on.
pub(super) const ASK_AFTER: u64 = 4096;

/// Is told the date that a walk has come to, and can stop it.
pub(crate) type ReportProgress<'p> = dyn FnMut(i64) -> ControlFlow<()> + 'p;

/// Corrected commit dates: a commit's own date, or else one second more than the latest of its
/// parents' corrected dates. Commits sorted by them, latest first, have children before their
/// parents, whatever their own dates are.
///
/// All ancestors are read for the first one. They are needed only where more than one commit waits
/// to be visited.
#[derive(Debug, Default)]
pub(super) struct CorrectedDates {
    /// By commit.
    dates: Vec<Option<i64>>,
    computed: u64,
    /// The date that the walk has come to, for the sink.
    frontier: i64,
}

impl CorrectedDates {
    /// None are known yet; the walk has come to the date `frontier`.
    pub(super) fn new(frontier: i64) -> CorrectedDates {
        CorrectedDates {
            frontier,
            ..CorrectedDates::default()
        }
    }

    /// The corrected date of a commit.
    pub(super) fn date(
        &mut self,
        commit: CommitIndex,
        walk: &mut Walk<'_>,
        progress: &mut ReportProgress<'_>,
    ) -> Result<i64, Interrupt> {
        let mut path: Vec<(CommitIndex, i64, ParentIndexes)> = Vec::new();
        let mut next = Some(commit);
        loop {
            if let Some(commit) = next.take().filter(|commit| self.get(*commit).is_none()) {
                check_flow(self.ask(progress))?;
                // Damaged files or grafts can make a commit its own ancestor.
                if path.len() > walk.caches.commits.count() {
                    return Err(Error::Damaged("the history has a cycle").into());
                }
                match header(commit, walk)? {
                    Some(header) => path.push((commit, header.time, walk.parents_of(&header))),
                    // It cannot be read: the walk ends there.
                    None => *slot(&mut self.dates, commit) = Some(i64::MIN),
                }
            }
            let Some((commit, time, parents)) = path.last_mut() else {
                break;
            };
            while let Some(parent) = parents.last().copied() {
                let Some(date) = self.get(parent) else {
                    next = Some(parent);
                    break;
                };
                *time = (*time).max(date.saturating_add(1));
                parents.pop();
            }
            if next.is_none() {
                *slot(&mut self.dates, *commit) = Some(*time);
                path.pop();
            }
        }
        Ok(self.get(commit).unwrap_or(i64::MIN))
    }

    fn get(&self, commit: CommitIndex) -> Option<i64> {
        self.dates.get(commit.index()).copied().flatten()
    }

    fn ask(&mut self, progress: &mut ReportProgress<'_>) -> ControlFlow<()> {
        self.computed += 1;
        if self.computed.is_multiple_of(ASK_AFTER) {
            progress(self.frontier)
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// The header of a commit; `None` if it is missing or no proper commit.
pub(super) fn header(
    commit: CommitIndex,
    walk: &mut Walk<'_>,
) -> Result<Option<InternedHeader>, objects::Error> {
    let caches = &mut *walk.caches;
    let header = caches
        .commits
        .header_without_tree(commit, &mut caches.reader);
    match header {
        Ok(header) => Ok(Some(header)),
        Err(error) if error.is_skipped_parent() => Ok(None),
        Err(error) => Err(error),
    }
}
