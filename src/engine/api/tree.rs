//! What the blames of all files of a directory report.

use std::ops::ControlFlow;

use crate::{engine::tree::changes::PlanChanges, objects::ObjectId};

/// How far a plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanProgress {
    /// The number of commits visited so far; 0 while commits are counted.
    pub visited: usize,
    /// The number of commits known so far.
    pub commits: usize,
    /// The date of the commit that is visited, in seconds since the epoch.
    pub frontier: i64,
}

/// Receives what is found out while a plan is made.
pub trait PlanSink {
    /// Called from time to time. Can stop the plan.
    fn progress(&mut self, progress: PlanProgress) -> ControlFlow<()>;

    /// The last commit that changed a file, the one of this number in
    /// [`TreePlan::files`](crate::engine::TreePlan::files), is known.
    fn last_commit(&mut self, _file: usize, _commit: ObjectId) {}

    /// Where all changes of the visited commits are recorded, also of files that the plan does not
    /// need. `None` if they are not to be found.
    fn changes(&mut self) -> Option<&mut PlanChanges> {
        None
    }
}

/// A sink for callers that need the finished plan alone.
#[derive(Debug)]
pub struct DiscardProgress;

impl PlanSink for DiscardProgress {
    fn progress(&mut self, _: PlanProgress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
