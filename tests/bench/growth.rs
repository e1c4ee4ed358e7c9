//! How cost grows with history, lines, directories, delta chains, depth and versions.
//!
//! `cargo bench --bench growth` makes small histories of each shape in a temporary directory;
//! `-- --full` makes those of the sizes that `docs/measurements.md` has. Each shape is made in
//! several sizes. Where cost is flat, a further commit, line or version costs the same in all rows.

mod alternating;
mod caches;
#[path = "../harness/mod.rs"]
mod harness;

use std::{
    io,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Duration,
};

use clap::{Parser, ValueEnum};

use alternating::{median, medians, time};
use caches::Caches;
use harness::linear_history::{self, ChangingFile, ImportStream};

/// Times tblame and git blame on histories that grow.
#[derive(Debug, Parser)]
#[command(name = "growth")]
struct Arguments {
    /// Only these shapes
    #[arg(value_enum)]
    shapes: Vec<Shape>,
    /// The largest size, instead of each shape's own
    #[arg(long)]
    size: Option<u32>,
    /// Large sizes: this takes many minutes and some gigabytes
    #[arg(long)]
    full: bool,
    /// Timed runs of each program
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// How many threads tblame may use
    #[arg(long)]
    threads: Option<u32>,
    /// Leave the histories in this directory, and take those that are there
    #[arg(long, value_name = "DIRECTORY")]
    keep: Option<PathBuf>,
    /// Also time tblame when an earlier run has remembered the commits, but no blame
    #[arg(long)]
    remembered: bool,
    /// The git to make histories with and to compare with
    #[arg(long, default_value = "git")]
    git: PathBuf,
    /// The program to time
    #[arg(long, default_value = env!("CARGO_BIN_EXE_tblame"))]
    tblame: PathBuf,
    /// Passed by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shape {
    /// Commits, of which every 16th changes the file
    Commits,
    /// Lines of a file with 32 versions
    Lines,
    /// Files of one directory, each changed by a commit of its own
    Directory,
    /// The length of a delta chain: versions of a file, each stored as a delta over the one before
    Chain,
    /// Commits that change a file 30 directories down, or one of its neighbours
    Depth,
    /// Versions of a file
    Versions,
    /// Versions of a file of 10,000 lines, each with three other lines
    LargeVersions,
}

impl Shape {
    fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// What the size counts, one of them.
    fn unit(self) -> &'static str {
        match self {
            Shape::Commits | Shape::Depth | Shape::Directory => "commit",
            Shape::Lines => "line",
            Shape::Chain | Shape::Versions | Shape::LargeVersions => "version",
        }
    }

    /// The smallest size comes first.
    fn sizes(self, arguments: &Arguments) -> Vec<u32> {
        let full: &[u32] = match self {
            Shape::Commits => &[10_000, 100_000, 1_000_000],
            Shape::Lines => &[1_000, 10_000, 100_000, 1_000_000],
            Shape::Directory => &[1_500, 6_250, 25_000],
            Shape::Chain => &[250, 1_000, 4_000],
            Shape::Depth => &[4_000, 16_000, 64_000],
            Shape::Versions => &[1_250, 5_000, 20_000],
            Shape::LargeVersions => &[625, 2_500, 10_000],
        };
        let small = match self {
            Shape::Commits => 32_000,
            Shape::Lines => 64_000,
            Shape::Directory => 2_000,
            Shape::Chain | Shape::LargeVersions => 1_000,
            Shape::Depth | Shape::Versions => 4_000,
        };
        match (arguments.full, arguments.size) {
            (true, None) => full.to_vec(),
            (_, size) => {
                let largest = size.unwrap_or(small);
                [16, 4, 1].map(|part| (largest / part).max(1)).to_vec()
            }
        }
    }

    fn write(self, size: u32, stream: &mut ImportStream) -> io::Result<()> {
        match self {
            Shape::Commits => commits(size, stream),
            Shape::Lines => lines(size, stream),
            Shape::Directory => directory(size, stream),
            Shape::Chain | Shape::Versions => versions(size, (600, 1), stream),
            Shape::LargeVersions => versions(size, (10_000, 3), stream),
            Shape::Depth => depth(size, stream),
        }
    }

    fn file(self) -> String {
        match self {
            Shape::Depth => format!("{}file", "directory/".repeat(DEPTH)),
            Shape::Directory => name_in_directory(0),
            _ => "file".into(),
        }
    }
}

const DEPTH: usize = 30;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let shapes = match arguments.shapes.as_slice() {
        [] => Shape::value_variants(),
        shapes => shapes,
    };
    println!(
        "| history | git ms | tblame ms | × | git µs | tblame µs | for each further | remembered ms | × |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: |");
    let mut same = true;
    for &shape in shapes {
        let mut before = None;
        for size in shape.sizes(&arguments) {
            let row = measure(&arguments, shape, size);
            print_row(shape, &row, before.as_ref());
            same &= row.same;
            before = Some(row);
        }
    }
    if same {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

struct Row {
    size: u32,
    git: Duration,
    tblame: Duration,
    /// With the history remembered.
    remembered: Option<Duration>,
    same: bool,
}

fn print_row(shape: Shape, row: &Row, before: Option<&Row>) {
    let further = |now: Duration, then: fn(&Row) -> Duration| match before {
        Some(before) => {
            let time = now.as_secs_f64() - then(before).as_secs_f64();
            format!("{:.2}", time * 1e6 / f64::from(row.size - before.size))
        }
        None => "–".into(),
    };
    let remembered = row.remembered.map_or_else(
        || "– | –".into(),
        |time| {
            let ratio = row.git.as_secs_f64() / time.as_secs_f64();
            format!("{:.1} | {ratio:.1}", time.as_secs_f64() * 1000.0)
        },
    );
    println!(
        "| {} {}{} | {:.1} | {:.1} | {:.1} | {} | {} | {} | {remembered} |",
        shape.name(),
        row.size,
        if row.same { "" } else { " **differs**" },
        row.git.as_secs_f64() * 1000.0,
        row.tblame.as_secs_f64() * 1000.0,
        row.git.as_secs_f64() / row.tblame.as_secs_f64(),
        further(row.git, |row| row.git),
        further(row.tblame, |row| row.tblame),
        shape.unit()
    );
}

fn measure(arguments: &Arguments, shape: Shape, size: u32) -> Row {
    let temporary = tempfile::tempdir().expect("a temporary directory can be made");
    let dir = match &arguments.keep {
        Some(keep) => keep.join(format!("{} {size}", shape.name())),
        None => temporary.path().join("repository"),
    };
    if !dir.join("HEAD").exists() {
        make(&arguments.git, shape, size, &dir);
    }
    let command = |program: &Path, before: Vec<String>| {
        let mut command = Command::new(program);
        command.args(before).args(["--porcelain", "main", "--"]);
        command.arg(shape.file()).current_dir(&dir);
        // Each blame is made anew.
        command.env("TBLAME_CACHE", "off");
        command
    };
    let git = || command(&arguments.git, vec!["blame".into()]);
    let threads = arguments.threads.map(|n| format!("--threads={n}"));
    let tblame = || command(&arguments.tblame, Vec::from_iter(threads.clone()));
    let output = |mut command: Command| command.output().expect("the program runs");
    let (theirs, ours) = (output(git()), output(tblame()));
    assert!(theirs.status.success(), "{theirs:?}");
    let mut same = theirs.stdout == ours.stdout;
    let remembered = arguments.remembered.then(|| {
        let caches = Caches::new();
        // A blame with another option keeps nothing that answers, but the commits.
        let mut first = command(&arguments.tblame, vec!["-w".into()]);
        first.envs(caches.first());
        assert!(output(first).status.success());
        let look = || {
            let mut look = tblame();
            look.envs(caches.copy());
            look
        };
        same &= output(look()).stdout == theirs.stdout;
        median((0..arguments.runs.max(1)).map(|_| time(look())).collect())
    });
    let (git, tblame) = medians(arguments.runs, git, tblame);
    Row {
        size,
        git,
        tblame,
        remembered,
        same,
    }
}

/// Makes a repository with a history of `shape` at `dir`.
fn make(git: &Path, shape: Shape, size: u32, dir: &Path) {
    let depth = match shape {
        Shape::Chain => size,
        _ => 50,
    };
    linear_history::import(git, dir, depth, |stream| shape.write(size, stream));
    // To find other bases for 25,000 trees of 1 MB takes longer than all the rest.
    let is_large = shape == Shape::Directory && size > 10_000;
    if shape != Shape::Chain && !is_large {
        linear_history::repack(git, dir);
    }
}

fn commits(count: u32, stream: &mut ImportStream) -> io::Result<()> {
    let mut text = ChangingFile::new(400);
    for commit in 0..count {
        stream.commit()?;
        if commit % 16 == 0 {
            text.change();
            stream.file("file", &text.lines.concat())?;
        } else {
            let other = format!("directory {}/other {}", commit % 7, commit % 41);
            stream.file(&other, &format!("version {commit}\n"))?;
        }
    }
    Ok(())
}

fn lines(count: u32, stream: &mut ImportStream) -> io::Result<()> {
    let mut text = ChangingFile::new(count.max(8));
    for _ in 0..32 {
        for _ in 0..8 {
            text.change();
        }
        stream.commit()?;
        stream.file("file", &text.lines.concat())?;
    }
    Ok(())
}

fn name_in_directory(file: u32) -> String {
    format!("directory/file {file:06}")
}

fn directory(files: u32, stream: &mut ImportStream) -> io::Result<()> {
    let mut text = ChangingFile::new(40);
    stream.commit()?;
    for file in 0..files {
        stream.file(&name_in_directory(file), &format!("file {file}\n"))?;
    }
    for file in 0..files {
        stream.commit()?;
        // The file that is blamed changes now and then.
        if file % 64 == 0 {
            text.change();
            stream.file(&name_in_directory(0), &text.lines.concat())?;
        } else {
            let text = format!("file {file}, changed\n");
            stream.file(&name_in_directory(file), &text)?;
        }
    }
    Ok(())
}

fn versions(count: u32, (lines, changes): (u32, u32), stream: &mut ImportStream) -> io::Result<()> {
    let mut text = ChangingFile::new(lines);
    for _ in 0..count {
        for _ in 0..changes {
            text.change();
        }
        stream.commit()?;
        stream.file("file", &text.lines.concat())?;
    }
    Ok(())
}

fn depth(commits: u32, stream: &mut ImportStream) -> io::Result<()> {
    let mut text = ChangingFile::new(100);
    for commit in 0..commits {
        stream.commit()?;
        if commit % 16 == 0 {
            text.change();
            stream.file(&Shape::Depth.file(), &text.lines.concat())?;
        } else {
            let directory = "directory/".repeat(1 + commit as usize % DEPTH);
            let text = format!("version {commit}\n");
            stream.file(&format!("{directory}neighbour"), &text)?;
        }
    }
    Ok(())
}
