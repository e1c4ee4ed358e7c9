//! The prefetch thread's commit headers and tree entries, in a history long enough that the walk uses
//! thousands of them. In the short histories of other tests it is hardly ever ahead, so that a wrong
//! result would not show. Prefetched diffs are used too rarely here to be counted.

use std::{ffi::OsStr, path::Path};

use crate::harness::{
    compare::assert_same_in,
    git::git_program,
    linear_history::{self, ChangingFile},
    program::{ProgramOutput, tblame_program},
    repository::{ObjectFormat, TestRepo},
};

const COMMITS: usize = 24_000;
/// The blamed file changes in every such commit; the others leave it alone.
const INTERVAL: usize = 12;

/// How many prefetched commit headers and tree entries the walk used, from `--stats`.
fn used(stats: &str) -> [u64; 2] {
    let number_before = |row: &str, words: &str| -> u64 {
        let line = stats.lines().rfind(|line| line.starts_with(row));
        let line = line.unwrap_or_else(|| panic!("no row {row}: {stats}"));
        let end = line.find(words).expect("the row says how many were used");
        let number = line[..end].trim_end().rsplit(' ').next();
        number.expect("a number").parse().expect("a number")
    };
    [
        number_before("heads ", "of these used"),
        number_before("trees ", "paths used"),
    ]
}

#[test]
fn prefetched_results_are_used_and_right() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let directory = repository.root().join("history.git");
    let git = Path::new(git_program());
    linear_history::import(git, &directory, 50, |stream| {
        let mut file = ChangingFile::new(300);
        for number in 0..COMMITS {
            stream.commit()?;
            match number % INTERVAL {
                0 => {
                    file.change();
                    stream.file("f", &file.lines.concat())?;
                }
                _ => stream.file("g", &format!("{number}\n"))?,
            }
        }
        Ok(())
    });
    linear_history::repack(git, &directory);
    for format in ["--porcelain", "--incremental"] {
        let arguments: &[&OsStr] = &[format, "main", "--", "f"].map(OsStr::new);
        assert_same_in(&repository, &directory, &[], arguments);
    }
    let mut command = repository.command(tblame_program().as_os_str());
    command.current_dir(&directory);
    command.args(["--threads=2", "--stats", "--porcelain", "main", "--", "f"]);
    let output = ProgramOutput::of(&mut command);
    let used = used(&String::from_utf8_lossy(&output.stderr));
    assert!(used.iter().all(|&used| used > 100), "{used:?}");
}
