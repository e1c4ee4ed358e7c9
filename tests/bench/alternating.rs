//! Timing two programs in alternation, so that both see the same state of the machine.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// The medians of both programs' wall times over alternating runs.
pub fn medians(
    runs: usize,
    one: impl Fn() -> Command,
    other: impl Fn() -> Command,
) -> (Duration, Duration) {
    let mut times = (Vec::new(), Vec::new());
    for _ in 0..runs.max(1) {
        times.0.push(time(one()));
        times.1.push(time(other()));
    }
    (median(times.0), median(times.1))
}

/// The wall time of a run.
pub fn time(mut command: Command) -> Duration {
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).status();
    status.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    start.elapsed()
}

/// The median of some times, at least one.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
