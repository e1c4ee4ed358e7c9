//! A filter of a commit-graph that rules out what did change, with the right checksum: blames are git's, as it asks the same filters.

use std::{ffi::OsStr, fs, ops::Range};

use crate::harness::{
    faults::{chunk_range, repair_checksum},
    git::git_program,
    program::{ProgramOutput, Stderr, tblame_program},
    repository::{ObjectFormat, TestRepo},
    stored_history::{PATH, make_history},
};

/// The byte ranges of the filters.
fn filters(bytes: &[u8]) -> Vec<Range<usize>> {
    let chunk = |name| chunk_range(bytes, name).expect("the file has the chunk");
    let data = chunk(b"BDAT").start + 12;
    let ends = bytes[chunk(b"BIDX")].chunks(4).map(|end| {
        let end = end.try_into().expect("four bytes");
        data + u32::from_be_bytes(end) as usize
    });
    let ends: Vec<usize> = ends.collect();
    let starts = [data].into_iter().chain(ends.iter().copied());
    starts.zip(&ends).map(|(start, end)| start..*end).collect()
}

#[test]
fn a_wrong_filter_misleads_tblame_as_it_misleads_git() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    make_history(&repository);
    repository.git(&["repack", "-adfq"]);
    repository.git(&["commit-graph", "write", "--reachable", "--changed-paths"]);
    let path = repository.root().join(".git/objects/info/commit-graph");
    let original = fs::read(&path).expect("it was just written");
    let blame = |program: &OsStr, first: &[&str]| {
        let mut command = repository.command(program);
        command
            .args(first)
            .args(["--porcelain", "HEAD", "--", PATH]);
        ProgramOutput::of(&mut command)
    };
    let pristine = blame(git_program(), &["blame"]);
    let (mut compared, mut misled) = (0, 0);
    // One rules out every change, and another one none.
    let filters = filters(&original);
    let pairs = filters
        .iter()
        .flat_map(|empty| filters.iter().map(move |full| (empty, full)));
    for (nth, (empty, full)) in pairs.enumerate() {
        let mut bytes = original.clone();
        bytes[full.clone()].fill(0xff);
        bytes[empty.clone()].fill(0);
        assert!(repair_checksum(&mut bytes, gix_hash::Kind::Sha1));
        fs::remove_file(&path).expect("it is there");
        fs::write(&path, bytes).expect("it is writable");
        let options = [&[][..], &["-w"], &["-M"], &["--first-parent"]][nth % 4];
        let git = blame(git_program(), &[&["blame"], options].concat());
        for threads in ["--threads=1", "--threads=2"] {
            let tblame = tblame_program();
            let tblame = blame(tblame.as_os_str(), &[&[threads], options].concat());
            let difference = tblame.difference(&git, Stderr::Whole);
            assert_eq!(difference, None, "{empty:?}, {full:?}: {options:?}");
            compared += 1;
        }
        misled += usize::from(git.stdout != pristine.stdout);
    }
    assert!(compared >= 100 && misled >= 20, "{misled} of {compared}");
}
