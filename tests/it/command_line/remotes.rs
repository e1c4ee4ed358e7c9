//! What `@{upstream}` and `@{push}` mean with any refspecs that git does not refuse.

use std::fs;

use bstr::ByteSlice;

use crate::harness::{command_lines::two_commits, compare::Run, program::Stderr, rng::Rng};

const BASE: &str = "[core]
    repositoryformatversion = 0
    bare = false
[branch \"main\"]
    remote = o
    merge = refs/heads/next
[remote \"o\"]
    url = ../o
    fetch = +refs/heads/*:refs/remotes/o/*
";

const REVISIONS: [&str; 4] = ["@{u}", "@{push}", "main@{u}", "HEAD"];

/// Compares every revision with each of `configurations` added.
///
/// # Panics
///
/// If there is a difference, or git accepts or rejects fewer than `least` command lines.
fn assert_same(configurations: &[String], least: usize) {
    let repository = two_commits();
    for name in [
        "remotes/o/next",
        "remotes/o/main",
        "remotes/o/n",
        "heads/next",
    ] {
        repository.git(&["update-ref", &format!("refs/{name}"), "main"]);
    }
    let mut differences = Vec::new();
    let (mut accepted, mut rejected, mut invalid) = (0, 0, 0);
    for added in configurations {
        let text = [BASE, added].concat();
        fs::write(repository.root().join(".git/config"), text).expect("it is writable");
        // git refuses them in all remotes, tblame passes over them.
        let asked = repository.git_output(&["rev-parse", "@{u}"], b"");
        if asked.stderr.contains_str("invalid refspec") {
            invalid += 1;
            continue;
        }
        let separated = |revision| vec!["--porcelain", revision, "--", "a.txt"];
        // Words that may be a file, too.
        let others = [&["@{push}"][..], &["a.txt", "@{u}"], &["@{push}", "a.txt"]];
        let others = others
            .iter()
            .map(|words| [&["--porcelain"], *words].concat());
        for arguments in REVISIONS.into_iter().map(separated).chain(others) {
            let run = Run {
                repository: &repository,
                directory: repository.root(),
                environment: &[],
                arguments: &arguments,
                stderr: Stderr::Ignored,
            };
            match run.compare_once() {
                Ok(output) if output.status == Some(0) => accepted += 1,
                Ok(_) => rejected += 1,
                Err(difference) => differences.push(format!("{added}{difference}")),
            }
        }
    }
    let first: Vec<_> = differences.iter().take(5).cloned().collect();
    assert!(
        differences.is_empty(),
        "{} different, such as:\n{}",
        differences.len(),
        first.join("\n")
    );
    let compared = format!("{accepted} accepted, {rejected} rejected, {invalid} invalid");
    assert!(accepted >= least && rejected >= least, "{compared}");
}

const PATTERNS: [&str; 14] = [
    "refs/heads/*",
    "refs/heads/main",
    "refs/heads/next",
    "refs/heads/n*",
    "refs/heads/*t",
    "refs/remotes/o/*",
    "refs/remotes/o/main",
    "refs/tags/*",
    "refs/*",
    "refs/*/main",
    "*",
    "HEAD",
    "@",
    "",
];

const PARTS: [&str; 32] = [
    "refs/heads/",
    "refs/remotes/o/*",
    "main",
    "next",
    "*",
    "a",
    "HEAD",
    "@",
    "/",
    ".",
    "..",
    ".lock",
    "-",
    "~1",
    "^",
    "+",
    ":",
    ":",
    ":",
    " ",
    "{",
    "@{",
    "[",
    "\\\\",
    "?",
    "é",
    "\\t",
    "\u{7f}",
    "//",
    "0000000000000000000000000000000000000000",
    ":refs/heads/next",
    ":refs/remotes/o/main",
];

fn random_refspec(rng: &mut Rng) -> String {
    if rng.chance(40) {
        let parts = rng.between(1, 4);
        return (0..parts).map(|_| *rng.pick(&PARTS)).collect();
    }
    let prefix = rng.pick(&["", "", "+", "^"]);
    let source = rng.pick(&PATTERNS);
    if rng.chance(70) {
        format!("{prefix}{source}:{}", rng.pick(&PATTERNS))
    } else {
        format!("{prefix}{source}")
    }
}

#[test]
fn random_refspecs() {
    let mut rng = Rng::new(17);
    let configurations: Vec<String> = (0..300)
        .map(|_| {
            let mut added = String::new();
            for _ in 0..rng.between(1, 3) {
                let remote = rng.pick(&["o", "o", "o", "x", "/x"]);
                let variable = rng.pick(&["fetch", "push"]);
                let refspec = random_refspec(&mut rng);
                added.push_str(&format!(
                    "[remote \"{remote}\"]\n\t{variable} = \"{refspec}\"\n"
                ));
            }
            if rng.chance(30) {
                let defaults = [
                    "current", "upstream", "matching", "nothing", "simple", "tracking",
                ];
                added.push_str(&format!("[push]\n\tdefault = {}\n", rng.pick(&defaults)));
            }
            added
        })
        .collect();
    assert_same(&configurations, 200);
}
