//! tblame in place of git: under the name `git`, and with git's own options.

use std::{
    ffi::{OsStr, OsString},
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::{Path, PathBuf},
    process::Command,
};

use jiff::Timestamp;
use tempfile::TempDir;

use crate::harness::{
    clients::{CLIENTS, Directory, Input, words},
    command_lines::two_commits,
    compare::Seconds,
    git::git_program,
    program::{ProgramOutput, Stderr, copy_program, launcher_program, tblame_program},
    repository::TestRepo,
};

/// Directories of programs named `git`, and a repository.
struct Shims {
    repository: TestRepo,
    directory: TempDir,
    /// `PATH` without shims; its first git is the one to compare with.
    path: OsString,
}

impl Shims {
    /// Two shims: the launcher in the directory `one`, and tblame itself in `itself`.
    fn new() -> Shims {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let real = directory.path().join("real");
        std::fs::create_dir(&real).expect("the directory is empty");
        let path = std::env::var_os("PATH").unwrap_or_default();
        symlink(git_program(), real.join("git")).expect("the directory is empty");
        let shims = Shims {
            repository: two_commits(),
            path: join(&[real.into_os_string(), path]),
            directory,
        };
        shims.link("one", &launcher_program());
        shims.link("itself", tblame_program());
        shims
    }

    /// A directory with a link to `program` under the name `git`.
    fn link(&self, name: &str, program: &Path) -> PathBuf {
        let directory = self.directory.path().join(name);
        std::fs::create_dir(&directory).expect("the name is new");
        symlink(program, directory.join("git")).expect("the directory is empty");
        directory
    }

    /// A directory with a copy of `program` under the name `git`.
    fn copy(&self, name: &str, program: &Path) -> PathBuf {
        let directory = self.directory.path().join(name);
        std::fs::create_dir(&directory).expect("the name is new");
        copy_program(program, &directory.join("git"));
        directory
    }

    fn shim(&self) -> PathBuf {
        self.directory.path().join("one/git")
    }

    fn real(&self) -> PathBuf {
        self.directory.path().join("real/git")
    }

    /// A command that runs `program` with the shim first in `PATH`.
    fn command(&self, program: &Path, arguments: &[OsString]) -> Command {
        let mut command = self.repository.command(program.as_os_str());
        let one = self.directory.path().join("one");
        command
            .env("PATH", join(&[one.into_os_string(), self.path.clone()]))
            .args(arguments);
        command
    }

    /// Runs git and both shims; `change` is made to both commands. They must agree, in their usage texts too.
    fn assert_same(
        &self,
        arguments: &[OsString],
        input: &[u8],
        change: impl Fn(&mut Command),
    ) -> ProgramOutput {
        let start = Timestamp::now();
        let run = |program: &Path| {
            let mut command = self.command(program, arguments);
            change(&mut command);
            ProgramOutput::with_input(&mut command, input)
        };
        let git = run(&self.real());
        for shim in [self.shim(), self.directory.path().join("itself/git")] {
            let tblame = run(&shim);
            let passed = Seconds::since(start);
            let (ours, theirs) = (passed.masked(&tblame), passed.masked(&git));
            let difference = ours.difference(&theirs, Stderr::Whole);
            if let Some(difference) = difference {
                panic!("{} {arguments:?}: {difference}", shim.display());
            }
            assert_eq!(git.stderr, tblame.stderr, "{arguments:?}");
        }
        git
    }
}

fn join(directories: &[OsString]) -> OsString {
    directories.join(OsStr::new(":"))
}

fn split(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

#[test]
fn options_of_git_mean_what_they_mean_in_git() {
    let shims = Shims::new();
    let repository = &shims.repository;
    repository.git(&["config", "alias.b", "blame -s"]);
    repository.git(&["config", "alias.e", "!git blame -s"]);
    let root = repository.root().display().to_string();
    let options = [
        "",
        "-C sub",
        "-C sub -C ..",
        "-C nosuch",
        "-C a.txt",
        "--no-pager --literal-pathspecs -c gc.auto=0",
        "--literal-pathspecs --no-literal-pathspecs",
        "-p",
        "-P",
        "--no-replace-objects --no-optional-locks --no-lazy-fetch",
        "--glob-pathspecs --noglob-pathspecs --icase-pathspecs",
        "--bare",
        "--bare -C .git",
        "-C .git --bare",
        "-C sub --git-dir=../.git",
        "-C sub --git-dir ../.git --work-tree ..",
        "--git-dir=.git --work-tree=sub",
        "--git-dir=nosuch",
        "--git-dir=",
        "--work-tree=",
        "--namespace=x",
        "--namespace x",
        "-c blame.date=short",
        "-c blame.date=short -c blame.date=raw",
        "-c blame.showEmail",
        "-c blame.showEmail=",
        "-c blame.date=it's!",
        "-c nosection",
        "-c =x",
        "-c a",
        "--config-env=blame.date=DATE",
        "--config-env blame.date=DATE -c a.b=c",
        "--config-env=blame.date=NO_SUCH_VARIABLE",
        "--config-env=blame.date=",
        "--config-env=x",
        "--git-dir",
        "-c",
        "--attr-source=HEAD",
        "--exec-path=/no/such/directory",
        "--unknown",
        "-x",
        "--",
        "--bare=1",
        "--version",
        "--html-path",
    ];
    let commands = [
        "blame -p a.txt",
        "blame -s b.txt",
        "blame -l HEAD -- sub/b.txt",
        "annotate a.txt",
        "blame --incremental --contents - a.txt",
        "blame -C -C a.txt",
        "blame",
        "blame -h",
        "blame --nosuch a.txt",
        "blame --date a.txt",
        "blame nosuch",
        "b a.txt",
        "e a.txt",
        "rev-parse --show-prefix HEAD",
        "nosuch",
    ];
    let mut succeeded = 0;
    for options in options {
        for command in commands {
            let line = split(&format!("{options} {command}"));
            let output = shims.assert_same(&line, b"one\nnew\n", |command| {
                command.env("DATE", "raw");
            });
            succeeded += usize::from(output.status == Some(0));
        }
    }
    assert!(succeeded > 150, "{succeeded}");
    // Lines for tblame, names for git.
    for line in ["blame +1 a.txt", "blame a.txt:1", "annotate a.txt +1"] {
        let output = shims.assert_same(&split(line), b"", |_| {});
        assert_eq!(output.status, Some(128), "{line}");
    }
    // Absolute paths, from elsewhere.
    let far = format!("--git-dir {root}/.git --work-tree {root} blame -p {root}/sub/b.txt");
    let output = shims.assert_same(&split(&far), b"", |command| {
        command.current_dir("/");
    });
    assert_eq!(output.status, Some(0));
}

#[test]
fn editors_get_the_bytes_of_git() {
    let shims = Shims::new();
    let repository = &shims.repository;
    let root = repository.root();
    let commit = repository.git_text(&["rev-parse", "HEAD"]);
    let outside = shims.directory.path();
    let unsaved = b"one\nunsaved\ntwo and more\nfour\n";
    std::fs::write(outside.join("unsaved"), unsaved).expect("the directory is writable");
    std::fs::write(outside.join("grafts"), format!("{commit}\n")).expect("it is writable");
    std::fs::write(root.join(".git-blame-ignore-revs"), format!("{commit}\n"))
        .expect("it is writable");
    repository.write(b"a.txt", b"one\nedited\nthree\nfour\nfive\n");
    let bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
    let mut succeeded = 0;
    for client in CLIENTS {
        for (command, path) in client
            .commands
            .iter()
            .flat_map(|it| [(it, "a.txt"), (it, "sub/b.txt")])
        {
            let values = [
                ("{ }", b" ".to_vec()),
                ("{path}", path.into()),
                ("{rev}", commit.clone().into_bytes()),
                ("{line}", b"1".to_vec()),
                ("{end}", b"2".to_vec()),
                ("{count}", b"2".to_vec()),
                ("{root}", bytes(root)),
                ("{git-dir}", bytes(&root.join(".git"))),
                ("{unsaved}", bytes(&outside.join("unsaved"))),
                ("{grafts}", bytes(&outside.join("grafts"))),
            ];
            let line = [
                words(client.git_options, &values),
                vec!["blame".into()],
                words(command.arguments, &values),
            ];
            let input = match command.input {
                Input::Nothing => &b""[..],
                Input::Unsaved => unsaved,
                Input::Staged => b"one\ntwo and more\nthree\nfour\n",
            };
            let directory = match client.directory {
                Directory::Root => root.to_owned(),
                Directory::OfFile => root.join(path).parent().expect("it has one").to_owned(),
            };
            let output = shims.assert_same(&line.concat(), input, |command| {
                command
                    .current_dir(&directory)
                    .envs(client.environment.iter().copied());
            });
            succeeded += usize::from(output.status == Some(0));
        }
    }
    assert!(succeeded > 80, "{succeeded}");
}

#[test]
fn git_finds_what_it_would_find_without_the_shim() {
    let shims = Shims::new();
    shims
        .repository
        .git(&["config", "alias.e", "!env | sort; printf '%s\\n' \"$@\" #"]);
    let line = ["-c", "a.b=c d", "e", "a b", "", "*", "--x=\n"].map(OsString::from);
    let output = shims.assert_same(&line, b"", |command| {
        command.env("ODD", "\u{fc}=").env("_", "x");
    });
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("ODD=\u{fc}=\n") && text.contains("GIT_CONFIG_PARAMETERS="),
        "{text}"
    );
    // Its standard input, and its status.
    let output = shims.assert_same(&split("hash-object --stdin"), b"text\n", |_| {});
    assert_eq!(output.stdout.len(), 41);
    let output = shims.assert_same(
        &split("diff --no-index --exit-code a.txt sub/b.txt"),
        b"",
        |_| {},
    );
    assert_eq!(output.status, Some(1));
}

#[test]
fn shims_never_run_each_other_in_a_circle() {
    let shims = Shims::new();
    let copy = shims.copy("copy", tblame_program());
    let launcher = shims.copy("launcher", &launcher_program());
    let two = shims.link("two", tblame_program());
    let one = shims.directory.path().join("one");
    let empty = shims.directory.path().join("empty");
    std::fs::create_dir(&empty).expect("the name is new");
    let real = shims.path.clone();
    let name = |path: &Path| path.as_os_str().to_owned();
    let paths = [
        vec![name(&one), name(&two), name(&copy), real.clone()],
        vec![name(&copy), name(&one), real.clone()],
        vec![
            name(&one),
            name(&copy),
            name(&one),
            name(&empty),
            real.clone(),
        ],
        vec![real.clone(), name(&one), name(&copy)],
        vec![name(&copy), real.clone(), name(&two)],
        vec![name(&launcher), name(&two), name(&launcher), real.clone()],
        vec![name(&one), name(&launcher), name(&copy), real.clone()],
    ];
    let expected = shims.repository.git(&["version"]);
    for path in &paths {
        for shim in [&one, &two, &copy, &launcher] {
            let mut command = shims.command(&shim.join("git"), &split("version"));
            let output = ProgramOutput::of(command.env("PATH", join(path)));
            assert_eq!(
                output.stdout.trim_ascii_end(),
                expected,
                "{path:?} {shim:?}"
            );
        }
    }
    for path in [
        vec![name(&one)],
        vec![name(&one), name(&copy)],
        vec![name(&copy), name(&one), name(&copy)],
        vec![name(&launcher), name(&two)],
    ] {
        for shim in [&one, &copy] {
            let mut command = shims.command(&shim.join("git"), &split("version"));
            let output = ProgramOutput::of(command.env("PATH", join(&path)));
            assert_eq!(output.status, Some(127), "{path:?}");
            assert_eq!(output.stderr, b"tblame: there is no other git in PATH\n");
        }
        // A blame needs no git, where tblame is.
        let mut command = shims.command(&one.join("git"), &split("blame -p a.txt"));
        let output = ProgramOutput::of(command.env("PATH", join(&path)));
        assert_eq!(output.status, Some(0));
    }
}

#[test]
fn tblame_takes_the_options_of_git_that_blame_does_not_have() {
    let shims = Shims::new();
    let root = shims.repository.root().display().to_string();
    for (options, rest) in [
        ("-C .", "-p a.txt"),
        ("-C sub/", "-p b.txt"),
        ("-C sub/..", "-p -C a.txt"),
        ("-C ./sub/ -C ../", "-p -C -C a.txt"),
        ("-C ROOT", "-p sub/b.txt"),
        ("-C ROOT/sub", "-p b.txt"),
        ("--git-dir=.git", "-p a.txt"),
        ("--git-dir .git --work-tree .", "-p a.txt"),
        ("-C sub/ --git-dir=../.git --work-tree=..", "-p b.txt"),
        ("--no-pager --literal-pathspecs", "-p a.txt"),
        ("--bare", "-p HEAD a.txt"),
        ("-C .git/ --bare", "-p HEAD a.txt"),
        ("-c blame.showEmail=true -c blame.date=raw", "-l a.txt"),
        ("--config-env=blame.date=DATE", "-l a.txt"),
        ("-C nosuch/", "a.txt"),
        ("--git-dir=nosuch", "a.txt"),
        ("-c a.b=c", "-l nosuch"),
    ] {
        let options = options.replace("ROOT", &root);
        let run = |program: &Path, command: &str| {
            let line = split(&format!("{options} {command} {rest}"));
            ProgramOutput::of(shims.command(program, &line).env("DATE", "raw"))
        };
        let (git, tblame) = (run(&shims.real(), "blame"), run(tblame_program(), ""));
        assert_eq!(git, tblame, "{options} {rest}");
    }
    // What blame has, and where only blame's meaning is possible.
    shims.repository.git(&["branch", "sub"]);
    for line in [
        "-C sub a.txt",
        "-C -p sub a.txt",
        "-c a.txt",
        "-C -C a.txt",
        "-p -C . a.txt",
    ] {
        let run = |program: &Path, command: &str| {
            let line = split(&format!("{command} -l {line}"));
            ProgramOutput::of(&mut shims.command(program, &line))
        };
        let (git, tblame) = (run(&shims.real(), "blame"), run(tblame_program(), ""));
        assert_eq!(git, tblame, "{line}");
    }
    let output = ProgramOutput::of(&mut shims.command(tblame_program(), &split("--git-dir")));
    let expected = b"no directory given for '--git-dir' option\nusage: tblame [";
    assert!(
        output.stderr.starts_with(expected),
        "{}",
        output.stderr.escape_ascii()
    );
    assert_eq!(output.status, Some(129));
}

#[test]
fn the_shim_is_installed_and_removed() {
    let shims = Shims::new();
    let new = shims.directory.path().join("a/b");
    let shown = new.display().to_string();
    let run = |line: &str| {
        let mut command = shims.command(tblame_program(), &split(&line.replace("DIR", &shown)));
        ProgramOutput::of(&mut command)
    };
    for _ in 0..2 {
        let output = run("--install-shim DIR");
        assert_eq!(output.status, Some(0), "{}", output.stderr.escape_ascii());
        let link = std::fs::read_link(new.join("git")).expect("it is a link");
        assert_eq!(link, launcher_program());
        // What a version without the launcher has installed is replaced.
        std::fs::remove_file(new.join("git")).expect("it is there");
        symlink(tblame_program(), new.join("git")).expect("it was removed");
    }
    assert_eq!(run("--install-shim DIR").status, Some(0));
    let mut command = shims.command(&new.join("git"), &split("blame -p a.txt"));
    assert_eq!(
        ProgramOutput::of(&mut command).stdout.trim_ascii_end(),
        shims.repository.git(&["blame", "-p", "a.txt"])
    );
    assert_eq!(run("--remove-shim=DIR").status, Some(0));
    assert!(!new.join("git").exists());
    assert_eq!(run("--remove-shim=DIR").status, Some(128));
    // Another program is neither replaced nor removed.
    std::fs::write(new.join("git"), "other").expect("the directory is writable");
    let (installed, removed) = (run("--install-shim DIR"), run("--remove-shim=DIR"));
    assert_eq!((installed.status, removed.status), (Some(128), Some(128)));
    assert_eq!(
        std::fs::read(new.join("git")).expect("it is there"),
        b"other"
    );
    // Those in `PATH`.
    let output = run("--remove-shim");
    assert_eq!(output.status, Some(0), "{}", output.stderr.escape_ascii());
    assert!(!shims.shim().exists() && shims.real().exists());
}

#[test]
fn a_program_without_a_launcher_is_its_own_shim() {
    let shims = Shims::new();
    let alone = shims.directory.path().join("alone");
    std::fs::create_dir(&alone).expect("the name is new");
    let program = alone.join("tblame");
    copy_program(tblame_program(), &program);
    let shim = shims.directory.path().join("new");
    let line = [OsString::from("--install-shim"), shim.clone().into()];
    let output = ProgramOutput::of(&mut shims.command(&program, &line));
    assert_eq!(output.status, Some(0), "{}", output.stderr.escape_ascii());
    let link = std::fs::read_link(shim.join("git")).expect("it is a link");
    assert_eq!(link, program);
}

/// The launcher alone runs git, for blames too; `git-tblame` starts the tblame of `PATH`.
#[test]
fn a_launcher_without_tblame_runs_git() {
    let shims = Shims::new();
    let alone = shims.copy("alone", &launcher_program());
    let git = ProgramOutput::of(&mut shims.command(&shims.real(), &split("blame a.txt")));
    let mut command = shims.command(&alone.join("git"), &split("blame a.txt"));
    assert_eq!(ProgramOutput::of(&mut command), git);
    let named = alone.join("git-tblame");
    std::fs::rename(alone.join("git"), &named).expect("it can be renamed");
    let run = |path: &[OsString]| {
        let mut command = shims.command(&named, &split("--porcelain a.txt"));
        ProgramOutput::of(command.env("PATH", join(path)))
    };
    let nowhere = run(&[alone.clone().into_os_string()]);
    assert_eq!(nowhere.status, Some(127));
    let programs = tblame_program().parent().expect("it has a directory");
    let found = run(&[programs.as_os_str().to_owned(), shims.path.clone()]);
    let mut command = shims.command(&shims.real(), &split("blame --porcelain a.txt"));
    assert_eq!(found, ProgramOutput::of(&mut command));
}

/// git starts `git-tblame`; the usage is that of `git blame`.
#[test]
fn git_starts_the_launcher() {
    let shims = Shims::new();
    let directory = shims.directory.path().join("programs");
    std::fs::create_dir(&directory).expect("the name is new");
    symlink(launcher_program(), directory.join("git-tblame")).expect("the directory is empty");
    let run = |line: &str| {
        let mut command = shims.command(&shims.real(), &split(line));
        let path = join(&[directory.clone().into_os_string(), shims.path.clone()]);
        ProgramOutput::of(command.env("PATH", path))
    };
    for rest in ["-p a.txt", "-c a.txt", "-C -s a.txt", "nosuch"] {
        let ours = run(&format!("tblame {rest}"));
        assert_eq!(ours, run(&format!("blame {rest}")), "{rest}");
    }
    let usage = run("tblame --nosuch").stderr;
    let expected = b"error: unknown option `--nosuch'\nusage: git blame [";
    assert!(usage.starts_with(expected), "{}", usage.escape_ascii());
}
