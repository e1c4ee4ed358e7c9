//! Repositories with very many references.

use std::fmt::Write as _;

use crate::harness::{
    command_lines::two_commits,
    program::{ProgramOutput, tblame_program},
};

/// More references than a quadratic search ends with in the time.
const REFERENCES: usize = 30_000;
/// In seconds of CPU time.
const TIME: u32 = 5;

#[test]
fn options_that_add_references_take_time_in_proportion() {
    let repository = two_commits();
    let commits = ["HEAD", "HEAD~1"].map(|name| repository.git_text(&["rev-parse", name]));
    let mut text = String::from("# pack-refs with: peeled fully-peeled sorted \n");
    for number in 0..REFERENCES {
        let commit = &commits[number % 2];
        writeln!(text, "{commit} refs/heads/b{number:05}").expect("it is a string");
    }
    let packed = repository.root().join(".git/packed-refs");
    std::fs::write(packed, text).expect("it is writable");
    let script = format!("ulimit -t {TIME}; exec \"$0\" \"$@\"");
    for words in [
        "--all -- a.txt",
        "--all --not HEAD -- a.txt",
        "HEAD --not --all -- a.txt",
        "--reverse HEAD~1.. --branches -- a.txt",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let git = repository.git_output(&[&["blame"], words.as_slice()].concat(), b"");
        let mut command = repository.command("sh".as_ref());
        command.args(["-c", &script]).arg(tblame_program());
        let own = ProgramOutput::of(command.args(&words));
        assert_eq!(own.status, git.status.code(), "{words:?}");
        assert_eq!(own.stdout, git.stdout, "{words:?}");
        assert_eq!(own.stderr, git.stderr, "{words:?}");
    }
}
