//! The CPU and wall time of processes.

use std::process::Command;

/// Time of a process in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Time {
    pub cpu: f64,
    pub wall: f64,
}

/// Runs a command some times in a shell that measures it; returns the time of one run.
pub fn time(command: &Command, runs: u32) -> Time {
    // The times of processes have a resolution of a millisecond there.
    let script = "TIMEFORMAT='%3U %3S %3R'; n=$1; shift; \
                  time for ((i = 0; i < n; i++)); do \"$@\" > /dev/null 2>&1; done";
    let mut shell = Command::new("bash");
    shell.args(["-c", script, "bash", &runs.to_string()]);
    shell.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let directory = command.get_current_dir().expect("commands have one");
    let output = shell.current_dir(directory).output().expect("bash runs");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr);
    let numbers: Vec<f64> = text
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    let [user, system, wall] = numbers[..] else {
        panic!("{shell:?}: {text}");
    };
    let of_one = |seconds: f64| seconds * 1000.0 / f64::from(runs);
    Time {
        cpu: of_one(user + system),
        wall: of_one(wall),
    }
}
