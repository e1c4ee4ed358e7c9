//! The reader of the output closes the pipe: the program ends by a signal as git does, so that scripts notice.

use std::{
    ffi::OsStr,
    fs::{self, File},
    os::unix::{fs::symlink, process::ExitStatusExt},
    process::{Command, ExitStatus, Stdio},
};

use crate::harness::{
    git::{git_program, git_version_text},
    program::{launcher_program, tblame_program, write_script},
    repository::{ObjectFormat, TestRepo},
};

const SIGPIPE: i32 = 13;

/// A repository with a file of more lines than a pipe holds.
fn repository() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let big: Vec<u8> = (0..20_000)
        .flat_map(|n| format!("{n}\n").into_bytes())
        .collect();
    repository.write(b"big", &big);
    repository.git(&["add", "big"]);
    repository.git(&["commit", "-q", "-m", "big"]);
    repository
}

/// A pipe that nobody reads.
fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("there are not too many");
    drop(reader);
    writer.into()
}

/// How `program` ends without a reader of its output, and what it writes to standard error.
fn end_without_reader(command: &mut Command) -> (ExitStatus, Vec<u8>) {
    let command = command.stdin(Stdio::null()).stderr(Stdio::piped());
    let output = command.stdout(closed_pipe()).output();
    let output = output.expect("it can be run");
    (output.status, output.stderr)
}

#[test]
fn every_format_ends_as_git_does() {
    let repository = repository();
    let mut compared = 0;
    for arguments in [
        "-s HEAD big",
        "big",
        "--porcelain big",
        "--line-porcelain HEAD big",
        "--incremental HEAD -- big",
        "-c big",
        "--color-lines --show-stats big",
        "--reverse HEAD -- big",
        "-h",
        "-L2,1 HEAD",
        "no-such-file",
        "--nosuch big",
        "-L1,1 no-such-revision -- big",
    ] {
        let words: Vec<&str> = arguments.split(' ').collect();
        let mut git = repository.command(git_program());
        let git = end_without_reader(git.arg("blame").args(&words)).0;
        let mut tblame = repository.command(tblame_program().as_os_str());
        let tblame = end_without_reader(tblame.args(&words)).0;
        assert_eq!(tblame, git, "{arguments}");
        compared += usize::from(git.signal() == Some(SIGPIPE));
    }
    assert_eq!(compared, 9);
}

#[test]
fn formats_of_tblame_end_in_the_same_way() {
    let repository = repository();
    for arguments in [
        "--json big",
        "--json HEAD -- big",
        "--people big",
        "--people --json HEAD -- big",
        "--line-history big",
        "--line-history --json HEAD -- big",
        "--file-history big",
        "--file-history --json HEAD -- big",
        "--file-history --search=7 HEAD -- big",
        "--deletions --json HEAD -- big",
        "--annotate big",
        "--cache",
        "--print-config",
        "--generate man",
        "--help",
        "--version",
    ] {
        let mut command = repository.command(tblame_program().as_os_str());
        let words = arguments.split(' ');
        let cache = repository.root().join("../cache");
        let (status, stderr) = end_without_reader(command.args(words).env("XDG_CACHE_HOME", cache));
        assert_eq!(status.signal(), Some(SIGPIPE), "{arguments}: {status}");
        assert_eq!(stderr.escape_ascii().to_string(), "", "{arguments}");
    }
}

#[test]
fn a_closed_standard_error_ends_it_too() {
    let repository = repository();
    let end = |program: &OsStr, arguments: &[&str]| {
        let mut command = repository.command(program);
        let command = command.args(arguments).stdin(Stdio::null());
        let status = command.stderr(closed_pipe()).stdout(Stdio::null()).status();
        status.expect("it can be run")
    };
    for arguments in [&["no-such-file"][..], &["--nosuch", "big"], &["--p", "big"]] {
        let git = end(git_program(), &[&["blame"], arguments].concat());
        assert_eq!(git.signal(), Some(SIGPIPE));
        assert_eq!(end(tblame_program().as_os_str(), arguments), git);
    }
}

#[test]
fn in_place_of_git_and_with_an_ignored_signal() {
    let repository = repository();
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    symlink(tblame_program(), directory.path().join("git")).expect("the directory is empty");
    let launcher = directory.path().join("launcher");
    fs::create_dir(&launcher).expect("the directory has no other");
    symlink(launcher_program(), launcher.join("git")).expect("the directory is empty");
    let programs = [
        git_program().to_owned(),
        directory.path().join("git").into_os_string(),
        launcher.join("git").into_os_string(),
    ];
    for arguments in [
        &["blame", "big"][..],
        &["-c", "blame.showEmail=true", "blame", "-p", "big"],
        &["annotate", "big"],
        &["blame", "-h"],
        &["log", "--format=%H"],
    ] {
        for program in &programs {
            for script in ["exec \"$0\" \"$@\"", "trap '' PIPE; exec \"$0\" \"$@\""] {
                let mut command = repository.command(OsStr::new("sh"));
                command.args(["-c", script]).arg(program).args(arguments);
                let (status, _) = end_without_reader(&mut command);
                assert_eq!(
                    status.signal(),
                    Some(SIGPIPE),
                    "{program:?} {arguments:?} {script}"
                );
            }
        }
    }
}

#[test]
fn nothing_is_left_behind() {
    let repository = repository();
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let (temporary, cache) = (directory.path().join("tmp"), directory.path().join("cache"));
    fs::create_dir(&temporary).expect("the directory is empty");
    let script = directory.path().join("convert");
    write_script(
        &script,
        b"#!/bin/sh\nls \"$TMPDIR\" >>\"$0.seen\"\ncat \"$1\"\n",
    );
    let command = script.to_str().expect("it is UTF-8");
    repository.git(&["config", "diff.converted.textconv", command]);
    repository.write(b".gitattributes", b"big diff=converted\n");
    for format in ["--porcelain", "--incremental", "--json", "--line-history"] {
        let mut command = repository.command(tblame_program().as_os_str());
        command.args([format, "HEAD", "--", "big"]);
        command
            .env("TMPDIR", &temporary)
            .env("XDG_CACHE_HOME", &cache);
        command
            .env("TBLAME_GIT_COMPAT", git_version_text())
            .env_remove("TBLAME_CACHE");
        let (status, _) = end_without_reader(&mut command);
        assert_eq!(status.signal(), Some(SIGPIPE), "{format}");
        let left: Vec<_> = fs::read_dir(&temporary).expect("it exists").collect();
        assert!(left.is_empty(), "{format}: {left:?}");
    }
    let seen = fs::read(directory.path().join("convert.seen")).expect("conversions ran");
    assert!(!seen.is_empty(), "there were temporary files");
    // The same blame with a reader.
    let mut command = repository.command(tblame_program().as_os_str());
    let file = File::create(directory.path().join("out")).expect("the name is new");
    command
        .args(["--porcelain", "HEAD", "--", "big"])
        .stdout(file);
    let status = command
        .env("XDG_CACHE_HOME", &cache)
        .env("TMPDIR", &temporary)
        .env_remove("TBLAME_CACHE")
        .status();
    assert_eq!(status.expect("it can be run").code(), Some(0));
}
