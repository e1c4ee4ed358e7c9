//! `--log` and `--report`: what they have for a report of a fault, and what they do not.

use std::{fs, path::Path, process::Command};

use crate::{
    cache::TestCache,
    harness::{
        program::{ProgramOutput, tblame_program},
        repository::{ObjectFormat, TestRepo},
        session::{Session, tblame_command},
    },
};

/// What may not be in a log: names of files, people and revisions, and contents.
const SECRETS: [&str; 7] = [
    "hidden",
    "quiet",
    "Covert",
    "covert",
    "stealth",
    "subject",
    "undercover",
];

/// A file with two commits, in which every name and text is one of [`SECRETS`].
fn secret_repository() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.git(&["config", "user.name", "Covert Name"]);
    repository.git(&["config", "user.email", "covert@example.com"]);
    for text in ["undercover one\n", "undercover one\nundercover two\n"] {
        repository.write(b"hidden/quiet file.rs", text.as_bytes());
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "subject"]);
    }
    repository.git(&["branch", "stealth"]);
    repository
}

fn run(repository: &TestRepo, log: Option<&Path>, args: &[&str]) -> ProgramOutput {
    let mut command = repository.command(tblame_program().as_os_str());
    if let Some(log) = log {
        command.env("TBLAME_LOG", log);
    }
    ProgramOutput::of(command.args(args))
}

/// The subjects of the lines of a log.
fn subjects(log: &str) -> Vec<&str> {
    let lines = log
        .lines()
        .filter(|line| !line.starts_with(&" ".repeat(31)));
    lines
        .filter_map(|line| line.split_ascii_whitespace().nth(2))
        .collect()
}

#[test]
fn a_log_says_what_was_decided_and_has_no_names() {
    let repository = secret_repository();
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let file = "hidden/quiet file.rs";
    let mut compared = 0;
    for (args, wanted) in [
        (
            &["--porcelain", file][..],
            &["request", "result", "phases", "end"][..],
        ),
        (
            &["-C", "-L1,2", "stealth", "--", file],
            &["request", "phases", "end"],
        ),
        (&["--incremental", file], &["request", "phases", "end"]),
        (&["--tree", "hidden"], &["request", "plan", "end"]),
        (
            &["--line-history", "-L1,2", file],
            &["request", "phases", "end"],
        ),
        (&["--why", "hidden/quiet file.rs:1"], &["request", "end"]),
        (&["-L5,9", file], &["repository", "end"]),
        (&["covert..quiet", "--", file], &["repository", "end"]),
        (
            &["stealth", "--", "hidden/undercover"],
            &["repository", "end"],
        ),
        (&["--contents", "undercover", file], &["repository", "end"]),
        (&["--no-such-option=quiet", file], &["end"]),
        (&["--covert", file], &["end"]),
        (&["-wcovert", file], &["end"]),
        (
            &["--ignore-rev", "stealth", "--since=covert", file],
            &["request", "end"],
        ),
    ] {
        let log = scratch.path().join(compared.to_string());
        let plain = run(&repository, None, args);
        let logged = run(&repository, Some(&log), args);
        assert_eq!(plain, logged, "{args:?}");
        let text = fs::read_to_string(&log).expect("a log");
        let found = subjects(&text);
        for subject in ["tblame", "system", "terminal", "command"]
            .iter()
            .chain(wanted)
        {
            assert!(found.contains(subject), "{args:?} {subject}: {text}");
        }
        for secret in SECRETS {
            assert!(!text.contains(secret), "{args:?} {secret}: {text}");
        }
        let root = repository.root().to_str().expect("UTF-8");
        assert!(!text.contains(root), "{args:?}: {text}");
        let status = format!("status {}", plain.status.expect("it was not killed"));
        assert!(
            text.trim_end()
                .lines()
                .last()
                .is_some_and(|end| end.contains(&status)),
            "{args:?}: {text}"
        );
        compared += 1;
    }
    assert_eq!(compared, 14);
    // With names.
    let log = scratch.path().join("names");
    let mut command = repository.command(tblame_program().as_os_str());
    command.args(["--log", log.to_str().expect("UTF-8"), file]);
    let named = ProgramOutput::of(command.env("TBLAME_LOG_NAMES", "1"));
    assert_eq!(named.status, Some(0));
    assert!(fs::read_to_string(&log).expect("a log").contains(file));
}

/// A run whose only difference is in what it takes from the cache.
#[test]
fn a_log_has_hits_and_misses_with_their_reasons() {
    let repository = secret_repository();
    let cache = TestCache::new();
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let log = scratch.path().join("log");
    let file = "hidden/quiet file.rs";
    let mut read = 0;
    let mut look = |args: &[&str]| {
        let log = log.to_str().expect("UTF-8");
        cache.run(&repository, &[&["--log", log], args, &[file]].concat());
        let text = fs::read_to_string(log).expect("a log");
        let new = text[read..].to_owned();
        read = text.len();
        new
    };
    let first = look(&["-p", "HEAD"]);
    assert!(first.contains("kept: the blame of "), "{first}");
    assert!(!first.contains("hit"), "{first}");
    let second = look(&["-p", "HEAD"]);
    assert!(
        second.starts_with("tblame log\n") && second.contains("hit: the blame of "),
        "{second}"
    );
    let ranges = look(&["-p", "HEAD~1..HEAD"]);
    assert!(ranges.contains("not for ranges of revisions"), "{ranges}");
    let off = look(&["-p", "--no-cache"]);
    assert!(off.contains("off: --no-cache"), "{off}");
}

/// What is wrong, and where it was found, is noted without the message, which may have names.
#[test]
fn a_log_says_what_went_wrong() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let file = "hidden/quiet file.rs";
    type Damage = fn(&TestRepo);
    let cases: [(&str, Damage, &[&str]); 3] = [
        (
            "a program that fails",
            |repository| {
                repository.git(&[
                    "config",
                    "diff.covert.textconv",
                    "stealth() { exit 3; }; stealth",
                ]);
                repository.write(b".gitattributes", b"*.rs diff=covert\n");
            },
            &[
                "Conversion, made at src/",
                ": the program ended with exit status: 3;",
            ],
        ),
        (
            "a tree that is missing",
            |repository| {
                let id = String::from_utf8(repository.git(&["rev-parse", "HEAD~1:hidden"]));
                let id = id.expect("an id");
                let (folder, name) = id.split_at(2);
                let path = format!(".git/objects/{folder}/{name}");
                fs::remove_file(repository.root().join(path)).expect("it is loose");
            },
            &["Fatal, made at src/", "unable to read tree ("],
        ),
        (
            "a pack that is damaged",
            |repository| {
                repository.git(&["repack", "-adq"]);
                let directory = repository.root().join(".git/objects/pack");
                for entry in fs::read_dir(directory).expect("it exists") {
                    let path = entry.expect("it can be listed").path();
                    if path.extension().is_some_and(|it| it == "pack") {
                        let mut bytes = fs::read(&path).expect("it can be read");
                        let end = bytes.len() - 20;
                        bytes[12..end].fill(0x55);
                        fs::remove_file(&path).expect("it can be removed");
                        fs::write(&path, bytes).expect("it is new");
                    }
                }
            },
            &[
                "pack-",
                "; once more, with care",
                " cannot be read, and the repository is damaged;",
            ],
        ),
    ];
    for (name, damage, wanted) in cases {
        let repository = secret_repository();
        damage(&repository);
        let log = scratch.path().join(name);
        let output = run(
            &repository,
            Some(&log),
            &["--porcelain", "HEAD", "--", file],
        );
        assert_eq!(output.status, Some(128), "{name}");
        let text = fs::read_to_string(&log).expect("a log");
        for wanted in wanted {
            assert!(text.contains(wanted), "{name}: {wanted}: {text}");
        }
        let root = repository.root().to_str().expect("UTF-8");
        for secret in SECRETS.iter().chain([&root]) {
            assert!(!text.contains(secret), "{name}: {secret}: {text}");
        }
    }
}

/// A warning is noted with the place where it was made, without its words.
#[test]
fn a_log_says_where_warnings_were_made() {
    let repository = secret_repository();
    repository.git(&["tag", "stealth"]);
    repository.git(&["config", "color.blame.repeatedLines", "covert"]);
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let log = scratch.path().join("log");
    let args = ["--porcelain", "stealth", "--", "hidden/quiet file.rs"];
    let output = run(&repository, Some(&log), &args);
    let warnings = output.stderr.iter().filter(|&&byte| byte == b'\n').count();
    assert_eq!((output.status, warnings), (Some(0), 3));
    let text = fs::read_to_string(&log).expect("a log");
    for source in ["repository/revisions/ref_names", "run/format_options"] {
        let wanted = format!("warning    made at src/{source}.rs:");
        assert!(text.contains(&wanted), "{wanted}: {text}");
    }
    let printed = text.matches("warning    printed: (a message of ").count();
    assert_eq!(printed, 3, "{text}");
    assert!(
        SECRETS.iter().all(|secret| !text.contains(secret)),
        "{text}"
    );
}

#[test]
fn a_log_says_which_git_is_followed() {
    let repository = secret_repository();
    let scratch = tempfile::tempdir().expect("a temporary directory");
    for (at, (args, wanted)) in [
        (
            &["--git-compat=2.50"][..],
            "as 2.50, by --git-compat; git version ",
        ),
        (&["--git-compat=newest"], "as the newest, by --git-compat; "),
        (&[], "as the installed one: git version "),
    ]
    .iter()
    .enumerate()
    {
        let log = scratch.path().join(at.to_string());
        let mut command = repository.command(tblame_program().as_os_str());
        command
            .env("TBLAME_LOG", &log)
            .env_remove("TBLAME_GIT_COMPAT");
        ProgramOutput::of(command.args(*args).arg("hidden/quiet file.rs"));
        let text = fs::read_to_string(&log).expect("a log");
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}

/// A thread that panics is noted with the place, also where the run goes on.
#[test]
fn a_log_has_panics() {
    let repository = secret_repository();
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let log = scratch.path().join("log");
    let mut command = repository.command(tblame_program().as_os_str());
    command
        .env("TBLAME_LOG", &log)
        .env("TBLAME_TEST_PANIC", "prefetch");
    let output =
        ProgramOutput::of(command.args(["--threads=2", "--porcelain", "hidden/quiet file.rs"]));
    assert_eq!(output.status, Some(0));
    let text = fs::read_to_string(&log).expect("a log");
    assert!(
        text.contains("a panic in prefetch for a test, at src/system/test_panic.rs:"),
        "{text}"
    );
    assert!(text.contains("note_panic is at 0x"), "{text}");
}

/// Keys, what the terminal answers and panics of the viewer are noted, and what is typed is not.
#[test]
fn a_log_of_the_viewer_says_what_was_done() {
    let repository = secret_repository();
    let scratch = tempfile::tempdir().expect("a temporary directory");
    for (place, status) in [("DiffJob", 0), ("main", 101)] {
        let log = scratch.path().join(place);
        let mut command = tblame_command();
        command.cwd(repository.root());
        command.args(["hidden/quiet file.rs"]);
        command.env("TBLAME_LOG", &log);
        command.env("TBLAME_TEST_PANIC", place);
        let mut session = Session::run(command, (80, 24));
        if place == "DiffJob" {
            session.wait_for("line 1 of 2");
            session.press("\x1b]11;rgb:0000/0000/0000\x07j");
            session.wait_for("line 2 of 2");
            session.press("/");
            session.press_each("stealth");
            session.wait_for("no match");
            session.press("\r\r");
            session.wait_for("internal error: the diff failed");
            session.press("q:");
            session.press_each("undercover");
            session.press("\r");
            session.wait_for("is neither a line, a revision, a file nor a date");
            session.press("q");
        }
        assert_eq!(session.end().exit_code(), status, "{place}");
        session.assert_restored();
        let text = fs::read_to_string(&log).expect("a log");
        let panic = format!("a panic in {place} for a test, at src/system/test_panic.rs:");
        assert!(text.contains(&panic), "{panic}: {text}");
        assert!(
            text.contains(" viewer     colors by the environment: "),
            "{text}"
        );
        let mut wanted = vec![];
        if place == "DiffJob" {
            wanted = vec![
                "reply      Background(Some(Dark))",
                "key        j on the blame",
                "cause      made at src/viewer/repository/places.rs:",
                "failure    query Place: (a message of ",
                "end        status 0",
            ];
            assert_eq!(
                text.matches("a character on SearchPrompt").count(),
                7,
                "{text}"
            );
        }
        for wanted in wanted {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
        assert!(
            SECRETS.iter().all(|secret| !text.contains(secret)),
            "{text}"
        );
    }
}

#[test]
fn a_report_has_no_names() {
    let repository = secret_repository();
    let mut command = repository.command(tblame_program().as_os_str());
    let output = ProgramOutput::of(command.env_remove("TBLAME_GIT_COMPAT").arg("--report"));
    assert_eq!((output.status, &*output.stderr), (Some(0), &b""[..]));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    for wanted in [
        concat!("tblame     ", env!("CARGO_PKG_VERSION"), " for "),
        "\nsystem     ",
        "\nterminal   ",
        "\ngit        as the installed one: git version ",
        "\ncache      ",
        "\nrepository sha1, references in files",
        "\nobjects    ",
        "\nsettings   ",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert!(
        text.starts_with("```text\n") && text.ends_with("```\n"),
        "{text}"
    );
    assert!(
        SECRETS.iter().all(|secret| !text.contains(secret)),
        "{text}"
    );
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let mut command = Command::new(tblame_program());
    command
        .current_dir(scratch.path())
        .env("GIT_CEILING_DIRECTORIES", scratch.path());
    let outside = ProgramOutput::of(command.arg("--report"));
    assert_eq!(outside.status, Some(0));
    assert!(String::from_utf8_lossy(&outside.stdout).contains("\nrepository none: NoRepository\n"));
}

#[test]
fn a_log_has_the_name_of_a_file() {
    let repository = secret_repository();
    for (log, args) in [(None, &["--log", "-"][..]), (Some(Path::new("-")), &[])] {
        let output = run(
            &repository,
            log,
            &[args, &["hidden/quiet file.rs"]].concat(),
        );
        assert_eq!(output.status, Some(128));
        assert_eq!(
            output.stderr,
            b"fatal: the log is a file: its name cannot be '-'\n"
        );
        assert!(!repository.root().join("-").exists());
    }
}
