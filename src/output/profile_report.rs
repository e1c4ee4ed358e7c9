//! The report of times and counters of a blame, for `--stats` and the viewer.

use std::{
    io::{self, Write},
    time::Duration,
};

use crate::engine::{Phase, Profile, Stats, ThreadProfile};

/// Wall time, and CPU time on systems that report it.
#[derive(Debug, Clone, Copy)]
pub struct TimeSpent {
    /// Wall time.
    pub wall: Duration,
    /// CPU time of the thread.
    pub cpu: Option<Duration>,
}

impl Default for TimeSpent {
    fn default() -> Self {
        TimeSpent {
            wall: Duration::ZERO,
            cpu: Some(Duration::ZERO),
        }
    }
}

impl TimeSpent {
    /// The difference to an earlier measurement.
    pub fn minus(self, earlier: TimeSpent) -> TimeSpent {
        TimeSpent {
            wall: self.wall.saturating_sub(earlier.wall),
            cpu: combine(self.cpu, earlier.cpu, Duration::saturating_sub),
        }
    }

    fn plus(self, other: TimeSpent) -> TimeSpent {
        TimeSpent {
            wall: self.wall.saturating_add(other.wall),
            cpu: combine(self.cpu, other.cpu, Duration::saturating_add),
        }
    }
}

fn combine(
    one: Option<Duration>,
    other: Option<Duration>,
    operation: fn(Duration, Duration) -> Duration,
) -> Option<Duration> {
    Some(operation(one?, other?))
}

/// The data of the report.
#[derive(Debug, Clone)]
pub struct ProfileReport {
    /// Time before the blame, if known.
    pub opened: Option<TimeSpent>,
    /// Wall time of the blame.
    pub blaming: Duration,
    /// Time after the blame.
    pub after: TimeSpent,
    /// Counters of `--show-stats`.
    pub stats: Stats,
    /// Times of phases and other counters.
    pub profile: Profile,
}

impl ProfileReport {
    /// Writes the report.
    ///
    /// # Errors
    ///
    /// If `out` cannot be written to.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_phases(out)?;
        write_counts(out, &self.stats, &self.profile)
    }

    fn write_phases(&self, out: &mut dyn Write) -> io::Result<()> {
        let own = self.profile.walk.times.unwrap_or_default();
        let ahead = self.profile.prefetch.and_then(|ahead| ahead.times);
        writeln!(out, "phase      wall ms    CPU ms  ahead ms")?;
        if let Some(opened) = self.opened {
            row(out, "open", opened, Some(Duration::ZERO))?;
        }
        for phase in Phase::ALL {
            let cpu = own.cpu(phase);
            let mut spent = TimeSpent {
                wall: own.wall(phase),
                cpu: match ahead {
                    Some(ahead) => combine(cpu, ahead.cpu(phase), Duration::saturating_add),
                    None => cpu,
                },
            };
            match phase {
                // Starting and joining the prefetch thread.
                Phase::Pass => spent.wall += self.blaming.saturating_sub(own.whole()),
                Phase::Output => spent = spent.plus(self.after),
                _ => {}
            }
            let ahead = ahead.map(|times| times.wall(phase));
            row(out, phase.name(), spent, ahead)?;
        }
        let other = ahead.map_or(Some(Duration::ZERO), |ahead| ahead.cpu);
        let blaming = TimeSpent {
            wall: self.blaming,
            cpu: combine(own.cpu, other, Duration::saturating_add),
        };
        let opened = self.opened.unwrap_or_default();
        let all = opened.plus(blaming).plus(self.after);
        row(out, "all", all, ahead.map(|times| times.whole()))
    }
}

fn row(
    out: &mut dyn Write,
    name: &str,
    spent: TimeSpent,
    ahead: Option<Duration>,
) -> io::Result<()> {
    let shown = |time: Option<Duration>| match time {
        Some(time) => format!("{:.2}", time.as_secs_f64() * 1000.0),
        None => "-".to_owned(),
    };
    let (wall, cpu, ahead) = (shown(Some(spent.wall)), shown(spent.cpu), shown(ahead));
    writeln!(out, "{name:8} {wall:>9} {cpu:>9} {ahead:>9}")
}

fn write_counts(out: &mut dyn Write, stats: &Stats, profile: &Profile) -> io::Result<()> {
    let Profile {
        walk: own,
        reads,
        prefetch_reads,
        ..
    } = profile;
    let ahead = profile.prefetch.unwrap_or_default();
    writeln!(
        out,
        "commits      {} visited, {} compared with parents",
        stats.visited, stats.commits
    )?;
    writeln!(
        out,
        "kept         {} lines taken from kept blames",
        stats.cached_lines
    )?;
    let heads = reads.heads_from_graph + reads.heads_inflated;
    writeln!(
        out,
        "heads        {heads} read, {} of them from the commit-graph; {} prefetched, {} of these used",
        reads.heads_from_graph,
        prefetch_reads.heads_from_graph + prefetch_reads.heads_inflated,
        profile.headers_used,
    )?;
    writeln!(
        out,
        "trees        {} looked into, {} answered from memory, {} deltas projected; \
         {} prefetched, {} paths used",
        reads.lookups,
        reads.lookups_remembered,
        reads.lookups_projected,
        prefetch_reads.lookups,
        profile.entries_used,
    )?;
    writeln!(
        out,
        "filters      {} paths unchanged by the commit-graph's filters",
        own.filtered + ahead.filtered
    )?;
    let made = |work: &ThreadProfile| work.versions_derived + work.versions_whole;
    writeln!(
        out,
        "versions     {} derived, {} cut from whole texts, {} held when asked for; {} ahead; \
         {} made again",
        own.versions_derived + ahead.versions_derived,
        own.versions_whole + ahead.versions_whole,
        own.versions_held + ahead.versions_held,
        made(&ahead),
        own.versions_again + ahead.versions_again,
    )?;
    writeln!(
        out,
        "diffs        {} made, {} of them prefetched, {} of these used",
        own.diffs + ahead.diffs,
        ahead.diffs,
        profile.diffs_used
    )?;
    writeln!(
        out,
        "renames      {} tried, {} candidates",
        own.renames, own.rename_sources
    )?;
    let made = reads.bases_unique + reads.bases_regenerated;
    writeln!(
        out,
        "delta bases  {} requested, {} unique, {} regenerated ({:.3} times each), {} KiB held",
        reads.bases_requested,
        reads.bases_unique,
        reads.bases_regenerated,
        made as f64 / reads.bases_unique.max(1) as f64,
        reads.cached_bytes / 1024,
    )
}
