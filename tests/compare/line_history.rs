//! Random ranges of random files: `tblame --line-history` and `git log -L` must find the same commits in the same order.

use std::{
    ffi::OsString,
    os::unix::ffi::OsStringExt,
    process::{Command, Output},
};

use crate::{
    Arguments,
    harness::rng::Rng,
    random,
    repository::{Repository, Sample},
};

/// Compares a range of each file, and returns whether there were some and all have the same commits. Ranges at which git
/// ends with an error are left out.
pub fn compare(arguments: &Arguments, repository: &Repository) -> bool {
    let mut rng = Rng::new(arguments.seed);
    let (mut ranges, mut commits, mut different) = (0, 0, 0);
    for sample in random::samples(arguments, repository) {
        let count = sample.text.iter().filter(|&&byte| byte == b'\n').count();
        let start = rng.between(1, count.max(1));
        let longest = *rng.pick(&[1, 3, 6, 21, 61]);
        let range = format!("{start},{}", (start + rng.below(longest)).min(count.max(1)));
        let Some(git) = commits_of_git(repository, &sample, &range) else {
            continue;
        };
        let tblame = commits_of_tblame(arguments, repository, &sample, &range);
        ranges += 1;
        commits += git.len();
        if git != tblame {
            different += 1;
            let path = sample.path.escape_ascii();
            println!("-L{range}:{path} at {}", sample.revision);
            println!("  git    {git:?}");
            println!("  tblame {tblame:?}");
        }
    }
    let directory = repository.directory.display();
    println!("{directory}: {ranges} ranges, {commits} commits, {different} different");
    different == 0 && ranges > 0
}

fn commits_of_git(repository: &Repository, sample: &Sample, range: &str) -> Option<Vec<String>> {
    let lines = [b"-L", range.as_bytes(), b":", &sample.path].concat();
    let mut command = Command::new(repository.git);
    command.arg("-C").arg(&repository.directory);
    command.args(["log", "-s", "--format=%H"]);
    let output = command.arg(OsString::from_vec(lines)).arg(&sample.revision);
    let output = output.output().expect("git runs");
    output.status.success().then(|| ids(&output))
}

fn commits_of_tblame(
    arguments: &Arguments,
    repository: &Repository,
    sample: &Sample,
    range: &str,
) -> Vec<String> {
    let mut command = Command::new(&arguments.tblame);
    command.current_dir(&repository.directory);
    command.args([
        "--line-history",
        "-l",
        "-s",
        "-L",
        range,
        &sample.revision,
        "--",
    ]);
    let output = command
        .arg(OsString::from_vec(sample.path.clone()))
        .output();
    ids(&output.expect("tblame runs"))
}

/// The first words of all lines.
fn ids(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let words = text.lines().filter_map(|line| line.split(' ').next());
    let mut ids: Vec<String> = words.map(str::to_owned).collect();
    // A commit that changed lines of two files has two rows.
    ids.dedup();
    ids
}
