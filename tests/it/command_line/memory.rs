//! Large files where memory is short: an error with git's status, or the whole output, but no abort.

use std::{
    ffi::OsStr,
    fs,
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};

use crate::harness::{
    program::{ProgramOutput, tblame_program},
    repository::{ObjectFormat, TestRepo},
    session::{Session, TIMEOUT, tblame_command},
    stored_history::{Form, PATH},
};

/// tblame with at most so many KiB of address space.
fn limited(repository: &TestRepo, kib: usize, arguments: &[&str]) -> ProgramOutput {
    let mut command: Command = repository.command(OsStr::new("sh"));
    let script = format!("ulimit -v {kib}; exec \"$0\" \"$@\"");
    command.arg("-c").arg(script).arg(tblame_program());
    command.args(arguments).stdin(Stdio::null());
    ProgramOutput::of(&mut command)
}

#[test]
fn large_files_that_do_not_fit() {
    const MIB: usize = 1 << 20;
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for more in [&b""[..], b"x"] {
        repository.write(b"zeros", &[&vec![0; 24 * MIB], more].concat());
        let lines: Vec<u8> = (0..MIB / 8)
            .flat_map(|at| format!("{at:07}\n").into_bytes())
            .collect();
        repository.write(b"lines", &[&lines, more].concat());
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "large"]);
    }
    let (mut refused, mut answered) = (0, 0);
    for packed in [false, true] {
        if packed {
            repository.git(&["repack", "-a", "-d", "-q"]);
        }
        for arguments in [
            &["--porcelain", "HEAD", "--", "zeros"][..],
            &["--porcelain", "zeros"],
            &["-s", "-M", "HEAD", "--", "lines"],
        ] {
            let whole = ProgramOutput::of(
                repository
                    .command(tblame_program().as_os_str())
                    .args(arguments),
            );
            assert_eq!(whole.status, Some(0), "{arguments:?}: {:?}", whole.stderr);
            for mib in [230, 260, 300, 400] {
                let output = limited(&repository, mib * 1024, arguments);
                match output.status {
                    Some(0) => {
                        assert!(output.stdout == whole.stdout, "{arguments:?}, {mib} MiB");
                        answered += 1;
                    }
                    Some(128) => {
                        let message = String::from_utf8_lossy(&output.stderr);
                        assert!(message.contains("Out of memory: "), "{message}");
                        refused += 1;
                    }
                    status => panic!("{arguments:?}, {mib} MiB: {status:?}: {output:?}"),
                }
            }
        }
    }
    println!("{answered} answered, {refused} refused");
    assert!(answered > 4 && refused > 4, "{answered}, {refused}");
}

/// Names the check that fails, and the file that tells that it did.
fn refusal(repository: &TestRepo, number: u64) -> (String, PathBuf) {
    let file = repository.root().with_file_name("refused");
    fs::remove_file(&file).ok();
    (format!("{number} {}", file.display()), file)
}

/// Every check of memory of a run fails, one in each run, until a run has fewer.
#[test]
fn every_check_of_memory_may_fail() {
    let (mut refused, mut answered) = (0, 0);
    let mut unnamed = Vec::new();
    for form in [Form::Loose, Form::Pack] {
        let repository = form.repository(true);
        for arguments in [
            &["--porcelain", "HEAD", "--", PATH][..],
            &["--threads=1", "-M", "-C", "--", PATH],
            &["--incremental", "-C", "-C", "--", PATH],
        ] {
            let program = tblame_program();
            let run = |value: &str| {
                let mut command = repository.command(program.as_os_str());
                ProgramOutput::of(
                    command
                        .args(arguments)
                        .env("TBLAME_TEST_OUT_OF_MEMORY", value),
                )
            };
            let whole = run("");
            assert_eq!(whole.status, Some(0), "{arguments:?}: {whole:?}");
            let before = refused + answered;
            for number in 1.. {
                let (value, file) = refusal(&repository, number);
                let output = run(&value);
                let was_reached = file.exists();
                match output.status {
                    Some(0) => {
                        assert!(
                            output.stdout == whole.stdout,
                            "{form:?}, {arguments:?}, {number}"
                        );
                        answered += usize::from(was_reached);
                    }
                    Some(128) => {
                        let message = String::from_utf8_lossy(&output.stderr);
                        assert!(message.contains("fatal: "), "{number}: {message}");
                        let is_named = message.contains("Out of memory: ");
                        unnamed.extend((!is_named).then(|| format!("{arguments:?}: {message}")));
                        assert!(was_reached, "{form:?}, {arguments:?}, {number}: {message}");
                        refused += 1;
                    }
                    _ => panic!("{form:?}, {arguments:?}, {number}: {output:?}"),
                }
                if !was_reached {
                    break;
                }
            }
            assert!(
                refused + answered > before,
                "{form:?}, {arguments:?}: no check"
            );
        }
    }
    println!("{refused} refused, {answered} answered");
    assert!(refused > 20, "{refused}, {answered}");
    assert!(unnamed.is_empty(), "{}", unnamed.concat());
}

/// Likewise in the viewer: it ends with the error or goes on, and leaves the terminal as it was.
#[test]
fn every_check_of_memory_of_the_viewer_may_fail() {
    let repository = Form::Pack.repository(true);
    repository.write(b"changed", b"one\ntwo\n");
    let (mut ended, mut stayed) = (0, 0);
    for number in 1.. {
        let (value, file) = refusal(&repository, number);
        let mut command = tblame_command();
        command.cwd(repository.root());
        command.env("TBLAME_TEST_OUT_OF_MEMORY", value);
        command.arg(PATH);
        let mut session = Session::run(command, (80, 24));
        let wait = |session: &mut Session, shown: &str, unfinished: &str| {
            session.wait_until(TIMEOUT, |screen| {
                let text = screen.contents();
                file.exists() || text.contains(shown) && !text.contains(unfinished)
            });
            // And for what is computed ahead.
            session.wait_until_stable(Duration::from_millis(200), Duration::from_secs(10));
        };
        wait(&mut session, "of 30", "not attributed yet");
        let was_reached = file.exists();
        if session.has_exited() {
            ended += 1;
        } else {
            // Also what a look at a commit needs.
            session.press("\r");
            wait(&mut session, "Esc close", "comparing…");
            session.press("qqq");
            stayed += 1;
        }
        let status = session.end();
        assert!(
            [0, 128].contains(&status.exit_code()) && status.signal().is_none(),
            "{number}: {status:?}"
        );
        session.assert_restored();
        if !was_reached && !file.exists() {
            break;
        }
    }
    println!("{ended} ended, {stayed} stayed");
    assert!(ended + stayed > 5, "{ended}, {stayed}");
}
