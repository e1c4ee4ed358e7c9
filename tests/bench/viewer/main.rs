//! How fast the viewer is.
//!
//! `cargo bench --bench viewer` draws frames of a made-up file of 100,000 lines through the
//! terminal's own encoder, and says how long a frame takes and how many bytes it sends.
//!
//! `cargo bench --bench viewer -- REPOSITORY=FILE,FILE…` runs the real program in a pseudo-terminal
//! and says how long it takes until the text is on the screen, until every line on the screen is
//! attributed, and from a key to its frame while the blame streams. With `--kept` before the
//! repositories, each file was blamed by an earlier run, which kept the blame; with `--remembered`, an earlier run has
//! remembered the commits only. `--cpu` compares the viewer's CPU time with that of the same blame in a pipe.
//! With `--steps` it steps through the versions of each file.

#[path = "../caches.rs"]
mod caches;
#[path = "../cpu_time.rs"]
mod cpu_time;
mod frames;
#[path = "../../harness/mod.rs"]
mod harness;
mod steps;
mod terminal;

use std::{ffi::OsString, time::Duration};

/// Columns and rows of the screen.
const SIZE: (u16, u16) = (200, 60);

fn main() {
    // Cargo adds this one itself.
    let arguments = std::env::args_os().skip(1).filter(|it| it != "--bench");
    let arguments: Vec<OsString> = arguments.collect();
    match &arguments[..] {
        [] => frames::measure(),
        [first, lists @ ..] if first == "--kept" => terminal::measure_kept(lists),
        [first, lists @ ..] if first == "--remembered" => terminal::measure_remembered(lists),
        [first, lists @ ..] if first == "--cpu" => terminal::measure_cpu(lists),
        [first, lists @ ..] if first == "--steps" => steps::measure_steps(lists),
        lists => terminal::measure(lists),
    }
}

/// The value that a share of all values is not above; 0.5 is the median.
fn quantile<T: Ord + Copy>(values: &mut [T], share: f64) -> T {
    values.sort_unstable();
    let at = (values.len() as f64 * share) as usize;
    values[at.min(values.len() - 1)]
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
