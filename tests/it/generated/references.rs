//! References in every storage format, and every form of `@{…}` on them.

use std::os::unix::fs::symlink;

use super::{
    Cases, breadth,
    small_history::{Builder, NAMES, Storage},
};
use crate::harness::{
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// Names beside those of the history.
const OTHERS: [&str; 25] = [
    "",
    "@",
    "HEAD",
    "x",
    "y/z",
    "cafe",
    "12345",
    "origin",
    "broken",
    "dead",
    "stash",
    "ORIG_HEAD",
    "MERGE_HEAD",
    "FETCH_HEAD",
    "refs/stash",
    "bisect/x",
    "refs/bisect/x",
    "other/y/z",
    "tags/both",
    "remotes/origin",
    "main-worktree/HEAD",
    "main-worktree/refs/bisect/x",
    "worktrees/linked/HEAD",
    "nosuch",
    "removed",
];

/// What follows a name.
const SELECTORS: [&str; 32] = [
    "",
    "",
    "",
    "",
    "@{0}",
    "@{1}",
    "@{2}",
    "@{3}",
    "@{7}",
    "@{99}",
    "@{000}",
    "@{u}",
    "@{U}",
    "@{upstream}",
    "@{push}",
    "@{u}@{0}",
    "@{u}@{1}",
    "@{1600004000}",
    "@{1600012345}",
    "@{2020-09-13 12:00}",
    "@{2020-09-13T18:00:00Z}",
    "@{now}",
    "@{yesterday}",
    "@{3.months.ago}",
    "@{foo}",
    "@{}",
    "@{-1}",
    "@{0}@{0}",
    "@{99999999999}",
    "@{1}^",
    "@{0}~1",
    "@{1}:f",
];

/// Names that begin with an earlier checkout.
const EARLIER: [&str; 9] = [
    "@{-1}", "@{-2}", "@{-3}", "@{-4}", "@{-5}", "@{-6}", "@{-99}", "@{-0}", "@{-x}",
];

/// Options that add references.
const OPTIONS: [&str; 17] = [
    "--all",
    "--branches",
    "--tags",
    "--remotes",
    "--branches=a*",
    "--branches=a",
    "--tags=v[12]",
    "--remotes=origin",
    "--glob=heads",
    "--glob=refs/heads/t*",
    "--glob=refs/bisect",
    "--exclude=main",
    "--exclude=refs/heads/*",
    "--bisect",
    "--reflog",
    "--not",
    "--merge",
];

#[test]
fn references_in_every_storage_format() {
    let mut cases = Cases::new("references");
    for seed in 0..2 * breadth() as u64 {
        for storage in [Storage::Files, Storage::Packed, Storage::Reftable] {
            let mut rng = Rng::new(seed);
            let hash = match seed % 4 {
                3 => ObjectFormat::Sha256,
                _ => ObjectFormat::Sha1,
            };
            let mut builder = Builder::new(storage, hash);
            builder.history(&mut rng);
            let linked = builder.repository.root().join("../linked");
            let has_linked = rng.chance(50);
            if has_linked {
                let path = linked.to_str().expect("a path in UTF-8");
                builder.git(&["worktree", "add", "-q", "--detach", path, "topic"]);
            }
            builder.odd_references(&mut rng);
            for _ in 0..60 {
                let arguments = arguments(&mut rng);
                let directory = if has_linked && rng.chance(30) {
                    linked.as_path()
                } else {
                    builder.repository.root()
                };
                let environment: &[(&str, &str)] = if rng.chance(5) {
                    &[("GIT_NAMESPACE", "ns")]
                } else {
                    &[]
                };
                let case = format!("{storage:?}, seed {seed}");
                let repository = &builder.repository;
                cases.compare_in(repository, directory, environment, &case, &arguments);
            }
        }
    }
    cases.finish(360);
}

/// Every state of `HEAD`: an included file and `@{…}` depend on the branch that it leads to.
#[test]
fn current_branches() {
    let mut cases = Cases::new("current branches");
    for storage in [Storage::Files, Storage::Reftable] {
        let mut builder = Builder::new(storage, ObjectFormat::Sha1);
        builder.history(&mut Rng::new(1));
        let links = [
            ("chain", "sym"),
            ("to-gone", "nowhere"),
            ("one", "two"),
            ("two", "one"),
        ];
        for (from, to) in links {
            let names = [from, to].map(|name| format!("refs/heads/{name}"));
            builder.git(&["symbolic-ref", &names[0], &names[1]]);
        }
        builder
            .repository
            .write(b".git/inc", b"[blame]\n\tshowEmail\n");
        let patterns = ["topic", "a/", "*ank", "nowhere"];
        for branch in [
            "main",
            "topic",
            "a/b",
            "sym",
            "chain",
            "stack",
            "unborn",
            "a/unborn",
            "to-gone",
            "loop",
            "one",
            "broken",
            "..x",
            "",
            "refs/odd/x",
            "refs/tags/y",
        ] {
            let name = if branch.starts_with("refs/") {
                builder.git(&["update-ref", "--create-reflog", branch, "topic~1"]);
                builder.git(&["update-ref", branch, "topic"]);
                branch.to_owned()
            } else {
                format!("refs/heads/{branch}")
            };
            match branch {
                "" => builder.git(&["checkout", "-q", "--detach", "topic"]),
                "broken" if storage == Storage::Files => {
                    builder
                        .repository
                        .write(b".git/refs/heads/broken", b"garbage\n");
                    builder.git(&["symbolic-ref", "HEAD", &name])
                }
                _ => builder.git(&["symbolic-ref", "HEAD", &name]),
            };
            for pattern in patterns {
                let key = format!("includeIf.onbranch:{pattern}.path");
                builder.git(&["config", &key, "inc"]);
                let case = format!("{storage:?}, HEAD at {name:?}, condition {pattern}");
                cases.compare(&builder.repository, &case, &["main", "--", "f"]);
                builder.git(&["config", "--unset", &key]);
            }
            for revision in [
                "HEAD", "@{0}", "@{1}", "@{2}", "HEAD@{1}", "@{u}", "@{push}", "HEAD@{0}", "chain",
            ] {
                let case = format!("{storage:?}, HEAD at {name:?}");
                cases.compare(&builder.repository, &case, &[revision, "--", "f"]);
            }
        }
    }
    cases.finish(300);
}

fn arguments(rng: &mut Rng) -> Vec<String> {
    let mut arguments = vec!["--porcelain".to_owned()];
    match rng.below(10) {
        0 => {
            for _ in 0..rng.between(1, 3) {
                arguments.push((*rng.pick(&OPTIONS)).to_owned());
            }
        }
        1 => {
            let selector = rng.pick(&SELECTORS);
            arguments.push(format!("{}{selector}", rng.pick(&EARLIER)));
        }
        _ => {
            let name = if rng.chance(60) {
                *rng.pick(&NAMES)
            } else {
                *rng.pick(&OTHERS)
            };
            let negation = if rng.chance(5) { "^" } else { "" };
            arguments.push(format!("{negation}{name}{}", rng.pick(&SELECTORS)));
        }
    }
    arguments.extend(["--".to_owned(), "f".to_owned()]);
    arguments
}

/// What lies where the file of a packed reference would be: git lists what it finds there, and else what is packed.
#[test]
fn files_in_place_of_packed_references() {
    let mut cases = Cases::new("files in place of packed references");
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let mut text = String::new();
    for commit in ["one", "two", "three", "four"] {
        text.push_str(commit);
        text.push('\n');
        repository.write(b"f", text.as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-qm", commit]);
        repository.git(&["tag", &format!("p-{commit}")]);
    }
    repository.git(&["pack-refs", "--all"]);
    let tags = repository.root().join(".git/refs/tags");
    let three = repository.git_text(&["rev-parse", "HEAD~1"]);
    let states: [(&str, Option<&[u8]>); 14] = [
        ("nothing", None),
        ("a directory", None),
        ("a directory with a reference", None),
        ("a link to a reference", None),
        ("a link to nothing", None),
        ("a link to itself", None),
        ("a link to a directory", None),
        ("a link to a commit", None),
        ("a link to garbage", None),
        ("another commit", Some(three.as_bytes())),
        ("an empty file", Some(b"")),
        ("garbage", Some(b"garbage\n")),
        ("a symbolic reference", Some(b"ref: refs/tags/p-one\n")),
        ("one that leads nowhere", Some(b"ref: refs/tags/none\n")),
    ];
    repository.write(b".git/link-target", three.as_bytes());
    for (state, contents) in states {
        std::fs::remove_dir_all(&tags).expect("it is there");
        std::fs::create_dir(&tags).expect("it was removed");
        let file = tags.join("p-two");
        match (state, contents) {
            (_, Some(contents)) => std::fs::write(&file, contents).expect("it is writable"),
            ("nothing", _) => {}
            (link, _) if link.starts_with("a link") => {
                let target = match link {
                    "a link to a reference" => "refs/tags/p-one",
                    "a link to itself" => "p-two",
                    "a link to a directory" => "../heads",
                    "a link to a commit" => "../../link-target",
                    "a link to garbage" => "../../config",
                    _ => "none",
                };
                symlink(target, &file).expect("it is writable");
            }
            _ => std::fs::create_dir(&file).expect("it is writable"),
        }
        if state == "a directory with a reference" {
            std::fs::write(file.join("x"), &three).expect("it is writable");
        }
        for options in [
            &["HEAD", "--not", "--tags=p-tw[o]"][..],
            &["HEAD", "--not", "--tags=p-two"],
            &["HEAD", "--not", "--tags=p-t*"],
            &["HEAD", "--not", "--exclude=refs/tags/p-f*", "--tags"],
            &["--all"],
            &["p-two"],
            &["p-two@{0}"],
            &["tags/p-two"],
            &["HEAD", "^p-two"],
            &["HEAD", "--not", "--glob=refs/tags/p-two/*"],
        ] {
            let arguments = [options, &["--", "f"]].concat();
            cases.compare(&repository, state, &arguments);
        }
    }
    cases.finish(140);
}
