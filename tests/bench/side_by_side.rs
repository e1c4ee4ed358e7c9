//! Times tblame and git blame in turn on files of real repositories, and prints a table.
//!
//! `cargo bench --bench side_by_side -- REPOSITORY=FILE,FILE…` for each repository. Nothing is
//! written to a repository: `--graph` works on a temporary clone that shares its objects.

mod alternating;
#[path = "../harness/mod.rs"]
mod harness;
mod peers;

use std::{
    collections::HashMap,
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    time::Duration,
};

use clap::Parser;
use tempfile::TempDir;

use alternating::medians;

/// Times tblame and git blame in turn on files of repositories.
#[derive(Debug, Parser)]
#[command(name = "side_by_side")]
struct Arguments {
    /// A repository and some of its files, separated by commas
    #[arg(required = true, value_name = "REPOSITORY=FILE,FILE…")]
    lists: Vec<OsString>,
    /// The revision to blame
    #[arg(long, default_value = "HEAD")]
    revision: String,
    /// An option for both programs, instead of `--porcelain`; repeatable
    #[arg(long = "with", value_name = "OPTION", allow_hyphen_values = true)]
    with: Vec<String>,
    /// In each file, ignore the commit that most of its lines come from
    #[arg(long)]
    ignore_most: bool,
    /// Timed runs of each program
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// With a commit-graph that has changed paths, made in a temporary clone
    #[arg(long)]
    graph: bool,
    /// How many threads tblame may use
    #[arg(long)]
    threads: Option<u32>,
    /// The git to compare with
    #[arg(long, default_value = "git")]
    git: PathBuf,
    /// Another program to time on the same files at HEAD, as words to which the file is added:
    /// `gix blame`; repeatable
    #[arg(long = "peer", value_name = "COMMAND")]
    peers: Vec<String>,
    /// The same for one that shows the file in a terminal, until its screen is still: `tig blame`
    #[arg(long = "viewer", value_name = "COMMAND")]
    viewers: Vec<String>,
    /// The program to time
    #[arg(long, default_value = env!("CARGO_BIN_EXE_tblame"))]
    tblame: PathBuf,
    /// Passed by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

/// One program with the arguments that come before the common ones.
struct Program {
    path: PathBuf,
    before: Vec<OsString>,
}

impl Program {
    fn command(&self, job: &Job, arguments: &Arguments) -> Command {
        let mut command = Command::new(&self.path);
        self.complete(&mut command, job, arguments);
        command
    }

    /// The same under a program that measures memory.
    fn measured(&self, job: &Job, arguments: &Arguments, report: &Path) -> Command {
        let mut command = Command::new("/usr/bin/time");
        command.args(["-f", "%M", "-o"]).arg(report).arg(&self.path);
        self.complete(&mut command, job, arguments);
        command
    }

    fn complete(&self, command: &mut Command, job: &Job, arguments: &Arguments) {
        // Each blame is made anew.
        command.env("TBLAME_CACHE", "off");
        command.current_dir(&job.repository).args(&self.before);
        if arguments.with.is_empty() {
            command.arg("--porcelain")
        } else {
            command.args(&arguments.with)
        };
        if let Some(ignored) = &job.ignored {
            command.args(["--ignore-rev", ignored]);
        }
        command.args([&arguments.revision, "--"]).arg(&job.file);
        command.stdin(Stdio::null()).stderr(Stdio::null());
    }
}

/// A file to blame.
struct Job {
    repository: PathBuf,
    label: String,
    file: OsString,
    /// The commit to ignore, in hex.
    ignored: Option<String>,
}

/// What was measured for a file.
struct Row {
    label: String,
    git: Duration,
    tblame: Duration,
    /// Peak resident sets in KiB.
    memory: Option<(u64, u64)>,
    same: bool,
}

impl Row {
    fn ratio(&self) -> f64 {
        self.git.as_secs_f64() / self.tblame.as_secs_f64()
    }
}

fn main() -> ExitCode {
    let mut words = std::env::args_os().collect::<Vec<_>>();
    if words.len() == 2 && words[1] == "--bench" {
        // A plain `cargo bench` runs everything: without a repository there is nothing to do.
        words[1] = "--help".into();
    }
    let arguments = Arguments::parse_from(words);
    let git = Program {
        path: arguments.git.clone(),
        before: vec!["blame".into()],
    };
    let threads = arguments.threads.map(|n| format!("--threads={n}").into());
    let tblame = Program {
        path: arguments.tblame.clone(),
        before: Vec::from_iter(threads),
    };
    // The clones must live until the last run.
    let mut clones = Vec::new();
    let jobs = jobs(&arguments, &mut clones);
    print_head(&arguments);
    let mut rows = Vec::new();
    for job in &jobs {
        let row = measure(&arguments, job, &git, &tblame);
        print_row(&row);
        rows.push(row);
    }
    print_summary(&rows);
    print_peers(&arguments, &jobs, &rows);
    if rows.iter().all(|row| row.same) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn jobs(arguments: &Arguments, clones: &mut Vec<TempDir>) -> Vec<Job> {
    let mut jobs = Vec::new();
    for list in &arguments.lists {
        let list = list.as_bytes();
        let Some(equals) = list.iter().position(|&b| b == b'=') else {
            panic!("{}: REPOSITORY=FILE,FILE… is expected", list.escape_ascii());
        };
        let given = Path::new(OsStr::from_bytes(&list[..equals]));
        let given = given.canonicalize().expect("the repository exists");
        let repository = if arguments.graph {
            with_graph(&arguments.git, &given, clones)
        } else {
            given.clone()
        };
        for file in list[equals + 1..].split(|&b| b == b',') {
            let name = match given.file_name() {
                Some(name) if name == "repo" || name == ".git" => {
                    given.parent().and_then(Path::file_name)
                }
                name => name,
            };
            let name = name.unwrap_or_default().to_string_lossy();
            let file = OsString::from_vec(file.to_vec());
            let ignored = arguments.ignore_most.then(|| {
                let found = commit_of_most_lines(arguments, &repository, &file);
                found.unwrap_or_else(|| panic!("{}: git blames no line", file.display()))
            });
            jobs.push(Job {
                repository: repository.clone(),
                label: format!("{name} {}", file.display()),
                file,
                ignored,
            });
        }
    }
    jobs
}

/// The commit that most lines of the file come from.
fn commit_of_most_lines(arguments: &Arguments, repository: &Path, file: &OsStr) -> Option<String> {
    let mut command = Command::new(&arguments.git);
    command.args(["blame", "-s", "-l", "--root", &arguments.revision, "--"]);
    let output = command.arg(file).current_dir(repository).output().ok()?;
    let mut lines = HashMap::new();
    for line in output.stdout.split(|&b| b == b'\n') {
        let id = line.split(|&b| b == b' ').next()?;
        if !id.is_empty() {
            *lines.entry(id).or_insert(0) += 1;
        }
    }
    let (id, _) = lines.into_iter().max_by_key(|&(id, count)| (count, id))?;
    String::from_utf8(id.to_vec()).ok()
}

/// A clone that shares the objects, with a commit-graph of its own.
fn with_graph(git: &Path, repository: &Path, clones: &mut Vec<TempDir>) -> PathBuf {
    let dir = tempfile::tempdir().expect("a temporary directory can be made");
    let clone = dir.path().join("clone");
    let run = |command: &mut Command| {
        let status = command.status().expect("git runs");
        assert!(status.success(), "{command:?}: {status}");
    };
    let mut cloning = Command::new(git);
    cloning.args(["clone", "-q", "--bare", "--shared"]);
    run(cloning.arg(repository).arg(&clone));
    let mut writing = Command::new(git);
    let words = [
        "commit-graph",
        "write",
        "--reachable",
        "--changed-paths",
        "--no-progress",
    ];
    run(writing.arg("-C").arg(&clone).args(words));
    clones.push(dir);
    clone
}

fn measure(arguments: &Arguments, job: &Job, git: &Program, tblame: &Program) -> Row {
    // The first run warms the page cache and shows whether both say the same.
    let output = |program: &Program| {
        let output = program.command(job, arguments).output();
        output.unwrap_or_else(|error| panic!("{}: {error}", program.path.display()))
    };
    let (theirs, ours) = (output(git), output(tblame));
    let same = theirs.status.code() == ours.status.code() && theirs.stdout == ours.stdout;
    let times = medians(
        arguments.runs,
        || git.command(job, arguments),
        || tblame.command(job, arguments),
    );
    Row {
        label: job.label.clone(),
        git: times.0,
        tblame: times.1,
        memory: peak(git, job, arguments).zip(peak(tblame, job, arguments)),
        same,
    }
}

/// Peak resident set in KiB, where GNU time is installed.
fn peak(program: &Program, job: &Job, arguments: &Arguments) -> Option<u64> {
    let dir = tempfile::tempdir().ok()?;
    let report = dir.path().join("memory");
    let mut command = program.measured(job, arguments, &report);
    command.stdout(Stdio::null()).status().ok()?;
    let report = std::fs::read_to_string(report).ok()?;
    report.lines().last()?.trim().parse().ok()
}

fn print_head(arguments: &Arguments) {
    let version = Command::new(&arguments.git).arg("version").output();
    let version = version.map(|output| output.stdout).unwrap_or_default();
    let version = String::from_utf8_lossy(&version);
    let with = if arguments.with.is_empty() {
        "--porcelain".to_owned()
    } else {
        arguments.with.join(" ")
    };
    let threads = match arguments.threads {
        Some(1) => ", one thread".to_owned(),
        Some(n) => format!(", {n} threads"),
        None => String::new(),
    };
    let graph = if arguments.graph {
        ", commit-graph with changed paths"
    } else {
        ""
    };
    let ignored = if arguments.ignore_most {
        ", the commit of most lines ignored"
    } else {
        ""
    };
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    println!(
        "`{with}`{threads}{graph}{ignored}; {} on {cores} cores, medians of {} runs.\n",
        version.trim(),
        arguments.runs
    );
    println!("| file | git ms | tblame ms | × | git MB | tblame MB |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
}

fn print_row(row: &Row) {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    let memory = match row.memory {
        Some((git, tblame)) => format!("{} | {}", git / 1024, tblame / 1024),
        None => "– | –".into(),
    };
    println!(
        "| {}{} | {:.0} | {:.0} | {:.1} | {memory} |",
        row.label,
        if row.same { "" } else { " **differs**" },
        milliseconds(row.git),
        milliseconds(row.tblame),
        row.ratio(),
    );
}

fn print_summary(rows: &[Row]) {
    let mean = |values: Vec<f64>| {
        let logarithms: f64 = values.iter().map(|value| value.ln()).sum();
        (logarithms / values.len() as f64).exp()
    };
    let worst = rows.iter().min_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    let worst = worst.expect("there is a file");
    println!(
        "\nGeometric mean {:.2} ×, worst {:.2} × ({}).",
        mean(rows.iter().map(Row::ratio).collect()),
        worst.ratio(),
        worst.label
    );
    let memory: Vec<f64> = rows
        .iter()
        .filter_map(|row| row.memory)
        .map(|(git, tblame)| tblame as f64 / git as f64)
        .collect();
    if !memory.is_empty() {
        println!("Peak memory, tblame ÷ git: {:.2}.", mean(memory));
    }
}

fn print_peers(arguments: &Arguments, jobs: &[Job], rows: &[Row]) {
    let pipes = arguments.peers.iter().map(|words| (words, false));
    let screens = arguments.viewers.iter().map(|words| (words, true));
    for (words, shows) in pipes.chain(screens) {
        let what = if shows {
            "until its screen is still, "
        } else {
            ""
        };
        println!("\n`{words}`, {what}medians; × is its time ÷ tblame's above.\n");
        println!("| file | ms | × |\n| --- | ---: | ---: |");
        for (job, row) in jobs.iter().zip(rows) {
            let time = || {
                if shows {
                    peers::screen(words, &job.repository, &job.file)
                } else {
                    peers::pipe(words, &job.repository, &job.file)
                }
            };
            let times: Option<Vec<_>> = (0..arguments.runs.max(1)).map(|_| time()).collect();
            let Some(time) = times.map(alternating::median) else {
                println!("| {} | fails | – |", row.label);
                continue;
            };
            println!(
                "| {} | {:.0} | {:.1} |",
                row.label,
                time.as_secs_f64() * 1000.0,
                time.as_secs_f64() / row.tblame.as_secs_f64()
            );
        }
    }
}
