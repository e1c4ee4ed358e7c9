//! Takes the times that `--stats` shows on standard error.

use std::{
    io,
    time::{Duration, Instant},
};

use crate::{
    cpu_time,
    engine::{Blame, Profile, Stats},
    output::profile_report::{self, Spent},
};

/// Since `began`; the CPU time is all that this thread has used.
fn since(began: Instant) -> Spent {
    Spent {
        wall: began.elapsed(),
        cpu: cpu_time::of_thread(),
    }
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
            opened: since(began),
            blamed: None,
        }
    }

    /// The blame has ended.
    pub(super) fn blamed(&mut self, blame: &Blame) {
        self.blamed = Some((since(self.began), blame.stats, blame.profile));
    }

    /// Everything has ended: shows the account.
    pub(super) fn show(&self) {
        if let Some((blamed, stats, profile)) = self.blamed {
            let after = since(self.began).minus(blamed);
            let blaming = blamed.minus(self.opened).wall;
            self.show_blame(blaming, after, stats, profile);
        }
    }

    /// Shows the account of a blame that the viewer made. Nobody is left to hear of it if this
    /// fails.
    pub(super) fn show_blame(
        &self,
        blaming: Duration,
        after: Spent,
        stats: Stats,
        profile: Profile,
    ) {
        let account = profile_report::Account {
            opened: Some(self.opened),
            blaming,
            after,
            stats,
            profile,
        };
        let mut text = Vec::new();
        if account.write(&mut text).is_ok() {
            io::Write::write_all(&mut io::stderr().lock(), &text).ok();
        }
    }
}
