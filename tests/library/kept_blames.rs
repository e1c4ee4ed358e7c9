//! Blames that are kept in files.

use std::ops::ControlFlow;

use tblame::{BlameItem, Repository};

use crate::{
    harness::rng::Rng,
    options::{CASES, prepare, seeds},
    scratch::{Scratch, lines_of, lines_of_entry},
};

#[test]
fn kept_blames_give_the_lines_of_git() {
    let mut random = Rng::new(40);
    let mut compared = 0;
    for seed in seeds() {
        let (scratch, path) = prepare(seed);
        let directory = scratch.root().join("../cache");
        let repository = Repository::open(scratch.root()).expect("a repository");
        let repository = repository.with_cache(directory, 1 << 20);
        for round in 0..4 {
            for (options, build) in CASES {
                let blame = build(repository.blame(&path)).run().expect("a blame");
                let expected = scratch.blame(options, &path);
                compared += expected.len();
                assert_eq!(
                    lines_of(&blame),
                    expected,
                    "seed {seed}, round {round}: {options:?}"
                );
            }
            let text = scratch.read(&path);
            let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
            lines.insert(random.below(lines.len() + 1), "new\n");
            scratch.write(&path, &lines.concat());
            if round % 2 == 0 {
                scratch.commit("Later");
            }
        }
    }
    println!("compared {compared} lines");
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn a_kept_blame_reads_no_history() {
    let scratch = Scratch::new();
    for text in ["one\n", "one\ntwo\n", "one\ntwo\nthree\n"] {
        scratch.write("f", text);
        scratch.commit(text.trim_end());
    }
    let directory = scratch.root().join("../cache");
    let plain = Repository::open(scratch.root()).expect("a repository");
    let kept = plain.with_cache(&directory, 1 << 20);
    let expected = scratch.blame(&[], "f");
    assert_eq!(lines_of(&kept.blame("f").run().expect("a blame")), expected);
    scratch.write("f", "one\nunsaved\ntwo\nthree\n");
    let edited = scratch.blame(&[], "f");
    let tree = scratch.git(&["rev-parse", "HEAD~^{tree}"]);
    let (folder, file) = tree.split_at(2);
    let objects = scratch.root().join(".git/objects");
    std::fs::remove_file(objects.join(folder).join(file)).expect("a loose object");
    let plain = Repository::open(scratch.root()).expect("a repository");
    assert!(plain.blame("f").run().is_err());
    let kept = plain.with_cache(&directory, 1 << 20);
    let mut streamed = Vec::new();
    let blame = kept.blame("f").stream(|item| {
        if let BlameItem::Entry(entry) = item {
            streamed.extend(lines_of_entry(&entry));
        }
        ControlFlow::Continue(())
    });
    streamed.sort_by_key(|line| line.number);
    assert_eq!(streamed, edited);
    assert_eq!(lines_of(&blame.expect("a blame")), edited);
}

#[test]
fn a_tree_takes_the_kept_blames_of_its_files() {
    let scratch = Scratch::new();
    for text in ["one\n", "one\ntwo\n", "one\ntwo\nthree\n"] {
        scratch.write("f", text);
        scratch.commit(text.trim_end());
    }
    let plain = Repository::open(scratch.root()).expect("a repository");
    let kept = plain.with_cache(scratch.root().join("../cache"), 1 << 20);
    let alone = lines_of(&kept.blame("f").at("HEAD").run().expect("a blame"));
    assert_eq!(alone, scratch.blame(&["HEAD"], "f"));
    // Trees are read, but no older contents.
    let blob = scratch.git(&["rev-parse", "HEAD~:f"]);
    let (folder, file) = blob.split_at(2);
    let objects = scratch.root().join(".git/objects");
    std::fs::remove_file(objects.join(folder).join(file)).expect("a loose object");
    for (repository, is_kept) in [(&plain, false), (&kept, true)] {
        let tree = repository.tree("HEAD").with_files(true).run();
        let tree = tree.expect("the file alone fails");
        let file = &tree.files()[0];
        assert_eq!(file.entries().is_ok(), is_kept);
        let entries = file.entries().into_iter().flatten();
        let lines: Vec<_> = entries.flat_map(lines_of_entry).collect();
        assert_eq!(lines, if is_kept { alone.clone() } else { Vec::new() });
    }
}
