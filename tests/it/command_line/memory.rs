//! Large files where memory is short: an error with git's status, or the whole output, but no abort.

use std::{
    ffi::OsStr,
    process::{Command, Stdio},
};

use crate::harness::{
    program::{ProgramOutput, tblame_program},
    repository::{ObjectFormat, TestRepo},
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
