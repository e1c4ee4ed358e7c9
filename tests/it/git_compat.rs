//! Whose bytes tblame writes: those of the installed git, or of the version that was asked for.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf, process::Command};

use bstr::ByteSlice;
use tempfile::TempDir;

use crate::harness::{
    command_lines::two_commits,
    compare::{assert_same, assert_same_formats},
    named_history::HistoryBuilder,
    program::{ProgramOutput, tblame_program, write_script},
    random_history::{History, Storage},
    repository::{ObjectFormat, TestRepo},
};

/// What tblame writes in place of this version of git. It must succeed.
fn output(repository: &TestRepo, version: &str, line: &str) -> String {
    let mut command = repository.command(tblame_program().as_os_str());
    command.args(["--git-compat", version]);
    let output = ProgramOutput::of(command.args(line.split(' ')));
    assert_eq!(output.status, Some(0), "{}", output.stderr.escape_ascii());
    String::from_utf8(output.stdout).expect("it is UTF-8")
}

#[test]
fn ids_are_widened_by_their_marks() {
    let repository = two_commits();
    let width = |version, line| output(&repository, version, line).find(' ');
    assert_eq!(width("2.55", "--root -s a.txt"), Some(8));
    assert_eq!(width("2.56", "--root -s a.txt"), Some(7));
    assert_eq!(width("2.55.0.618.g1a3e64c6c4", "--root -s a.txt"), Some(7));
    assert_eq!(width("newest", "--root -s --abbrev=9 a.txt"), Some(9));
    assert_eq!(width("2.39.5", "--root -s --abbrev=9 a.txt"), Some(10));
    for version in ["2.55", "2.56"] {
        assert_eq!(width(version, "-s a.txt"), Some(8));
        assert_eq!(width(version, "--root -l a.txt"), Some(40));
    }
}

#[test]
fn porcelain_has_marks() {
    let repository = two_commits();
    repository.git(&["config", "blame.markIgnoredLines", "true"]);
    let marks = |version, format| {
        let text = output(
            &repository,
            version,
            &format!("--ignore-rev=main {format} a.txt"),
        );
        text.lines().filter(|line| *line == "ignored").count()
    };
    assert_eq!((marks("2.49", "-p"), marks("2.50", "-p")), (0, 1));
    assert_eq!(
        (
            marks("2.49", "--line-porcelain"),
            marks("2.50", "--line-porcelain")
        ),
        (0, 1)
    );
    // The plain format always had them.
    for version in ["2.49", "2.50"] {
        assert!(output(&repository, version, "--ignore-rev=main -s a.txt").contains("\n^?"));
    }
}

#[test]
fn files_of_ignored_revisions_may_be_missing() {
    let repository = two_commits();
    repository.git(&["config", "blame.ignoreRevsFile", ":(optional)no"]);
    output(&repository, "2.52", "-p a.txt");
    let mut command = repository.command(tblame_program().as_os_str());
    let refused = ProgramOutput::of(command.args(["--git-compat=2.51", "-p", "a.txt"]));
    assert_eq!(refused.status, Some(128));
    assert_eq!(
        refused.stderr,
        b"fatal: could not open object name list: :(optional)no\n"
    );
}

/// A file whose diff depends on the algorithm.
fn history_with_two_diffs() -> TestRepo {
    let old = "b\na\nc\na\nd\nd\nd\nd\nu\n";
    let new = "b\na\nd\na\nu\nd\nd\na\nd\n";
    let history = HistoryBuilder::default()
        .commit("old", 1, &[], &[("f", old)])
        .commit("new", 2, &["old"], &[("f", new)])
        .build();
    history
        .repository
        .git(&["update-ref", "refs/heads/main", history.id("new")]);
    history.repository.git(&["reset", "-q", "--hard"]);
    history.repository
}

#[test]
fn the_algorithm_counts() {
    let repository = history_with_two_diffs();
    let default = output(&repository, "newest", "-p f");
    let patience = output(&repository, "2.53", "-p --diff-algorithm=patience f");
    assert_ne!(default, patience);
    assert_eq!(
        output(&repository, "2.52", "-p --diff-algorithm=patience f"),
        default
    );
    repository.git(&["config", "diff.algorithm", "patience"]);
    assert_eq!(output(&repository, "2.52", "-p f"), default);
    assert_eq!(output(&repository, "2.53", "-p f"), patience);
    // --minimal always counted, and --diff-algorithm does not replace it.
    let minimal = output(&repository, "2.53", "-p --minimal f");
    for line in ["-p --minimal f", "-p --minimal --diff-algorithm=patience f"] {
        assert_eq!(output(&repository, "2.52", line), minimal);
    }
}

#[test]
fn colors_are_repeated_across_entries() {
    let history = HistoryBuilder::default()
        .commit("one", 1, &[], &[("f", "a\nx\nb\n")])
        .commit("two", 2, &["one"], &[("f", "a\nb\n")])
        .build();
    let repository = &history.repository;
    let line = format!("-s --color-lines {} -- f", history.id("two"));
    let colored = |version| {
        output(repository, version, &line)
            .matches("\u{1b}[36m")
            .count()
    };
    assert_eq!((colored("2.53"), colored("2.54")), (0, 1));
}

#[test]
fn advice_names_the_command() {
    let repository = two_commits();
    fs::write(repository.root().join(".git/info/grafts"), "").expect("it is writable");
    for (version, name) in [
        ("2.47", "\"git config advice."),
        ("2.48", "\"git config set advice."),
    ] {
        let mut command = repository.command(tblame_program().as_os_str());
        let output =
            ProgramOutput::of(command.args(["--git-compat", version, "-p", "HEAD", "a.txt"]));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(name), "{text}");
    }
}

#[test]
fn minimal_diffs_of_long_files() {
    for (seed, lines) in [(6_000, 1_500), (6_001, 6_000)] {
        let history = History::of_long_file(seed, lines, Storage::DeepDeltas);
        let last = history.ids.last().expect("a history has commits");
        assert_same_formats(&history.repository, &["--minimal"], last, b"long");
    }
}

#[test]
fn marks_in_machine_formats() {
    let history = HistoryBuilder::default()
        .commit("root", 1, &[], &[("f", "aaa bbb\nccc ddd\n")])
        .commit(
            "parent",
            2,
            &["root"],
            &[("f", "aaa bbb\nzzzz!!\nccc ddd\n")],
        )
        .commit(
            "child",
            3,
            &["parent"],
            &[("f", "aaa  bbb\nzzzz!!x\nccc ddd\nq\n")],
        )
        .build();
    let repository = &history.repository;
    repository.git(&["config", "blame.markIgnoredLines", "true"]);
    repository.git(&["config", "blame.markUnblamableLines", "true"]);
    for ignored in [&["child"][..], &["parent"], &["child", "parent"], &["root"]] {
        let mut options = Vec::new();
        options.extend(ignored.iter().flat_map(|name| ["--ignore-rev", name]));
        options.extend(["child", "--", "f"]);
        history.lines(&options);
        history.order(&options);
    }
}

#[test]
fn abbreviated_ids_are_as_wide_as_their_marks_need() {
    let repository = two_commits();
    for options in ["-s", "--root -s", "-b", "--abbrev=12", "--abbrev=39", "-l"] {
        let mut arguments: Vec<&str> = options.split(' ').collect();
        arguments.extend(["main", "--", "a.txt"]);
        assert_same(&repository, &arguments);
    }
}

#[test]
fn the_version_is_chosen() {
    let repository = two_commits();
    let width = |arguments: &[&str], variable: Option<&str>| {
        let mut command = repository.command(tblame_program().as_os_str());
        command
            .env_remove("TBLAME_GIT_COMPAT")
            .env("PATH", "/no/such/directory");
        command.envs(variable.map(|version| ("TBLAME_GIT_COMPAT", version)));
        let output = ProgramOutput::of(command.args(arguments).args(["-s", "--root", "a.txt"]));
        match output.status {
            Some(0) => Ok(output
                .stdout
                .iter()
                .position(|byte| *byte == b' ')
                .expect("a column")),
            _ => Err(String::from_utf8(output.stderr).expect("it is UTF-8")),
        }
    };
    // Without git, the newest.
    assert_eq!(width(&[], None), Ok(7));
    assert_eq!(width(&[], Some("2.55.1")), Ok(8));
    assert_eq!(width(&[], Some("")), Ok(7));
    assert_eq!(width(&["--git-compat=newest"], Some("2.55")), Ok(7));
    repository.git(&["config", "tblame.gitCompat", "2.47.3"]);
    assert_eq!(width(&[], None), Ok(8));
    assert_eq!(width(&[], Some("newest")), Ok(7));
    assert_eq!(
        width(&["--git-compat=new"], None),
        Err("error: option `git-compat' expects a version such as 2.47, or newest\n".into())
    );
    let wrong = |name: &str| Err(format!("fatal: {name} is no version of git: 'x'\n"));
    assert_eq!(width(&[], Some("x")), wrong("TBLAME_GIT_COMPAT"));
    repository.git(&["config", "tblame.gitCompat", "x"]);
    assert_eq!(width(&[], None), wrong("tblame.gitCompat"));
}

/// A program named `git` that prints a version and counts its runs, and a cache.
struct FakeGit {
    repository: TestRepo,
    directory: TempDir,
}

impl FakeGit {
    fn new(version: &str) -> FakeGit {
        let fake = FakeGit {
            repository: two_commits(),
            directory: tempfile::tempdir().expect("a temporary directory can be made"),
        };
        fake.install(version);
        fake
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn install(&self, version: &str) {
        let runs = self.file("runs").display().to_string();
        let script = format!("#!/bin/sh\necho run >> {runs}\necho 'git version {version}'\n");
        write_script(&self.file("new"), script.as_bytes());
        fs::rename(self.file("new"), self.file("git")).expect("the directory is writable");
    }

    fn runs(&self) -> usize {
        fs::read_to_string(self.file("runs")).map_or(0, |text| text.lines().count())
    }

    fn command(&self) -> Command {
        let mut command = self.repository.command(tblame_program().as_os_str());
        command
            .env_remove("TBLAME_GIT_COMPAT")
            .env_remove("TBLAME_CACHE")
            .env("XDG_CACHE_HOME", self.file("cache"))
            .env("PATH", self.directory.path());
        command
    }

    /// The width of the ids that are written.
    fn width(&self, change: impl FnOnce(&mut Command)) -> usize {
        let mut command = self.command();
        change(command.args(["-s", "--root", "a.txt"]));
        let output = ProgramOutput::of(&mut command);
        assert_eq!(output.status, Some(0), "{}", output.stderr.escape_ascii());
        assert_eq!(output.stderr, b"");
        output
            .stdout
            .iter()
            .position(|byte| *byte == b' ')
            .expect("a column")
    }
}

#[test]
fn the_installed_git_is_asked_once() {
    let git = FakeGit::new("2.47.3");
    for line in [
        "-p a.txt",
        "--incremental a.txt",
        "--json a.txt",
        "-l a.txt",
        "--version",
    ] {
        let output = ProgramOutput::of(git.command().args(line.split(' ')));
        assert_eq!((output.status, git.runs()), (Some(0), 0), "{line}");
    }
    for _ in 0..3 {
        assert_eq!((git.width(|_| {}), git.runs()), (8, 1));
    }
    git.install("2.56.0 (a longer text)");
    for _ in 0..2 {
        assert_eq!((git.width(|_| {}), git.runs()), (7, 2));
    }
    // What others could have written is not believed.
    let kept = git.file("cache/tblame/v1");
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o777)).expect("it is there");
    assert_eq!((git.width(|_| {}), git.runs()), (7, 3));
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o700)).expect("it is there");
    let file = kept.join("git-version");
    for text in [
        "",
        "junk",
        "git version 2.47.3\n1 2 /no/git\n",
        "git version x\n",
    ] {
        fs::write(&file, text).expect("it is writable");
        let runs = git.runs();
        assert_eq!((git.width(|_| {}), git.runs()), (7, runs + 1), "{text}");
    }
    fs::remove_file(&file).expect("it is there");
    std::os::unix::fs::symlink("/dev/zero", &file).expect("it was removed");
    assert_eq!(git.width(|_| {}), 7);
}

#[test]
fn without_the_cache_nothing_is_kept() {
    let git = FakeGit::new("2.47.3");
    let off = |command: &mut Command| {
        command.env("TBLAME_CACHE", "off");
    };
    assert_eq!((git.width(off), git.runs()), (8, 1));
    assert_eq!((git.width(off), git.runs()), (8, 2));
    assert!(!git.file("cache").exists());
    // A git that does not work, or is something else.
    git.install("x");
    assert_eq!(git.width(off), 7);
    fs::write(git.file("git"), "no program").expect("it is writable");
    assert_eq!(git.width(off), 7);
    fs::remove_file(git.file("git")).expect("it is there");
    assert_eq!(git.width(off), 7);
}

#[test]
fn functions_are_those_of_the_version() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(
        b".gitattributes",
        b"ini diff=ini\nbash diff=bash\nr diff=r\nscheme diff=scheme\nswift diff=swift\n",
    );
    let files = [
        ("ini", "2.50", "k=1\n[x]\na=1\nb=2\n"),
        ("bash", "2.50", "a() {\n}\nfunction x() echo\n"),
        ("r", "2.51", "g <- 1\n  x <- function(a)\n  y\n"),
        ("scheme", "2.55", "(define a)\n(display x)\n(list)\n"),
        ("swift", "2.56", "let a = 1\n  func x() {\n  }\n"),
    ];
    for (name, _, text) in files {
        repository.write(name.as_bytes(), text.as_bytes());
    }
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "files"]);
    let select = |version: &str, name: &str| {
        let mut command = repository.command(tblame_program().as_os_str());
        command.args(["--git-compat", version, "-s", "-L:x", name]);
        let output = ProgramOutput::of(&mut command);
        (output.status, output.stdout.lines().count())
    };
    for (name, since, text) in files {
        let minor: u32 = since[2..].parse().expect("a number");
        let before = format!("2.{}", minor - 1);
        let newer = select(since, name);
        assert_eq!(newer.0, Some(0), "{name}");
        assert_eq!(select("newest", name), newer, "{name}");
        assert_ne!(select(&before, name), newer, "{name}");
        assert!(newer.1 < text.lines().count(), "{name}");
        assert_same(&repository, &["-L:x", name]);
        // A configured expression replaces the built-in one.
        let key = format!("diff.{name}.xfuncname");
        repository.git(&["config", &key, "^[a-z(].*$"]);
        assert_eq!(select(&before, name), select(since, name), "{name}");
        repository.git(&["config", "--unset", &key]);
    }
}

#[test]
fn today_begins_at_midnight() {
    let repository = two_commits();
    let time = repository.git_text(&["log", "-1", "--format=%ct", "main"]);
    let now = time.parse::<u64>().expect("a time in seconds") + 1;
    let boundaries = |version: &str, since: &str| {
        let mut command = repository.command(tblame_program().as_os_str());
        command
            .args(["--git-compat", version, "-s", since, "main", "--", "a.txt"])
            .envs([("TZ", "UTC"), ("GIT_TEST_DATE_NOW", &now.to_string())]);
        let output = ProgramOutput::of(&mut command);
        assert_eq!(output.status, Some(0), "{}", output.stderr.escape_ascii());
        let text = String::from_utf8(output.stdout).expect("it is UTF-8");
        (text.matches('^').count(), text.lines().count())
    };
    let (all, lines) = boundaries("2.54", "--since=today");
    assert_eq!(all, lines);
    let (older, _) = boundaries("2.55", "--since=today");
    assert!((1..lines).contains(&older), "{older}");
    for version in ["2.54", "2.55"] {
        assert_eq!(boundaries(version, "--since=midnight"), (older, lines));
    }
}
