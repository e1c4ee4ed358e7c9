//! Times and counters of a blame.
//!
//! Counters are always on. Times are measured only on request: a [`ThreadTimer`] that is off costs
//! a test of a flag.

use std::time::{Duration, Instant};

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
