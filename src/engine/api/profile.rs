//! Where a blame's time goes, and how often it does what.
//!
//! Counting is always on. Times are taken only when they are asked for: a [`Watch`] that is off
//! costs a test of a flag.

use std::{
    fmt,
    time::{Duration, Instant},
};

use crate::objects::StoreStats;

/// A part of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Reading the heads of commits.
    Walk,
    /// Looking paths up in trees, comparing trees, and finding renames.
    Trees,
    /// Making the lines of versions.
    Rebuild,
    /// Comparing versions.
    Diff,
    /// Everything between: the queue, handing lines over.
    Pass,
    /// Telling the sink.
    Output,
}

impl Phase {
    /// All phases, in the order in which they are shown.
    pub const ALL: [Phase; 6] = [
        Phase::Walk,
        Phase::Trees,
        Phase::Rebuild,
        Phase::Diff,
        Phase::Pass,
        Phase::Output,
    ];

    /// The phase's name, a single word.
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

/// The time of one thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    phases: [Duration; Phase::ALL.len()],
    /// CPU time over all phases, where the system tells.
    pub cpu: Option<Duration>,
}

impl Times {
    /// Wall time spent in `phase`.
    pub fn wall(&self, phase: Phase) -> Duration {
        self.phases[phase as usize]
    }

    /// Wall time spent in all phases; a thread that has nothing to do is in none.
    pub fn whole(&self) -> Duration {
        self.phases.iter().sum()
    }

    /// CPU time spent in `phase`: the thread's, shared out as its wall time is. Asking the system
    /// at each change of phase would cost more than most phases.
    pub fn cpu(&self, phase: Phase) -> Option<Duration> {
        let whole = self.whole();
        match whole.is_zero() {
            true => self.cpu,
            false => Some(
                self.cpu?
                    .mul_f64(self.wall(phase).as_secs_f64() / whole.as_secs_f64()),
            ),
        }
    }
}

/// What one thread did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Its times, when they were asked for.
    pub times: Option<Times>,
    /// Questions that the commit-graph's filters answered with a certain no.
    pub filtered: u64,
    /// Versions made by applying a delta to another version's lines.
    pub versions_derived: u64,
    /// Versions cut from whole texts.
    pub versions_whole: u64,
    /// Versions that were still held when asked for.
    pub versions_held: u64,
    /// Versions made more than once; counted only when times are asked for.
    pub versions_again: u64,
    /// Pairs of versions compared.
    pub diffs: u64,
    /// Times a file that a parent does not have was looked for by another name.
    pub renames: u64,
    /// Files that were candidates for these.
    pub rename_sources: u64,
}

/// What a blame did, and how long that took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Profile {
    /// The thread that decides.
    pub own: Work,
    /// The thread that runs ahead, if there was one.
    pub ahead: Option<Work>,
    /// What reading cost, over both threads.
    pub reading: StoreStats,
    /// What of this was read ahead.
    pub read_ahead: StoreStats,
    /// Heads that were there already when the walk came.
    pub heads_taken: u64,
    /// Entries of paths that were there already.
    pub entries_taken: u64,
    /// Comparisons that were there already.
    pub diffs_taken: u64,
    /// Whether the repository has a commit-graph, and changed-path filters in it.
    pub graph: Graph,
}

/// What the repository has of a commit-graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Graph {
    /// Nothing that may be used.
    #[default]
    None,
    /// Commits, but no changed-path filters.
    Commits,
    /// Commits and changed-path filters.
    Filters,
}

/// A part of the whole time that would be worth a note.
const WORTH_A_NOTE: f64 = 0.5;
/// What stays of the time in heads when the commit-graph has them: measured on long histories,
/// whose whole blames took less by so much.
const HEADS_WITH_GRAPH: f64 = 0.05;
/// What stays of the time in trees when filters answer for most commits: mostly 0.4 to 0.7.
const TREES_WITH_FILTERS: f64 = 0.6;

impl Profile {
    /// What a commit-graph with changed paths would probably bring: the time that it would save,
    /// of the whole time of the blame. Nothing unless times were taken, there is no such graph, and
    /// most of the time went into history rather than into the file.
    pub fn worth_of_graph(&self) -> Option<(Duration, Duration)> {
        let times = self.own.times?;
        let whole = times.whole();
        let (heads, trees) = (times.wall(Phase::Walk), times.wall(Phase::Trees));
        let heads = match self.graph {
            Graph::Filters => return None,
            Graph::Commits => Duration::ZERO,
            Graph::None => heads,
        };
        let saved = heads.mul_f64(1.0 - HEADS_WITH_GRAPH) + trees.mul_f64(1.0 - TREES_WITH_FILTERS);
        let most = (heads + trees).as_secs_f64() > WORTH_A_NOTE * whole.as_secs_f64();
        most.then_some((saved, whole))
    }

    /// The same in words, one line.
    pub fn advice(&self) -> Option<String> {
        let (saved, whole) = self.worth_of_graph()?;
        Some(format!(
            "`git commit-graph write --reachable --changed-paths` would probably save {} of {}",
            Milliseconds(saved),
            Milliseconds(whole)
        ))
    }
}

/// A duration in whole milliseconds, as it is shown.
struct Milliseconds(Duration);

impl fmt::Display for Milliseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} ms", self.0.as_secs_f64() * 1000.0)
    }
}

/// Tells a thread's CPU time, or nothing where the system does not.
pub type CpuClock = fn() -> Option<Duration>;

/// Takes the times of one thread, unless it is off.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    phase: Phase,
    since: Instant,
    times: Times,
    cpu: CpuClock,
    cpu_before: Option<Duration>,
}

impl Watch {
    /// A watch that runs if there is a clock.
    pub(crate) fn start(cpu: Option<CpuClock>) -> Watch {
        let running = cpu.map(|cpu| Running {
            phase: Phase::Pass,
            cpu_before: cpu(),
            since: Instant::now(),
            times: Times::default(),
            cpu,
        });
        Watch { running }
    }

    /// Begins a phase. Gives back the one before, which goes on afterwards.
    #[inline]
    pub(crate) fn enter(&mut self, phase: Phase) -> Phase {
        match &mut self.running {
            None => phase,
            Some(running) => running.enter(phase),
        }
    }

    /// Forgets the time since the phase began: the thread had nothing to do.
    pub(crate) fn skip(&mut self) {
        if let Some(running) = &mut self.running {
            running.since = Instant::now();
        }
    }

    /// What was taken.
    pub(crate) fn stop(mut self) -> Option<Times> {
        self.enter(Phase::Pass);
        let running = self.running?;
        let cpu = (running.cpu)().zip(running.cpu_before);
        Some(Times {
            cpu: cpu.map(|(now, before)| now.saturating_sub(before)),
            ..running.times
        })
    }
}

impl Running {
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

    fn profile(walk: u64, trees: u64, diff: u64, graph: Graph) -> Profile {
        let mut times = Times::default();
        times.phases[Phase::Walk as usize] = Duration::from_millis(walk);
        times.phases[Phase::Trees as usize] = Duration::from_millis(trees);
        times.phases[Phase::Diff as usize] = Duration::from_millis(diff);
        Profile {
            own: Work {
                times: Some(times),
                ..Work::default()
            },
            graph,
            ..Profile::default()
        }
    }

    #[test]
    fn a_graph_is_advised_where_history_takes_most_of_the_time() {
        let advice = profile(60, 40, 20, Graph::None).advice();
        let expected = "`git commit-graph write --reachable --changed-paths` \
                        would probably save 73 ms of 120 ms";
        assert_eq!(advice.as_deref(), Some(expected));
        assert_eq!(profile(60, 40, 120, Graph::None).advice(), None);
        assert_eq!(profile(60, 40, 20, Graph::Filters).advice(), None);
        assert!(profile(5, 80, 20, Graph::Commits).advice().is_some());
        assert_eq!(Profile::default().advice(), None);
    }

    #[test]
    fn a_watch_gives_time_to_one_phase_at_a_time() {
        let mut watch = Watch::start(Some(|| Some(Duration::ZERO)));
        let before = watch.enter(Phase::Trees);
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(watch.enter(before), Phase::Trees);
        watch.skip();
        let times = watch.stop().expect("it was on");
        assert!(times.wall(Phase::Trees) >= Duration::from_millis(2));
        assert_eq!(times.wall(Phase::Diff), Duration::ZERO);
        assert_eq!(times.cpu(Phase::Trees), Some(Duration::ZERO));
        let mut off = Watch::default();
        assert_eq!(off.enter(Phase::Diff), Phase::Diff);
        assert_eq!(off.stop(), None);
    }
}
