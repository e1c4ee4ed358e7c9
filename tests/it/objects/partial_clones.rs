//! Partial clones: what is fetched, how often, and what the viewer shows of it.

use std::{
    cell::Cell,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use crate::harness::{
    git::git_program,
    program::{ProgramOutput, tblame_program, write_script},
    repository::{ObjectFormat, TestRepo},
    session::{Session, contains, tblame_command},
};

const PATH: &str = "dir/sub/file.txt";
const OLD_PATH: &str = "old/file.txt";
const COMMITS: usize = 240;
/// The commit that renames the file.
const RENAMED: usize = 90;
/// The commit that merges another project into a directory, so that a root tree is also below another one.
const PROJECT: usize = 200;
/// Every so many commits, one is a merge.
const MERGES: usize = 45;

/// A history in which a file is changed on the main line and on side branches, and renamed, among changes of other files.
struct Origin {
    repository: TestRepo,
    clones: Cell<u32>,
}

fn commit(stream: &mut String, branch: &str, mark: usize, parents: &[usize]) {
    let time = 1_600_000_000 + 100 * (mark % 1000);
    writeln!(stream, "commit refs/heads/{branch}\nmark :{mark}").expect("it is a string");
    writeln!(
        stream,
        "committer C <c@example.com> {time} +0000\ndata 1\nx"
    )
    .expect("as above");
    for (nth, parent) in parents.iter().enumerate() {
        let word = if nth == 0 { "from" } else { "merge" };
        writeln!(stream, "{word} :{parent}").expect("as above");
    }
}

fn file(stream: &mut String, path: &str, lines: &[String]) {
    let text = lines.concat();
    write!(
        stream,
        "M 100644 inline {path}\ndata {}\n{text}\n",
        text.len()
    )
    .expect("as above");
}

impl Origin {
    fn new() -> Origin {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        let mut stream = String::new();
        let mut lines: Vec<String> = (0..80).map(|nth| format!("line {nth}\n")).collect();
        let mut before = Vec::new();
        for number in 1..=COMMITS {
            let path = if number < RENAMED { OLD_PATH } else { PATH };
            let is_merge = number % MERGES == 0;
            let mut parents = vec![number - 1];
            if is_merge {
                let (mark, from) = (1000 + number - 5, number - 20);
                let mut side: Vec<String> = Vec::clone(&before[from - 1]);
                side[79] = format!("side {number}\n");
                commit(&mut stream, "side", mark, &[from]);
                let path = if from < RENAMED { OLD_PATH } else { PATH };
                file(&mut stream, path, &side);
                lines[79] = side[79].clone();
                parents.push(mark);
            }
            if number == PROJECT {
                commit(&mut stream, "project", 2000, &[]);
                file(&mut stream, "p.txt", &before[0]);
                parents.push(2000);
            }
            commit(
                &mut stream,
                "main",
                number,
                if number == 1 { &[] } else { &parents },
            );
            if number % 3 == 1 {
                lines[number * 7 % 78] = format!("changed by commit {number}\n");
            }
            if number % 3 == 1 || is_merge || number == RENAMED {
                file(&mut stream, path, &lines);
            }
            if number == PROJECT {
                file(&mut stream, "project/p.txt", &before[0]);
            }
            if number == RENAMED {
                writeln!(stream, "D {OLD_PATH}").expect("as above");
            }
            let other: Vec<String> = (0..9).map(|nth| format!("{number} {nth}\n")).collect();
            file(&mut stream, &format!("other/{}/x.txt", number % 7), &other);
            before.push(lines.clone());
        }
        repository.git_with_input(&["fast-import", "--quiet"], stream.as_bytes());
        repository.git(&["reset", "-q", "--hard"]);
        repository.git(&["config", "uploadpack.allowFilter", "true"]);
        repository.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
        Origin {
            repository,
            clones: Cell::new(0),
        }
    }

    /// A clone of its own for each program, for what one fetches the other finds.
    fn clone(&self, filter: &str, options: &[&str]) -> PathBuf {
        let root = self.repository.root();
        let number = self.clones.replace(self.clones.get() + 1);
        let target = root.join("..").join(format!("clone-{number}"));
        let origin = format!("file://{}", root.display());
        let (filter, target) = (
            format!("--filter={filter}"),
            target.to_str().expect("ASCII"),
        );
        let arguments = [&["clone", "-q", &filter], options, &[&origin, target]].concat();
        self.repository.git(&arguments);
        target.into()
    }

    /// Runs a program in a clone: its output, and how often it fetched.
    fn run(&self, program: &Path, clone: &Path, words: &[&str]) -> (ProgramOutput, usize) {
        let trace = clone.join(".git/trace");
        let mut command = self.repository.command(program.as_os_str());
        command.current_dir(clone).env("GIT_TRACE2_EVENT", &trace);
        let output = ProgramOutput::of(command.args(words));
        (output, fetches(&trace))
    }
}

/// The number of fetches in a trace of git's.
fn fetches(trace: &Path) -> usize {
    let trace = fs::read_to_string(trace).unwrap_or_default();
    let names = trace.lines().filter(|line| line.contains("\"cmd_name\""));
    names
        .filter(|line| line.contains("\"name\":\"fetch\""))
        .count()
}

/// The answers are git's, and take few fetches.
#[test]
fn blames_fetch_many_objects_at_once() {
    let origin = Origin::new();
    let all: [(&[&str], usize); 9] = [
        (&["HEAD"], 16),
        (&["--threads=1", "HEAD"], 16),
        (&["-w", "-M", "HEAD"], 16),
        (&["HEAD~4..HEAD"], 6),
        (&["-L", "7,9", "HEAD"], 16),
        (&["--first-parent", "HEAD"], 16),
        (&["--reverse", "HEAD~100..HEAD"], 16),
        (&["-C", "HEAD"], 120),
        (&["-C", "-C", "-C", "HEAD~30..HEAD"], 40),
    ];
    for filter in ["blob:none", "tree:0"] {
        for (options, most) in all {
            let words = [options, &["--porcelain", "--", PATH]].concat();
            let of_git = words.iter().copied().filter(|it| *it != "--threads=1");
            let of_git: Vec<&str> = ["blame"].into_iter().chain(of_git).collect();
            let expected = origin.repository.git(&of_git);
            let clone = origin.clone(filter, &["--no-checkout"]);
            let (output, own) = origin.run(tblame_program(), &clone, &words);
            let context = format!("{filter} {options:?}");
            let stderr = output.stderr.escape_ascii();
            assert_eq!(output.status, Some(0), "{context}: {stderr}");
            assert_eq!(output.stdout.trim_ascii_end(), expected, "{context}");
            assert!((1..=most).contains(&own), "{context}: {own} fetches");
        }
    }
}

/// git fetches more often.
#[test]
fn fetches_are_fewer_than_those_of_git() {
    let origin = Origin::new();
    for (filter, revision) in [
        ("blob:none", "HEAD~60..HEAD"),
        ("tree:0", "HEAD~60..HEAD"),
        ("tree:0", "HEAD~4..HEAD"),
    ] {
        let words = [revision, "--", PATH];
        let clone = || origin.clone(filter, &["--no-checkout"]);
        let (_, own) = origin.run(tblame_program(), &clone(), &words);
        let of_git = [&["blame"] as &[&str], &words].concat();
        let (_, gits) = origin.run(git_program().as_ref(), &clone(), &of_git);
        let context = format!("{filter} {revision}: {own} fetches, git {gits}");
        match revision {
            "HEAD~4..HEAD" => assert!((1..=gits).contains(&own), "{context}"),
            _ => assert!((1..gits / 3).contains(&own), "{context}"),
        }
    }
}

/// The work tree's text needs no fetch, and a range no more than its commits.
#[test]
fn short_ranges_fetch_little() {
    let origin = Origin::new();
    let clone = origin.clone("tree:0", &[]);
    let words = ["--porcelain", "HEAD~2..", "--", PATH];
    let (output, own) = origin.run(tblame_program(), &clone, &words);
    assert_eq!(output.status, Some(0));
    assert!((1..=4).contains(&own), "{own} fetches");
}

/// A remote that is gone ends in an error, at the start and in the middle.
#[test]
fn a_remote_that_is_gone_is_an_error() {
    let origin = Origin::new();
    for options in [&["--no-checkout"] as &[&str], &[]] {
        let clone = origin.clone("tree:0", options);
        let config = format!("--file={}/.git/config", clone.display());
        origin
            .repository
            .git(&["config", &config, "remote.origin.url", "/nowhere"]);
        let (output, own) = origin.run(tblame_program(), &clone, &["HEAD", "--", PATH]);
        assert_eq!(output.status, Some(128));
        assert!(output.stdout.is_empty());
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(stderr.contains("'/nowhere'"), "{stderr}");
        let last = stderr.lines().last().unwrap_or_default();
        assert!(last.starts_with("fatal: "), "{stderr}");
        assert!((1..=3).contains(&own), "{own} fetches");
    }
}

/// A git that tries to write to the terminal in every way, and takes its time.
fn loud_git(origin: &Origin) -> PathBuf {
    let directory = origin.repository.root().join("../bin");
    fs::create_dir(&directory).expect("the place is free");
    let script = format!(
        "#!/bin/sh\n\
         echo LOUD-OUT; echo LOUD-ERROR >&2\n\
         (echo LOUD-TERMINAL >/dev/tty) 2>/dev/null\n\
         if test -t 0 || test -t 1 || test -t 2; then : >{0}/terminal; fi\n\
         sleep 1\n\
         exec {1} \"$@\"\n",
        directory.display(),
        git_program().to_string_lossy(),
    );
    write_script(&directory.join("git"), script.as_bytes());
    directory
}

fn viewer(clone: &Path, git: &Path) -> Session {
    let mut command = tblame_command();
    command.cwd(clone);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", git.display()));
    command.env("TBLAME_GIT_COMPAT", "2.47");
    command.args(["--threads=2", "--", PATH]);
    Session::run(command, (100, 30))
}

/// The text is there before anything is fetched. A fetch is a word in the status line, and does not reach the terminal.
#[test]
fn the_viewer_keeps_the_terminal_while_it_fetches() {
    let origin = Origin::new();
    for filter in ["tree:0", "blob:none"] {
        let clone = origin.clone(filter, &[]);
        let git = match filter {
            "tree:0" => loud_git(&origin),
            _ => origin.repository.root().join("../bin"),
        };
        let mut session = viewer(&clone, &git);
        session.wait_for("fetching…");
        session.wait_for("line 0");
        session.wait("the fetches end", |screen| {
            !screen.contents().contains("fetching…") && screen.contents().contains("80 ")
        });
        for loud in ["LOUD", "remote: ", "Receiving objects"] {
            assert!(!contains(&session.output, loud.as_bytes()), "{loud}");
        }
        assert!(!git.join("terminal").exists(), "git has a terminal");
        session.press("q");
        assert_eq!(session.end().exit_code(), 0);
        session.assert_restored();
    }
}

/// A fetch that fails is a message.
#[test]
fn the_viewer_says_why_a_fetch_failed() {
    let origin = Origin::new();
    let clone = origin.clone("tree:0", &[]);
    let config = format!("--file={}/.git/config", clone.display());
    origin
        .repository
        .git(&["config", &config, "remote.origin.url", "/nowhere"]);
    let mut session = viewer(&clone, Path::new("/nowhere"));
    session.wait_for("line 0");
    session.wait_for("git fetch failed: fatal: '/nowhere' does not appear");
    session.wait_for("stopped at");
    session.press("j");
    session.wait_for("blame failed: could not fetch");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
}
