//! Times and counters of a blame.
//!
//! Counters are always on. Times are measured only on request: a [`ThreadTimer`] that is off costs
//! a test of a flag.

use std::{
    fmt,
    time::{Duration, Instant},
};

use crate::objects::StoreStats;

/// A phase of the work; a thread is in one phase at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Reading commit headers.
    Walk,
    /// Looking paths up in trees, diffing trees, and rename detection.
    Trees,
    /// Building versions as lines.
    Rebuild,
    /// Diffing versions.
    Diff,
    /// Everything else: the queue, passing lines to parents.
    Pass,
    /// Calling the sink.
    Output,
}

impl Phase {
    /// All phases, in display order.
    pub const ALL: [Phase; 6] = [
        Phase::Walk,
        Phase::Trees,
        Phase::Rebuild,
        Phase::Diff,
        Phase::Pass,
        Phase::Output,
    ];

    /// The phase's name, one word.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Walk => "walk",
            Phase::Trees => "trees",
            Phase::Rebuild => "rebuild",
            Phase::Diff => "diff",
            Phase::Pass => "pass",
            Phase::Output => "output",
        }
    }
}

/// Times of one thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PhaseTimes {
    phases: [Duration; Phase::ALL.len()],
    /// CPU time of all phases, if the system reports it.
    pub cpu: Option<Duration>,
}

impl PhaseTimes {
    /// Wall time spent in `phase`.
    pub fn wall(&self, phase: Phase) -> Duration {
        self.phases[phase as usize]
    }

    /// Wall time spent in all phases; an idle thread is in none.
    pub fn whole(&self) -> Duration {
        self.phases.iter().sum()
    }

    /// CPU time spent in `phase`: an estimate, the thread's CPU time in proportion to wall time.
    /// Reading the CPU clock at each change of phase would cost more than most phases.
    pub fn cpu(&self, phase: Phase) -> Option<Duration> {
        let whole = self.whole();
        if whole.is_zero() {
            self.cpu
        } else {
            Some(
                self.cpu?
                    .mul_f64(self.wall(phase).as_secs_f64() / whole.as_secs_f64()),
            )
        }
    }
}

/// Times and counters of one thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThreadProfile {
    /// Times, if measured.
    pub times: Option<PhaseTimes>,
    /// Tree lookups avoided by changed-path filters.
    pub filtered: u64,
    /// Versions derived by applying a delta to the lines of another version.
    pub versions_derived: u64,
    /// Versions made from whole texts.
    pub versions_whole: u64,
    /// Versions found in the cache.
    pub versions_held: u64,
    /// Versions made more than once.
    pub versions_again: u64,
    /// Pairs of versions diffed.
    pub diffs: u64,
    /// Rename searches.
    pub renames: u64,
    /// Candidate files of all rename searches.
    pub rename_sources: u64,
}

/// Times and counters of one blame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Profile {
    /// The thread of the walk.
    pub walk: ThreadProfile,
    /// The prefetch thread, if there was one.
    pub prefetch: Option<ThreadProfile>,
    /// Object reads of both threads.
    pub reads: StoreStats,
    /// Object reads of the prefetch thread.
    pub prefetch_reads: StoreStats,
    /// Prefetched commit headers that the walk used.
    pub headers_used: u64,
    /// Prefetched tree entries that the walk used.
    pub entries_used: u64,
    /// Prefetched diffs that the walk used.
    pub diffs_used: u64,
    /// The parts of a commit-graph that the repository has.
    pub graph: CommitGraphSupport,
}

/// The commit-graph features of a repository.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CommitGraphSupport {
    /// No usable commit-graph.
    #[default]
    None,
    /// A commit-graph without changed-path filters.
    Commits,
    /// A commit-graph with changed-path filters.
    Filters,
}

/// The share of history in the whole time above which the advice is given.
const MIN_HISTORY_SHARE: f64 = 0.5;
/// The remaining share of the time in headers with a commit-graph, measured on whole blames of long
/// histories.
const HEADS_WITH_GRAPH: f64 = 0.05;
/// The remaining share of the time in trees with filters; measured 0.4 to 0.7.
const TREES_WITH_FILTERS: f64 = 0.6;

impl Profile {
    /// The time that a commit-graph with changed-path filters would probably save, and the whole
    /// time of the blame. `None` unless times were measured, such a graph is missing, and reading
    /// history took most of the time.
    pub fn commit_graph_savings(&self) -> Option<(Duration, Duration)> {
        let times = self.walk.times?;
        let whole = times.whole();
        let (heads, trees) = (times.wall(Phase::Walk), times.wall(Phase::Trees));
        let heads = match self.graph {
            CommitGraphSupport::Filters => return None,
            CommitGraphSupport::Commits => Duration::ZERO,
            CommitGraphSupport::None => heads,
        };
        let saved = heads.mul_f64(1.0 - HEADS_WITH_GRAPH) + trees.mul_f64(1.0 - TREES_WITH_FILTERS);
        let most = (heads + trees).as_secs_f64() > MIN_HISTORY_SHARE * whole.as_secs_f64();
        most.then_some((saved, whole))
    }

    /// [`Profile::commit_graph_savings`] as a one-line message.
    pub fn advice(&self) -> Option<String> {
        let (saved, whole) = self.commit_graph_savings()?;
        Some(format!(
            "may save {} of {}: git commit-graph write --reachable --changed-paths",
            Milliseconds(saved),
            Milliseconds(whole)
        ))
    }
}

/// Displays a duration in whole milliseconds.
struct Milliseconds(Duration);

impl fmt::Display for Milliseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} ms", self.0.as_secs_f64() * 1000.0)
    }
}

/// Returns the CPU time of the calling thread, if the system reports it.
pub type CpuClock = fn() -> Option<Duration>;

/// Measures the times of one thread, unless it is off.
#[derive(Debug, Default)]
pub(crate) struct ThreadTimer {
    running: Option<RunningTimer>,
}

#[derive(Debug)]
struct RunningTimer {
    phase: Phase,
    since: Instant,
    times: PhaseTimes,
    cpu: CpuClock,
    cpu_before: Option<Duration>,
}

impl ThreadTimer {
    /// Runs if there is a clock.
    pub(crate) fn start(cpu: Option<CpuClock>) -> ThreadTimer {
        let running = cpu.map(|cpu| RunningTimer {
            phase: Phase::Pass,
            cpu_before: cpu(),
            since: Instant::now(),
            times: PhaseTimes::default(),
            cpu,
        });
        ThreadTimer { running }
    }

    /// Enters a phase; returns the one before, to be entered again afterwards.
    #[inline]
    pub(crate) fn enter(&mut self, phase: Phase) -> Phase {
        match &mut self.running {
            None => phase,
            Some(running) => running.enter(phase),
        }
    }

    /// Discards the time since the phase was entered: the thread was idle.
    pub(crate) fn skip(&mut self) {
        if let Some(running) = &mut self.running {
            running.since = Instant::now();
        }
    }

    /// The measured times.
    pub(crate) fn stop(mut self) -> Option<PhaseTimes> {
        self.enter(Phase::Pass);
        let running = self.running?;
        let cpu = (running.cpu)().zip(running.cpu_before);
        Some(PhaseTimes {
            cpu: cpu.map(|(now, before)| now.saturating_sub(before)),
            ..running.times
        })
    }
}

impl RunningTimer {
    fn enter(&mut self, phase: Phase) -> Phase {
        let now = Instant::now();
        self.times.phases[self.phase as usize] += now - self.since;
        self.since = now;
        std::mem::replace(&mut self.phase, phase)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(walk: u64, trees: u64, diff: u64, graph: CommitGraphSupport) -> Profile {
        let mut times = PhaseTimes::default();
        times.phases[Phase::Walk as usize] = Duration::from_millis(walk);
        times.phases[Phase::Trees as usize] = Duration::from_millis(trees);
        times.phases[Phase::Diff as usize] = Duration::from_millis(diff);
        Profile {
            walk: ThreadProfile {
                times: Some(times),
                ..ThreadProfile::default()
            },
            graph,
            ..Profile::default()
        }
    }

    #[test]
    fn a_commit_graph_is_advised_if_history_takes_most_of_the_time() {
        let advice = profile(60, 40, 20, CommitGraphSupport::None).advice();
        let expected =
            "may save 73 ms of 120 ms: git commit-graph write --reachable --changed-paths";
        assert_eq!(advice.as_deref(), Some(expected));
        assert_eq!(
            profile(60, 40, 120, CommitGraphSupport::None).advice(),
            None
        );
        assert_eq!(
            profile(60, 40, 20, CommitGraphSupport::Filters).advice(),
            None
        );
        assert!(
            profile(5, 80, 20, CommitGraphSupport::Commits)
                .advice()
                .is_some()
        );
        assert_eq!(Profile::default().advice(), None);
    }

    #[test]
    fn one_phase_is_timed_at_a_time() {
        let mut timer = ThreadTimer::start(Some(|| Some(Duration::ZERO)));
        let before = timer.enter(Phase::Trees);
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(timer.enter(before), Phase::Trees);
        timer.skip();
        let times = timer.stop().expect("it was on");
        assert!(times.wall(Phase::Trees) >= Duration::from_millis(2));
        assert_eq!(times.wall(Phase::Diff), Duration::ZERO);
        assert_eq!(times.cpu(Phase::Trees), Some(Duration::ZERO));
        let mut off = ThreadTimer::default();
        assert_eq!(off.enter(Phase::Diff), Phase::Diff);
        assert_eq!(off.stop(), None);
    }
}
