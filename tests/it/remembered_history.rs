//! The remembered history: blames with it are those of git, whatever became of the repository or of the file.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use jiff::Timestamp;

use crate::harness::{
    compare::Seconds,
    git::git_program,
    linear_history::{self, ImportStream},
    program::{ProgramOutput, Stderr, tblame_program},
    rng::Rng,
};

/// Enough commits to be remembered.
const COMMITS: u32 = 400;

/// A file that is added in the commit of this number. The commits before its parent are not read for a blame of it.
const LATE_FILE: &str = "late";
const LATE: u32 = 100;

const FILES: [&str; 4] = ["a", "folder/b", "folder/deep/c", "d"];

/// A repository, and a cache of its own.
struct Remembering {
    directory: tempfile::TempDir,
}

impl Remembering {
    fn new() -> Remembering {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let config = directory.path().join("config");
        fs::create_dir(&config).expect("the directory is empty");
        fs::create_dir(config.join("tblame")).expect("the directory is empty");
        fs::write(config.join("tblame/config.toml"), "[cache]\nmin-time = 0\n").expect("written");
        let remembering = Remembering { directory };
        let mut rng = Rng::new(5);
        linear_history::import(
            Path::new(git_program()),
            &remembering.repository(),
            50,
            |stream| {
                let mut texts = FILES.map(|_| vec!["line".to_owned(); 200]);
                for number in 0..COMMITS {
                    add(stream, number, &mut texts, &mut rng)?;
                }
                Ok(())
            },
        );
        remembering
    }

    fn repository(&self) -> PathBuf {
        self.directory.path().join("repository")
    }

    fn history(&self) -> PathBuf {
        let root = self.directory.path().join("cache/tblame/v1");
        let entries = fs::read_dir(root).into_iter().flatten().flatten();
        let mut directories = entries
            .map(|entry| entry.path())
            .filter(|path| path.is_dir() && !path.ends_with("numbers"));
        directories.next().unwrap_or_default().join("history")
    }

    fn run(&self, arguments: &[&str]) -> ProgramOutput {
        let mut command = Command::new(tblame_program());
        command.args(arguments).current_dir(self.repository());
        command.env("XDG_CACHE_HOME", self.directory.path().join("cache"));
        command.env("XDG_CONFIG_HOME", self.directory.path().join("config"));
        command.env_remove("TBLAME_CACHE");
        ProgramOutput::of(&mut command)
    }

    fn git(&self, arguments: &[&str]) -> ProgramOutput {
        let mut command = Command::new(git_program());
        let identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
        command
            .args(identity)
            .args(arguments)
            .current_dir(self.repository());
        ProgramOutput::of(&mut command)
    }

    /// Compares blames of `file` in `revision` with git, without a kept blame of it.
    fn compare(&self, revision: &str, file: &str, case: &str) {
        let blames = self.history().with_file_name("blames");
        let _ = fs::remove_dir_all(blames);
        for format in ["--porcelain", "--incremental"] {
            let git = self.git(&["blame", format, revision, "--", file]);
            assert_eq!(git.status, Some(0), "{case}");
            let tblame = self.run(&[format, revision, "--", file]);
            assert_eq!(
                tblame.difference(&git, Stderr::Whole),
                None,
                "{case}: {file}"
            );
        }
    }

    /// Whether a blame of `file` takes commits from the history.
    fn is_used(&self, file: &str) -> bool {
        let _ = fs::remove_dir_all(self.history().with_file_name("blames"));
        let stats = self.run(&["--porcelain", "--stats", "main", "--", file]);
        let stats = String::from_utf8_lossy(&stats.stderr).into_owned();
        let heads = stats.lines().find(|line| line.starts_with("heads"));
        let heads = heads.unwrap_or_else(|| panic!("no line about heads: {stats}"));
        !heads.contains(" 0 of them from the commit-graph")
    }
}

fn add(
    stream: &mut ImportStream,
    number: u32,
    texts: &mut [Vec<String>; FILES.len()],
    rng: &mut Rng,
) -> std::io::Result<()> {
    stream.commit()?;
    if number == LATE {
        stream.file(LATE_FILE, "late\n")?;
    }
    for (at, text) in texts.iter_mut().enumerate() {
        if number == 0 || rng.below(3) == 0 {
            let line = rng.below(text.len());
            text[line] = format!("line of {number}");
            if number % 8 == 7 {
                text.remove(line / 2);
            }
            stream.file(FILES[at], &(text.join("\n") + "\n"))?;
        }
    }
    Ok(())
}

#[test]
fn blames_with_a_remembered_history_are_gits() {
    let repository = Remembering::new();
    repository.compare("main", FILES[0], "nothing is remembered");
    assert!(repository.history().is_file(), "the commits are remembered");
    for (at, file) in FILES.iter().enumerate() {
        repository.compare("main", file, "the commits of another file are remembered");
        repository.compare(&format!("main~{}", at * 37 + 1), file, "an older commit");
    }
    assert!(repository.is_used(FILES[1]));
    let warmed = repository.run(&["--warm"]).stdout;
    let expected =
        format!("{COMMITS} commits, {COMMITS} of them with the paths that they change\n");
    assert_eq!(String::from_utf8_lossy(&warmed), expected);
    for file in FILES {
        repository.compare("main", file, "with changed paths");
    }
    // Newer commits, which are not remembered.
    let tree = repository.git(&["rev-parse", "main~50^{tree}"]).stdout;
    let tree = String::from_utf8_lossy(&tree).trim().to_owned();
    let made = repository.git(&[
        "commit-tree",
        "-p",
        "main",
        "-p",
        "main~9",
        "-m",
        "merge",
        &tree,
    ]);
    let made = String::from_utf8_lossy(&made.stdout).trim().to_owned();
    assert_eq!(
        repository
            .git(&["update-ref", "refs/heads/main", &made])
            .status,
        Some(0)
    );
    for file in FILES {
        repository.compare("main", file, "a newer commit");
    }
    // A commit-graph of the repository comes first.
    let written = repository.git(&["commit-graph", "write", "--reachable"]);
    assert_eq!(written.status, Some(0));
    repository.compare("main", FILES[2], "a commit-graph");
    fs::remove_file(repository.repository().join("objects/info/commit-graph"))
        .expect("it is there");
    // Replaced and grafted commits are not as they are stored.
    let replaced = repository.git(&["replace", "--graft", "main~100"]);
    assert_eq!(replaced.status, Some(0));
    repository.compare("main", FILES[0], "a replaced commit");
    assert!(!repository.is_used(FILES[0]));
}

#[test]
fn commits_that_are_known_by_their_ids_alone_are_read() {
    let repository = Remembering::new();
    repository.compare("main", LATE_FILE, "nothing is remembered");
    assert!(repository.history().is_file(), "the commits are remembered");
    for file in FILES {
        repository.compare("main", file, "the first commits are not remembered");
    }
    assert!(repository.is_used(FILES[0]));
}

/// Those of a tag that is not in the history of `main`, and those before the file that is asked about.
#[test]
fn commits_that_are_read_for_releases_are_remembered_as_they_are() {
    let repository = Remembering::new();
    let mut tagged = "main~350".to_owned();
    for _ in 0..5 {
        let made = repository.git(&["commit-tree", "-p", &tagged, "-m", "m", "main^{tree}"]);
        tagged = String::from_utf8_lossy(&made.stdout).trim().to_owned();
    }
    let why = |release: Option<&str>, case: &str| {
        let cached = repository.run(&["--why", "main", "--", "late:1"]);
        let read = repository.run(&["--no-cache", "--why", "main", "--", "late:1"]);
        assert_eq!(cached.difference(&read, Stderr::Whole), None, "{case}");
        let text = String::from_utf8_lossy(&cached.stdout).into_owned();
        let found = text
            .split_once("first in ")
            .and_then(|(_, rest)| rest.lines().next());
        assert_eq!(found, release, "{case}: {text}");
    };
    repository.git(&["tag", "beside", &tagged]);
    why(None, "nothing is remembered");
    let verified = repository
        .run(&["--verify-cache", "main", "--", "late"])
        .stdout;
    let count = COMMITS + 5;
    let expected = format!(
        "{count} remembered commits, 0 of them with the paths that they change, all as stored\n"
    );
    assert_eq!(String::from_utf8_lossy(&verified), expected);
    assert!(repository.is_used(FILES[0]));
    for file in FILES {
        repository.compare("main", file, "with commits that are no ancestors");
    }
    why(None, "all is remembered");
    for (tag, commit, release) in [
        ("v3", "main", "v3"),
        ("v2", "main~150", "v2"),
        ("v1", "main~399", "v2"),
    ] {
        repository.git(&["tag", tag, commit]);
        why(Some(release), tag);
    }
    assert_eq!(repository.run(&["--warm"]).status, Some(0));
    why(Some("v2"), "all levels are known");
    repository.git(&["replace", "--graft", "main~100"]);
    why(Some("v3"), "a replaced commit");
}

#[test]
fn histories_are_read_from_what_is_remembered_and_add_to_it() {
    for arguments in [
        &["--line-history", "-L1,40", "-M"][..],
        &["--line-history", "-L1,40", "--json"],
        &["--deletions"],
        &["--deletions", "-L20,60", "--json"],
        &["--file-history"],
        &["--file-history", "--search=line of 1", "--json"],
    ] {
        let repository = Remembering::new();
        let run = |more: &[&str]| repository.run(&[arguments, more, &["main", "--", "a"]].concat());
        let heads = |output: &ProgramOutput| {
            let stats = String::from_utf8_lossy(&output.stderr).into_owned();
            let heads = stats.lines().find(|line| line.starts_with("heads"));
            heads
                .unwrap_or_else(|| panic!("no line about heads: {stats}"))
                .to_owned()
        };
        let read = run(&["--no-cache"]);
        assert_eq!(read.status, Some(0));
        assert!(read.stdout.len() > 200, "{read:?}");
        for case in ["nothing is remembered", "all is remembered", "warmed"] {
            if case == "warmed" {
                assert_eq!(repository.run(&["--warm"]).status, Some(0));
            }
            let is_remembered = repository.history().is_file();
            assert_eq!(
                is_remembered,
                case != "nothing is remembered",
                "{arguments:?}"
            );
            let cached = run(&["--stats"]);
            let uses_none = heads(&cached).contains(" 0 of them from the commit-graph");
            assert_eq!(uses_none, !is_remembered, "{arguments:?}: {case}");
            let difference = run(&[]).difference(&read, Stderr::Whole);
            assert_eq!(difference, None, "{arguments:?}: {case}");
        }
    }
}

/// The commit of uncommitted contents has the null id, and other parents in each run.
#[test]
fn uncommitted_contents_are_not_remembered() {
    let repository = Remembering::new();
    let contents = repository.directory.path().join("contents");
    let text = repository.git(&["show", "main~200:a"]).stdout;
    fs::write(&contents, [b"new\n", &text[..]].concat()).expect("written");
    let compare = |revision: &str, file: &str| {
        let _ = fs::remove_dir_all(repository.history().with_file_name("blames"));
        let contents = contents.to_str().expect("it is UTF-8");
        let arguments = ["--porcelain", "--contents", contents, revision, "--", file];
        let start = Timestamp::now();
        let git = repository.git(&[&["blame"], &arguments[..]].concat());
        let tblame = repository.run(&arguments);
        let seconds = Seconds::since(start);
        let difference = seconds
            .masked(&tblame)
            .difference(&seconds.masked(&git), Stderr::Whole);
        assert_eq!(difference, None, "{revision} {file}");
    };
    for (revision, file) in [
        ("main~50", "a"),
        ("main", "a"),
        ("main~20", "a"),
        ("main", "d"),
    ] {
        compare(revision, file);
    }
}

#[test]
fn a_damaged_history_is_not_used() {
    let repository = Remembering::new();
    repository.run(&["--warm"]);
    let path = repository.history();
    let bytes = fs::read(&path).expect("it was just written");
    let mut rng = Rng::new(9);
    let (mut compared, count) = (0, 12);
    for nth in 0..count {
        let mut damaged = bytes.clone();
        let at = rng.below(bytes.len());
        match nth % 3 {
            0 => damaged[at] ^= 1 << rng.below(8),
            1 => damaged.truncate(at),
            _ => damaged[at / 2..at].fill(0),
        }
        fs::write(&path, &damaged).expect("written");
        let file = FILES[nth % FILES.len()];
        repository.compare(
            "main",
            file,
            &format!("{nth}: damaged at {at} of {}", bytes.len()),
        );
        compared += 1;
    }
    assert_eq!(compared, count);
    fs::remove_file(&path).expect("it is there");
    fs::create_dir(&path).expect("nothing is there");
    repository.compare("main", FILES[3], "a directory in its place");
}
