//! Timings for `--stats`, printed on standard error.

use std::{
    io,
    time::{Duration, Instant},
};

use crate::{
    engine::{Blame, Profile, Stats},
    output::profile_report::{self, TimeSpent},
    system::{cpu_time, run_log},
};

/// Time since `began`; the CPU time is that of the whole thread.
fn since(began: Instant) -> TimeSpent {
    TimeSpent {
        wall: began.elapsed(),
        cpu: cpu_time::of_thread(),
    }
}

/// Measures the phases of a run.
#[derive(Debug)]
pub(super) struct PhaseTimer {
    began: Instant,
    /// The report is printed, and not only noted in the log.
    prints: bool,
    opened: TimeSpent,
    blamed: Option<(TimeSpent, Stats, Profile)>,
}

impl PhaseTimer {
    /// Ends the phase that opens the repository. The program began at `began`. The report is printed
    /// if it `prints`.
    pub(super) fn opened(began: Instant, prints: bool) -> PhaseTimer {
        PhaseTimer {
            began,
            prints,
            opened: since(began),
            blamed: None,
        }
    }

    /// Ends the phase of the blame.
    pub(super) fn blamed(&mut self, blame: &Blame) {
        let (entries, origins) = (blame.entries.len(), blame.origins.len());
        let (boundaries, unreadable) = (blame.boundaries.len(), blame.unreadable_parents.len());
        run_log::note(
            "result",
            format_args!(
                "{entries} entries of {origins} origins, {boundaries} boundaries, {unreadable} unreadable parents"
            ),
        );
        self.walked(blame.stats, blame.profile);
    }

    /// Ends the phase of the walk.
    pub(super) fn walked(&mut self, stats: Stats, profile: Profile) {
        self.blamed = Some((since(self.began), stats, profile));
    }

    /// Ends the last phase and prints the report, or notes it.
    pub(super) fn print(&self) {
        if let Some((blamed, stats, profile)) = self.blamed {
            let after = since(self.began).minus(blamed);
            let blaming = blamed.minus(self.opened).wall;
            self.print_blame(blaming, after, stats, profile);
        }
    }

    /// Prints the report of a blame of the viewer, or notes it. Errors are ignored: standard error
    /// may be closed.
    pub(super) fn print_blame(
        &self,
        blaming: Duration,
        after: TimeSpent,
        stats: Stats,
        profile: Profile,
    ) {
        let report = profile_report::ProfileReport {
            opened: Some(self.opened),
            blaming,
            after,
            stats,
            profile,
        };
        let mut text = Vec::new();
        if report.write(&mut text).is_ok() {
            run_log::note("phases", format_args!("{}", String::from_utf8_lossy(&text)));
            if self.prints {
                io::Write::write_all(&mut io::stderr().lock(), &text).ok();
            }
        }
    }
}
