//! Blames kept between runs: whatever is kept, the output is that of git.

mod changed_paths;
mod command_line;
mod damaged_repository;
mod directories;
mod faults;
mod growing_histories;
mod growing_trees;
mod in_process;
mod rules;
mod trees;
mod viewer;
pub mod whole_histories;

use std::{
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use tblame::internals::{
    cache::{BlameFiles, CacheDirectory, CacheSettings},
    repository::Repository,
};
use tempfile::TempDir;

use crate::harness::{
    fast_import::{Commit, FastImport, File, Ident, Tree},
    git::git_program,
    program::{ProgramOutput, Stderr, tblame_program},
    repository::{ObjectFormat, TestRepo},
};

/// A cache of a test, which keeps every blame.
pub struct TestCache {
    home: TempDir,
}

impl TestCache {
    pub fn new() -> TestCache {
        let cache = TestCache {
            home: tempfile::tempdir().expect("a temporary directory can be made"),
        };
        cache.configure("min-time = 0");
        cache
    }

    /// Writes the section `[cache]` of the configuration.
    pub fn configure(&self, settings: &str) {
        let directory = self.config_home().join("tblame");
        let text = format!("[cache]\n{settings}\n");
        fs::create_dir_all(&directory)
            .and_then(|()| fs::write(directory.join("config.toml"), text))
            .expect("the directory is writable");
    }

    /// `XDG_CACHE_HOME`.
    pub fn place(&self) -> PathBuf {
        self.home.path().join("cache")
    }

    /// The kept blames of a repository, however little time they took.
    pub fn blame_files(&self, repository: &Repository) -> BlameFiles {
        let settings = CacheSettings {
            directory: Some(self.place()),
            min_time: Duration::ZERO,
            ..CacheSettings::default()
        };
        let directory = CacheDirectory::new(&settings, |_| None).expect("it has a place");
        let directory = directory.of_repository(repository, &settings);
        BlameFiles::new(&directory.expect("it is on"), &settings)
    }

    /// `XDG_CONFIG_HOME`.
    pub fn config_home(&self) -> PathBuf {
        self.home.path().join("config")
    }

    /// The directory that has a directory for each repository.
    pub fn root(&self) -> PathBuf {
        self.place().join("tblame/v1")
    }

    /// A command that runs tblame with this cache.
    pub fn command<A: AsRef<OsStr>>(&self, repository: &TestRepo, arguments: &[A]) -> Command {
        let mut command = repository.command(tblame_program().as_os_str());
        command
            .env("TBLAME_CACHE", "on")
            .env("XDG_CACHE_HOME", self.place())
            .env("XDG_CONFIG_HOME", self.config_home())
            .args(arguments);
        command
    }

    pub fn run<A: AsRef<OsStr>>(&self, repository: &TestRepo, arguments: &[A]) -> ProgramOutput {
        ProgramOutput::of(&mut self.command(repository, arguments))
    }

    /// Runs tblame, which must print the porcelain of `path` as git did; returns how many lines came from kept
    /// blames.
    pub fn assert_blame(&self, repository: &TestRepo, path: &str, git: &ProgramOutput) -> usize {
        let output = self.run(repository, &["--porcelain", "--stats", "HEAD", "--", path]);
        let (output, stats) = without_stats(output);
        if let Some(difference) = output.difference(git, Stderr::Whole) {
            panic!("{path}: {difference}");
        }
        stats.expect("it was asked for").kept_lines
    }

    /// The directories of repositories.
    pub fn repositories(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.root()).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        paths.filter(|path| path.is_dir()).collect()
    }

    /// All files of the cache.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut directories = vec![self.root()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => directories.push(entry.path()),
                    _ => found.push(entry.path()),
                }
            }
        }
        found.sort();
        found
    }

    /// The files of kept blames, also under the names of older versions.
    pub fn blames(&self) -> Vec<PathBuf> {
        let mut files = self.files();
        files.retain(|file| {
            let name = file.file_name().expect("a file").as_bytes();
            let name = name.strip_suffix(b"-older").unwrap_or(name);
            name.len() >= 40 && name.iter().all(u8::is_ascii_hexdigit)
        });
        files
    }

    /// The temporary files.
    pub fn temporary_files(&self) -> Vec<PathBuf> {
        let mut files = self.files();
        files.retain(|file| {
            let name = file.file_name().expect("a file").as_bytes();
            name.starts_with(b".")
        });
        files
    }

    /// The only kept blame, under one of its names.
    pub fn only_blame(&self) -> PathBuf {
        let blames = self.blames();
        assert!(!blames.is_empty(), "a blame was kept");
        let first = fs::read(&blames[0]).expect("it is readable");
        for other in &blames[1..] {
            assert_eq!(fs::read(other).expect("it is readable"), first);
        }
        blames[0].clone()
    }
}

/// git's porcelain of a file of `HEAD`.
pub fn git_blame(repository: &TestRepo, path: &str) -> ProgramOutput {
    let mut command = repository.command(git_program());
    ProgramOutput::of(command.args(["blame", "--porcelain", "HEAD", "--", path]))
}

/// What `--stats` says of a blame.
#[derive(Debug, Clone, Copy)]
pub struct KeptLines {
    pub kept_lines: usize,
    pub visited: usize,
}

/// The output without the report of `--stats`, and that.
pub fn without_stats(mut output: ProgramOutput) -> (ProgramOutput, Option<KeptLines>) {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let Some(at) = text.find("phase      wall ms") else {
        return (output, None);
    };
    let number = |name: &str| {
        let line = text[at..].lines().find(|line| line.starts_with(name));
        let number = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
        number.unwrap_or_else(|| panic!("the report has no {name}: {text}"))
    };
    let stats = KeptLines {
        kept_lines: number("kept "),
        visited: number("commits "),
    };
    // An error of the output comes after the report, whose last line may be a hint.
    let last = text[at..].find("\ndelta bases ").expect("the last line");
    let mut end = at + last + 1;
    loop {
        end += text[end..].find('\n').expect("lines end") + 1;
        if !text[end..].starts_with("hint         ") {
            break;
        }
    }
    output.stderr = [&text.as_bytes()[..at], &text.as_bytes()[end..]].concat();
    (output, Some(stats))
}

/// A history of `count` commits, each of which changes `a.txt`, and every third of them `b.txt`.
pub fn small_history(count: usize) -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    write_history(&repository, count);
    repository
}

/// Writes the history of [`small_history`]. Longer ones begin with the same commits.
pub fn write_history(repository: &TestRepo, count: usize) -> Vec<String> {
    let mut import = FastImport::default();
    let mut lines: Vec<String> = (0..30).map(|n| format!("line {n}\n")).collect();
    let mut parents = Vec::new();
    let mut tree = Tree::new();
    for n in 0..count {
        let at = n * 7 % lines.len();
        lines[at] = format!("line {at} of commit {n}\n");
        if n % 2 == 0 {
            lines.insert(n * 5 % lines.len(), format!("new in {n}\n"));
        }
        tree.insert(b"a.txt".to_vec(), File::text(lines.concat()));
        if n % 3 == 0 {
            let half = &lines[..lines.len() / 2];
            tree.insert(b"b.txt".to_vec(), File::text(half.concat()));
        }
        let ident = |name: &[u8], time| Ident {
            name: name.to_vec(),
            mail: b"a@example.com".to_vec(),
            time,
            zone: "+0100",
        };
        let time = 1_500_000_000 + n as u64 * 1000;
        let number = import.commit(Commit {
            parents,
            tree: tree.clone(),
            author: ident(b"Ann Lee", time),
            committer: ident(b"Com Mitter", time + 10),
            encoding: None,
            message: format!("commit {n}\n\nof many").into_bytes(),
        });
        parents = vec![number];
    }
    let (ids, _) = import.write(repository);
    repository.git(&["reset", "-q", "--hard"]);
    ids
}

/// Copies a directory with what is in it.
pub fn copy_directory(from: &Path, to: &Path) {
    let status = Command::new("cp").arg("-a").args([from, to]).status();
    assert!(status.expect("it runs").success());
}

/// Sets the permissions of a file or directory.
pub fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is one's own");
}
