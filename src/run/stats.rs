//! `--stats`: where the time went, on standard error.

use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

use crate::{
    cpu_time,
    engine::{Blame, Phase, Profile, Stats, Work},
};

/// Wall time, and CPU time where the system tells it.
#[derive(Debug, Clone, Copy)]
struct Spent {
    wall: Duration,
    cpu: Option<Duration>,
}

impl Spent {
    /// Since `began`; the CPU time is all that this thread has used.
    fn since(began: Instant) -> Spent {
        Spent {
            wall: began.elapsed(),
            cpu: cpu_time::of_thread(),
        }
    }

    fn minus(self, earlier: Spent) -> Spent {
        Spent {
            wall: self.wall.saturating_sub(earlier.wall),
            cpu: combine(self.cpu, earlier.cpu, Duration::saturating_sub),
        }
    }
}

fn combine(
    one: Option<Duration>,
    other: Option<Duration>,
    how: fn(Duration, Duration) -> Duration,
) -> Option<Duration> {
    Some(how(one?, other?))
}

/// Keeps account of a run whose times are to be shown.
#[derive(Debug)]
pub(super) struct Account {
    began: Instant,
    opened: Spent,
    blamed: Option<(Spent, Stats, Profile)>,
}

impl Account {
    /// Everything up to now was opening; the program began at `began`.
    pub(super) fn open(began: Instant) -> Account {
        Account {
            began,
            opened: Spent::since(began),
            blamed: None,
        }
    }

    /// The blame has ended.
    pub(super) fn blamed(&mut self, blame: &Blame) {
        self.blamed = Some((Spent::since(self.began), blame.stats, blame.profile));
    }

    /// Everything has ended: shows the account. Nobody is left to hear of it if this fails.
    pub(super) fn show(&self) {
        let mut text = Vec::new();
        if self.write(&mut text).is_ok() {
            io::stderr().lock().write_all(&text).ok();
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some((blamed, stats, profile)) = &self.blamed else {
            return Ok(());
        };
        let whole = Spent::since(self.began);
        self.write_phases(out, *blamed, whole, profile)?;
        write_counts(out, stats, profile)?;
        if let Some(advice) = profile.advice() {
            writeln!(out, "hint         {advice}")?;
        }
        Ok(())
    }

    fn write_phases(
        &self,
        out: &mut dyn Write,
        blamed: Spent,
        whole: Spent,
        profile: &Profile,
    ) -> io::Result<()> {
        let own = profile.own.times.unwrap_or_default();
        let ahead = profile.ahead.and_then(|ahead| ahead.times);
        let blaming = blamed.minus(self.opened);
        writeln!(out, "phase      wall ms    CPU ms  ahead ms")?;
        row(out, "open", self.opened, Some(Duration::ZERO))?;
        for phase in Phase::ALL {
            let mut wall = own.wall(phase);
            let mut cpu = own.cpu(phase);
            if let Some(ahead) = ahead {
                cpu = combine(cpu, ahead.cpu(phase), Duration::saturating_add);
            }
            match phase {
                // Starting and ending the other thread.
                Phase::Pass => wall += blaming.wall.saturating_sub(own.whole()),
                Phase::Output => {
                    let after = whole.minus(blamed);
                    wall += after.wall;
                    cpu = combine(cpu, after.cpu, Duration::saturating_add);
                }
                _ => {}
            }
            let spent = Spent { wall, cpu };
            row(
                out,
                phase.name(),
                spent,
                ahead.map(|times| times.wall(phase)),
            )?;
        }
        let other = ahead.map_or(Some(Duration::ZERO), |ahead| ahead.cpu);
        let whole = Spent {
            cpu: combine(whole.cpu, other, Duration::saturating_add),
            ..whole
        };
        row(out, "all", whole, ahead.map(|times| times.whole()))
    }
}

fn row(out: &mut dyn Write, name: &str, spent: Spent, ahead: Option<Duration>) -> io::Result<()> {
    let shown = |time: Option<Duration>| match time {
        Some(time) => format!("{:.2}", time.as_secs_f64() * 1000.0),
        None => "-".to_owned(),
    };
    let (wall, cpu, ahead) = (shown(Some(spent.wall)), shown(spent.cpu), shown(ahead));
    writeln!(out, "{name:8} {wall:>9} {cpu:>9} {ahead:>9}")
}

fn write_counts(out: &mut dyn Write, stats: &Stats, profile: &Profile) -> io::Result<()> {
    let Profile {
        own,
        reading,
        read_ahead,
        ..
    } = profile;
    let ahead = profile.ahead.unwrap_or_default();
    writeln!(
        out,
        "commits      {} visited, {} compared with parents",
        stats.visited, stats.commits
    )?;
    let heads = reading.heads_from_graph + reading.heads_inflated;
    writeln!(
        out,
        "heads        {heads} read, {} of them from the commit-graph; {} ahead, {} of these used",
        reading.heads_from_graph,
        read_ahead.heads_from_graph + read_ahead.heads_inflated,
        profile.heads_taken,
    )?;
    writeln!(
        out,
        "trees        {} looked into, {} answered from memory, {} deltas projected; \
         {} ahead, {} paths used",
        reading.lookups,
        reading.lookups_remembered,
        reading.lookups_projected,
        read_ahead.lookups,
        profile.entries_taken,
    )?;
    writeln!(
        out,
        "filters      {} paths unchanged by the commit-graph's filters",
        own.filtered + ahead.filtered
    )?;
    let made = |work: &Work| work.versions_derived + work.versions_whole;
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
        "diffs        {} made, {} of them ahead, {} of these used",
        own.diffs + ahead.diffs,
        ahead.diffs,
        profile.diffs_taken
    )?;
    writeln!(
        out,
        "renames      {} tried, {} candidates",
        own.renames, own.rename_sources
    )?;
    let made = reading.bases_unique + reading.bases_regenerated;
    writeln!(
        out,
        "delta bases  {} requested, {} unique, {} regenerated ({:.3} times each), {} KiB held",
        reading.bases_requested,
        reading.bases_unique,
        reading.bases_regenerated,
        made as f64 / reading.bases_unique.max(1) as f64,
        reading.cached_bytes / 1024,
    )
}
