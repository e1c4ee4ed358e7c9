//! Times second looks: blames with a cache that has the blame of the same or of an older commit, beside git's and
//! tblame's own without it.
//!
//! `cargo bench --bench second_look -- REPOSITORY[=FILE,FILE…]…`. Nothing is written to a repository: a temporary clone
//! that shares its objects has the commit-graph.

mod cpu_time;
mod daily;
#[path = "../harness/mod.rs"]
mod harness;

use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    process::{Command, ExitCode, Output, Stdio},
};

use clap::Parser;
use tempfile::TempDir;

use cpu_time::{Time, time};
use harness::rng::Rng;

/// How many commits the kept blame is behind, for the columns of spliced blames.
const BEHIND: [u32; 4] = [1, 10, 100, 1000];

/// Times second looks at files of repositories.
#[derive(Debug, Parser)]
#[command(name = "second_look")]
struct Arguments {
    /// A repository, and some of its files, separated by commas; without them, random ones
    #[arg(required = true, value_name = "REPOSITORY[=FILE,FILE…]")]
    lists: Vec<OsString>,
    /// How many random files of each repository
    #[arg(long, default_value_t = 5)]
    count: usize,
    /// What draws the random files
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Rounds; each runs everything once
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Instead of timing: walk so many commits along the first parents, blame after each a file that it changed, and
    /// compare with git
    #[arg(long, value_name = "COMMITS")]
    daily: Option<usize>,
    /// How many threads tblame may use
    #[arg(long)]
    threads: Option<u32>,
    /// The git to compare with
    #[arg(long, default_value = "git")]
    git: PathBuf,
    /// The program to time
    #[arg(long, default_value = env!("CARGO_BIN_EXE_tblame"))]
    tblame: PathBuf,
    /// Passed by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

/// A repository and its files.
struct Subject {
    name: String,
    path: PathBuf,
    /// A clone that shares the objects, with a commit-graph.
    with_graph: PathBuf,
    files: Vec<OsString>,
    _clone: TempDir,
}

fn main() -> ExitCode {
    let mut words = std::env::args_os().collect::<Vec<_>>();
    if words.len() == 2 && words[1] == "--bench" {
        // A plain `cargo bench` runs everything: without a repository there is nothing to do.
        words[1] = "--help".into();
    }
    let arguments = Arguments::parse_from(words);
    let subjects: Vec<_> = arguments
        .lists
        .iter()
        .map(|list| subject(&arguments, list))
        .collect();
    if let Some(commits) = arguments.daily {
        return daily::run(&arguments, &subjects, commits);
    }
    let version = output(Command::new(&arguments.git).arg("version")).stdout;
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    println!(
        "`--porcelain`; {} on {cores} cores, medians of {} rounds. CPU milliseconds of whole processes, wall time in \
         parentheses.\n",
        String::from_utf8_lossy(&version).trim(),
        arguments.rounds
    );
    println!(
        "| file | git | with graph | cold | that keeps | heads known | warmed | second look | 1 behind | 10 | 100 | 1000 | KiB | git ÷ second | \
         with graph |"
    );
    println!("| --- |{}", " ---: |".repeat(14));
    let mut rows = Vec::new();
    for subject in &subjects {
        for file in &subject.files {
            let row = measure(&arguments, subject, file);
            row.print();
            rows.push(row);
        }
    }
    summarize(&rows);
    if rows.iter().all(|row| row.same) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn output(command: &mut Command) -> Output {
    let output = command.stdin(Stdio::null()).output();
    output.unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn subject(arguments: &Arguments, list: &OsStr) -> Subject {
    let bytes = list.as_bytes();
    let equals = bytes.iter().position(|&b| b == b'=');
    let given = Path::new(OsStr::from_bytes(&bytes[..equals.unwrap_or(bytes.len())]));
    let path = given
        .canonicalize()
        .unwrap_or_else(|err| panic!("{}: {err}", given.display()));
    let dir = tempfile::tempdir().expect("a temporary directory can be made");
    let with_graph = dir.path().join("clone");
    let run = |command: &mut Command| {
        let status = command.status().expect("git runs");
        assert!(status.success(), "{command:?}: {status}");
    };
    let mut cloning = Command::new(&arguments.git);
    run(cloning
        .args(["clone", "-q", "--bare", "--shared"])
        .arg(&path)
        .arg(&with_graph));
    let mut writing = Command::new(&arguments.git);
    let words = [
        "commit-graph",
        "write",
        "--reachable",
        "--changed-paths",
        "--no-progress",
    ];
    run(writing.arg("-C").arg(&with_graph).args(words));
    let files = match equals {
        Some(at) => bytes[at + 1..]
            .split(|&b| b == b',')
            .map(|file| OsString::from_vec(file.to_vec()))
            .collect(),
        None if arguments.daily.is_some() => Vec::new(),
        None => random_files(arguments, &path),
    };
    let name = match path.file_name() {
        Some(name) if name == "repo" || name == ".git" => path.parent().and_then(Path::file_name),
        name => name,
    };
    let name = name.unwrap_or_default().to_string_lossy();
    Subject {
        name: name.rsplit('+').next().unwrap_or_default().to_owned(),
        path,
        with_graph,
        files,
        _clone: dir,
    }
}

/// Random text files of a repository with at least 100 lines.
fn random_files(arguments: &Arguments, repository: &Path) -> Vec<OsString> {
    let git = || {
        let mut git = Command::new(&arguments.git);
        git.arg("-C").arg(repository);
        git
    };
    // The files in which something is found as text.
    let found = output(git().args(["grep", "-I", "-z", "-c", "-e", "", "HEAD", "--"])).stdout;
    let mut fields = found.split(|&b| b == 0 || b == b'\n');
    let mut files = Vec::new();
    while let (Some(file), Some(lines)) = (fields.next(), fields.next()) {
        let lines = std::str::from_utf8(lines)
            .ok()
            .and_then(|lines| lines.parse().ok());
        if let (Some(file), Some(100..)) = (file.strip_prefix(b"HEAD:"), lines.map(|n: usize| n)) {
            files.push(OsString::from_vec(file.to_vec()));
        }
    }
    let mut rng = Rng::new(arguments.seed);
    let count = arguments.count.min(files.len());
    (0..count)
        .map(|_| files.swap_remove(rng.below(files.len())))
        .collect()
}

/// A cache in a temporary directory, which keeps every blame.
struct Cache {
    directory: TempDir,
}

impl Cache {
    fn new() -> Cache {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let config = directory.path().join("config/tblame");
        fs::create_dir_all(&config)
            .and_then(|()| fs::write(config.join("config.toml"), "[cache]\nmin-time = 0\n"))
            .expect("the directory is writable");
        Cache { directory }
    }

    fn place(&self) -> PathBuf {
        self.directory.path().join("cache")
    }

    fn copy_of(other: &Cache) -> Cache {
        let cache = Cache::new();
        copy(&other.place(), &cache.place());
        cache
    }

    /// Removes all but `kept`.
    fn forget(&self, kept: Kept) {
        let repositories = fs::read_dir(self.place().join("tblame/v1"));
        for repository in repositories.into_iter().flatten().flatten() {
            fs::remove_dir_all(repository.path().join("blames")).ok();
            if kept == Kept::Checks {
                fs::remove_file(repository.path().join("history")).ok();
            }
        }
    }

    /// As it was when `other` was copied.
    fn restore(&self, other: &Path) {
        fs::remove_dir_all(self.place()).ok();
        copy(other, &self.place());
    }

    fn apply<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env_remove("TBLAME_CACHE")
            .env("XDG_CACHE_HOME", self.place())
            .env("XDG_CONFIG_HOME", self.directory.path().join("config"))
    }

    /// The size of the kept blames in bytes; one that has two names counts once.
    fn bytes(&self) -> u64 {
        let mut bytes = 0;
        let mut directories = vec![self.place().join("tblame/v1")];
        while let Some(directory) = directories.pop() {
            let mut largest = 0;
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                match entry.metadata() {
                    Ok(metadata) if metadata.is_dir() => directories.push(entry.path()),
                    Ok(metadata) if entry.file_name().len() >= 40 => {
                        largest = largest.max(metadata.len());
                    }
                    _ => {}
                }
            }
            bytes += largest;
        }
        bytes
    }
}

/// What [`Cache::forget`] leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// That the repository's long files were checked.
    Checks,
    ChecksAndHistory,
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("it is writable");
    for entry in fs::read_dir(from).into_iter().flatten().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
            let mode = fs::metadata(entry.path())
                .expect("it is there")
                .permissions();
            fs::set_permissions(&target, mode).expect("it is one's own");
        } else {
            fs::copy(entry.path(), &target).expect("it is writable");
        }
    }
}

fn median(times: &[Time]) -> Option<Time> {
    let middle = |of: fn(&Time) -> f64| {
        let mut values: Vec<f64> = times.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    Some(Time {
        cpu: middle(|time| time.cpu)?,
        wall: middle(|time| time.wall)?,
    })
}

/// What was measured for a file.
struct Row {
    label: String,
    git: Time,
    git_with_graph: Time,
    cold: Time,
    keeping: Time,
    /// With the commits remembered, and with the paths that they change.
    firsts: [Time; 2],
    second: Time,
    behind: [Option<Time>; BEHIND.len()],
    kib: u64,
    same: bool,
}

impl Row {
    fn print(&self) {
        let shown = |time: Time| format!("{:.1} ({:.1})", time.cpu, time.wall);
        let behind = self.behind.map(|time| time.map_or("–".to_owned(), shown));
        println!(
            "| {}{} | {} | {} | {} | {} | {} | {} | {} | {} | {:.0} | {:.0} |",
            self.label,
            if self.same { "" } else { " **differs**" },
            shown(self.git),
            shown(self.git_with_graph),
            shown(self.cold),
            shown(self.keeping),
            self.firsts.map(shown).join(" | "),
            shown(self.second),
            behind.join(" | "),
            self.kib,
            self.git.cpu / self.second.cpu,
            self.git_with_graph.cpu / self.second.cpu,
        );
    }
}

fn measure(arguments: &Arguments, subject: &Subject, file: &OsStr) -> Row {
    let git = |repository: &Path| {
        let mut git = Command::new(&arguments.git);
        git.current_dir(repository)
            .args(["blame", "--porcelain", "HEAD", "--"])
            .arg(file);
        git
    };
    let threads = arguments.threads.map(|n| format!("--threads={n}"));
    let tblame = |revision: &str| {
        let mut tblame = Command::new(&arguments.tblame);
        tblame
            .current_dir(&subject.path)
            .args(&threads)
            .arg("--porcelain");
        tblame.arg(revision).arg("--").arg(file);
        tblame
    };
    let without = || {
        let mut command = tblame("HEAD");
        command.env("TBLAME_CACHE", "off");
        command
    };
    let with = |cache: &Cache, revision: &str| {
        let mut command = tblame(revision);
        cache.apply(&mut command);
        command
    };
    let theirs = output(&mut git(&subject.path)).stdout;
    assert!(!theirs.is_empty(), "{}: git blames nothing", file.display());
    let mut same = output(&mut without()).stdout == theirs;
    let warm = Cache::new();
    for _ in 0..2 {
        same &= output(&mut with(&warm, "HEAD")).stdout == theirs;
    }
    let kib = warm.bytes().div_ceil(1024);
    // Caches that have the blame of an older commit, and no other.
    let older = BEHIND.map(|behind| {
        let cache = Cache::new();
        output(&mut with(&cache, &format!("HEAD~{behind}")));
        (cache.bytes() > 0).then_some(cache)
    });
    let scratch = Cache::new();
    // The checks of the repository's files are made once for each pack, and are not what keeping costs.
    let checked = Cache::copy_of(&warm);
    checked.forget(Kept::Checks);
    let heads = Cache::copy_of(&warm);
    heads.forget(Kept::ChecksAndHistory);
    let index = Cache::new();
    let mut warming = Command::new(&arguments.tblame);
    output(index.apply(warming.arg("--warm").current_dir(&subject.path)));
    output(&mut with(&index, "HEAD"));
    index.forget(Kept::ChecksAndHistory);
    let (mut gits, mut graphs, mut colds, mut keepings, mut seconds) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut firsts = [Vec::new(), Vec::new()];
    let mut behind = BEHIND.map(|_| Vec::new());
    for _ in 0..arguments.rounds.max(1) {
        gits.push(time(&git(&subject.path), 1));
        graphs.push(time(&git(&subject.with_graph), 1));
        colds.push(time(&without(), 1));
        scratch.restore(&checked.place());
        keepings.push(time(&with(&scratch, "HEAD"), 1));
        for (times, cache) in firsts.iter_mut().zip([&heads, &index]) {
            scratch.restore(&cache.place());
            times.push(time(&with(&scratch, "HEAD"), 1));
            scratch.restore(&cache.place());
            same &= output(&mut with(&scratch, "HEAD")).stdout == theirs;
        }
        seconds.push(time(&with(&warm, "HEAD"), 20));
        for (times, older) in behind.iter_mut().zip(&older) {
            let Some(older) = older else { continue };
            scratch.restore(&older.place());
            times.push(time(&with(&scratch, "HEAD"), 1));
            same &= output(&mut with(&scratch, "HEAD")).stdout == theirs;
        }
    }
    let of = |times: &[Time]| median(times).expect("there is a round");
    Row {
        label: format!("{} {}", subject.name, file.display()),
        git: of(&gits),
        git_with_graph: of(&graphs),
        cold: of(&colds),
        keeping: of(&keepings),
        firsts: firsts.map(|times| of(&times)),
        second: of(&seconds),
        behind: behind.map(|times| median(&times)),
        kib,
        same,
    }
}

fn summarize(rows: &[Row]) {
    let mean = |values: Vec<f64>| {
        let logarithms: f64 = values.iter().map(|value| value.ln()).sum();
        (logarithms / values.len() as f64).exp()
    };
    let ratios = |of: fn(&Row) -> f64| mean(rows.iter().map(of).collect());
    println!(
        "\nGeometric means of {} files, by CPU time: git ÷ second look {:.0}, with a commit-graph {:.0}; by wall time \
         {:.0} and {:.0}. A cold blame that keeps takes {:+.1} % CPU.",
        rows.len(),
        ratios(|row| row.git.cpu / row.second.cpu),
        ratios(|row| row.git_with_graph.cpu / row.second.cpu),
        ratios(|row| row.git.wall / row.second.wall),
        ratios(|row| row.git_with_graph.wall / row.second.wall),
        (ratios(|row| row.keeping.cpu / row.cold.cpu) - 1.0) * 100.0,
    );
    println!(
        "git ÷ first look by wall time: without a cache {:.1}, with the commits remembered {:.1}, with the paths that they change \
         {:.1}.",
        ratios(|row| row.git.wall / row.cold.wall),
        ratios(|row| row.git.wall / row.firsts[0].wall),
        ratios(|row| row.git.wall / row.firsts[1].wall),
    );
    let slowest = rows
        .iter()
        .max_by(|a, b| a.second.cpu.total_cmp(&b.second.cpu));
    let slowest = slowest.expect("there is a file");
    println!(
        "Slowest second look: {:.1} ms ({}).",
        slowest.second.cpu, slowest.label
    );
    for (nth, behind) in BEHIND.iter().enumerate() {
        let times = rows
            .iter()
            .filter_map(|row| row.behind[nth].map(|time| time.cpu));
        let times: Vec<f64> = times.collect();
        if !times.is_empty() {
            let largest = times.iter().copied().fold(0.0, f64::max);
            println!(
                "{behind} commits behind: {} files, mean {:.1} ms, at most {largest:.1} ms.",
                times.len(),
                mean(times)
            );
        }
    }
}
