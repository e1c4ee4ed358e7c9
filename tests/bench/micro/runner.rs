//! What takes times, counts instructions and prints the table.

use std::{
    io::ErrorKind,
    path::Path,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

const FEWEST_ROUNDS: usize = 5;
const LONGEST: Duration = Duration::from_millis(500);

/// Measures those benchmarks that are wanted, and prints a row for each.
pub struct Runner {
    only: Vec<String>,
    rounds: Option<usize>,
    /// How to run one benchmark again, where instructions are counted.
    counted: Option<Vec<String>>,
    rows: usize,
}

impl Runner {
    /// Wants all benchmarks if `only` is empty.
    pub fn new(only: Vec<String>, rounds: Option<usize>) -> Runner {
        Runner {
            only,
            rounds,
            counted: None,
            rows: 0,
        }
    }

    /// Counts instructions too, of this program on a file of a repository.
    pub fn count_in(&mut self, repository: &Path, path: &str) {
        match Command::new("valgrind").arg("--version").output() {
            Ok(_) => {
                let repository = repository.to_str().expect("a name in UTF-8");
                self.counted = Some(vec![repository.to_owned(), path.to_owned()]);
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                eprintln!("valgrind is not installed: instructions are not counted");
            }
            Err(error) => panic!("valgrind: {error}"),
        }
    }

    /// Whether the benchmark `name`, or one of the group of that name, is wanted.
    pub fn wants(&self, name: &str) -> bool {
        let group = |name: &str| name.split('/').next().map(str::to_owned);
        let is_wanted = |only: &String| {
            if name.contains('/') && only.contains('/') {
                only == name
            } else {
                group(only) == group(name)
            }
        };
        self.only.is_empty() || self.only.iter().any(is_wanted)
    }

    /// Does `work`, which is so many `units`, for some rounds.
    pub fn measure(&mut self, name: &str, unit: &str, units: usize, mut work: impl FnMut()) {
        if units == 0 || !self.wants(name) {
            return;
        }
        let mut times = Vec::new();
        let begin = Instant::now();
        let enough = |done: usize| match self.rounds {
            Some(rounds) => done >= rounds,
            None => done >= FEWEST_ROUNDS && begin.elapsed() >= LONGEST,
        };
        while !enough(times.len()) {
            let start = Instant::now();
            work();
            times.push(start.elapsed());
        }
        times.sort();
        if self.rows == 0 {
            println!("| benchmark | units | least | median | instructions | for each |");
            println!("| --- | ---: | ---: | ---: | ---: | --- |");
        }
        self.rows += 1;
        let each = |time: Option<&Duration>| match time {
            Some(time) => in_words(time.as_secs_f64() * 1e9 / units as f64),
            None => "–".to_owned(),
        };
        let (least, median) = (each(times.first()), each(times.get(times.len() / 2)));
        let instructions = match &self.counted {
            Some(arguments) => {
                let count = |rounds| count(name, rounds, arguments);
                let round = count(2).saturating_sub(count(1));
                format!("{:.0}", round as f64 / units as f64)
            }
            None => "–".to_owned(),
        };
        println!("| {name} | {units} | {least} | {median} | {instructions} | {unit} |");
    }

    /// Fails if nothing was measured.
    pub fn finish(self) -> ExitCode {
        if self.rows == 0 {
            eprintln!("there is nothing to measure of that name");
            return ExitCode::FAILURE;
        }
        ExitCode::SUCCESS
    }
}

fn in_words(nanoseconds: f64) -> String {
    match nanoseconds {
        ..100.0 => format!("{nanoseconds:.1} ns"),
        ..100_000.0 => format!("{:.2} µs", nanoseconds / 1e3),
        _ => format!("{:.0} µs", nanoseconds / 1e3),
    }
}

/// The instructions of all of this program with so many rounds of one benchmark. What comes before
/// the rounds is the same for any number of them.
fn count(name: &str, rounds: usize, arguments: &[String]) -> u64 {
    let program = std::env::current_exe().expect("this program has a name");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    valgrind.arg(program).args(["--only", name, "--rounds"]);
    valgrind.arg(rounds.to_string()).args(arguments);
    let output = valgrind.output().expect("valgrind runs");
    let words = String::from_utf8_lossy(&output.stderr);
    let line = words
        .lines()
        .find_map(|line| line.split_once("Collected :"));
    let number = line.and_then(|(_, number)| number.trim().parse().ok());
    number.unwrap_or_else(|| panic!("{name}: {words}"))
}
