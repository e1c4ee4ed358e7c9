//! What `--warm` remembers of the paths that commits change: blames that use it are the same.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt};

use super::TestCache;
use crate::{
    generated::breadth,
    harness::{
        git::git_program,
        odd_objects::{Entry, OddObjects},
        program::{ProgramOutput, Stderr},
        random_history::{History, STORAGES, Storage},
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
    },
};

const OPTIONS: [&[&str]; 8] = [
    &[],
    &["-w"],
    &["-M"],
    &["-C"],
    &["-C", "-C", "-C"],
    &["--first-parent"],
    &["--no-follow"],
    &["--incremental"],
];

/// Removes the kept blames, so that the next one walks.
fn forget_blames(cache: &TestCache) {
    for blame in cache.blames() {
        fs::remove_file(blame).expect("it is there");
    }
}

/// The number of names that a blame looked up in trees, by its report.
fn lookups(output: &ProgramOutput) -> usize {
    let report = String::from_utf8_lossy(&output.stderr);
    let line = report.lines().find(|line| line.contains(" looked into, "));
    let number = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    number.unwrap_or_else(|| panic!("no line about trees: {report}"))
}

#[test]
fn blames_of_warmed_random_histories_are_gits() {
    let has_no_graph =
        |storage: &&Storage| !matches!(storage, Storage::Graph(_) | Storage::GraphChain);
    let storages: Vec<_> = STORAGES.iter().filter(has_no_graph).collect();
    let (mut compared, mut without_lookups) = (0, 0);
    for seed in 0..6 * breadth() as u64 {
        let format = match seed % 6 {
            5 => ObjectFormat::Sha256,
            _ => ObjectFormat::Sha1,
        };
        let storage = *storages[seed as usize % storages.len()];
        let history = History::generate(seed + 90_000, format, storage);
        let repository = &history.repository;
        let cache = TestCache::new();
        let mut rng = Rng::new(seed);
        // What comes later is not known, or added by a second run.
        let count = history.ids.len();
        for known in [count / 2, count - 1 - rng.below(count / 4)] {
            let head = format!("{}\n", history.ids[known]);
            repository.write(b".git/HEAD", head.as_bytes());
            let warmed = cache.run(repository, &["--warm"]);
            assert_eq!(warmed.status, Some(0), "seed {seed}");
            for (id, path) in history.samples(&mut rng, 6) {
                let options = *rng.pick(&OPTIONS);
                let mut words: Vec<&OsStr> = options.iter().map(OsStr::new).collect();
                if !options.contains(&"--incremental") {
                    words.push("--porcelain".as_ref());
                }
                let path = OsStr::from_bytes(&path);
                words.extend([id.as_ref(), "--".as_ref(), path]);
                let mut git = repository.command(git_program());
                let git = ProgramOutput::of(git.arg("blame").args(&words));
                for threads in ["--threads=1", "--threads=2"] {
                    forget_blames(&cache);
                    let mut tblame = cache.command(repository, &[threads]);
                    let tblame = ProgramOutput::of(tblame.args(&words));
                    let difference = tblame.difference(&git, Stderr::Whole);
                    assert_eq!(difference, None, "seed {seed}: {threads} {words:?}");
                    compared += 1;
                }
                forget_blames(&cache);
                let mut counting = cache.command(repository, &["--threads=1", "--stats"]);
                let counting = ProgramOutput::of(counting.args(&words));
                // One lookup for each part of the path finds the file that is blamed.
                let parts = path.as_bytes().split(|&byte| byte == b'/').count();
                without_lookups +=
                    usize::from(counting.status == Some(0) && lookups(&counting) <= parts);
            }
        }
    }
    assert!(compared >= 100, "{compared}");
    assert!(without_lookups >= 20, "{without_lookups} of {compared}");
}

/// A name that is there twice, a name with a slash, and names out of order: what is found in such trees is not what a comparison of
/// trees says.
#[test]
fn odd_trees_are_found_as_without_a_cache() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let objects = OddObjects::new(&repository);
    let texts = ["one\ntwo\n", "one\n2\n", "1\n2\n3\n"];
    let [one, two, three] = texts.map(|text| objects.write("blob", text.as_bytes()));
    let file = |name: &str, id| Entry::new(b"100644", name.as_bytes(), id);
    let directory = |name: &str, id| Entry::new(b"40000", name.as_bytes(), id);
    let inner = [one, two, three].map(|id| objects.tree(&[file("x", id)]));
    let usual = objects.tree(&[directory("a", inner[0]), file("f", one)]);
    let usual_later = objects.tree(&[directory("a", inner[2]), file("f", three)]);
    let odd = [
        // A file, and a directory of the same name, apart and side by side.
        objects.tree(&[
            file("a", two),
            file("a.b", one),
            directory("a", inner[1]),
            file("f", two),
        ]),
        objects.tree(&[file("a", two), directory("a", inner[1]), file("f", two)]),
        // Twice the same kind.
        objects.tree(&[file("f", two), file("f", one)]),
        objects.tree(&[
            directory("a", inner[1]),
            directory("a", inner[0]),
            file("f", two),
        ]),
        // Out of order.
        objects.tree(&[file("f", two), directory("a", inner[1])]),
        objects.tree(&[file("g", one), file("f", two), directory("a", inner[1])]),
        // A slash in a name.
        objects.tree(&[file("a/x", two), file("f", two)]),
        objects.tree(&[file("a/x", two), directory("a", inner[1]), file("f", two)]),
    ];
    let mut compared = 0;
    for (nth, odd) in odd.into_iter().enumerate() {
        let same_below = objects.tree(&[directory("d", odd), file("f", one)]);
        let same_below_later = objects.tree(&[directory("d", odd), file("f", two)]);
        for trees in [
            vec![usual, odd, usual_later],
            vec![odd, usual, odd],
            vec![odd, odd, usual_later, odd],
            vec![usual, same_below, same_below_later, usual_later],
            vec![same_below, same_below_later],
        ] {
            let cache = TestCache::new();
            let last = objects.history(&trees).to_string();
            repository.write(b".git/HEAD", format!("{last}\n").as_bytes());
            assert_eq!(cache.run(&repository, &["--warm"]).status, Some(0));
            for path in ["f", "a/x", "a", "d/f", "d/a/x"] {
                let words = ["--porcelain", &last, "--", path];
                forget_blames(&cache);
                let warmed = cache.run(&repository, &words);
                let cold = cache.run(&repository, &[&["--no-cache"], &words[..]].concat());
                let difference = warmed.difference(&cold, Stderr::Whole);
                assert_eq!(difference, None, "tree {nth}: {path} in {trees:?}");
                compared += usize::from(cold.status == Some(0));
            }
        }
    }
    assert!(compared >= 60, "{compared}");
}
