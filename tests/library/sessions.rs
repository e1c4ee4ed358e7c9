//! Opening, reuse, early stop, cancellation and errors.

use std::{ops::ControlFlow, process::Command};

use tblame::{BlameItem, Cancellation, ErrorKind, Repository};

use crate::scratch::{Scratch, lines_of};

#[test]
fn a_repository_serves_many_blames_and_threads() {
    let scratch = Scratch::random(7, 80);
    let paths = scratch.git(&["ls-tree", "--name-only", "HEAD"]);
    let paths: Vec<&str> = paths.lines().collect();
    assert!(paths.len() > 1);
    let repository = Repository::open(scratch.root()).expect("a repository");
    for _ in 0..2 {
        std::thread::scope(|scope| {
            for path in &paths {
                let repository = repository.clone();
                let scratch = &scratch;
                scope.spawn(move || {
                    let blame = repository.blame(path).at("HEAD").run().expect("a blame");
                    assert_eq!(lines_of(&blame), scratch.blame(&["HEAD"], path));
                });
            }
        });
        // Options that the caches depend on.
        for path in &paths {
            let blame = repository.blame(path).ignore_whitespace(true).run();
            let blame = blame.expect("a blame");
            assert_eq!(lines_of(&blame), scratch.blame(&["-w"], path));
        }
    }
    repository.clear_caches();
    assert!(repository.blame(paths[0]).run().is_ok());
}

#[test]
fn commits_and_packs_made_later_are_found() {
    let scratch = Scratch::random(8, 30);
    let repository = Repository::open(scratch.root()).expect("a repository");
    let path = scratch.git(&["ls-tree", "--name-only", "HEAD"]);
    let path = path.lines().next().expect("a file");
    let check = || {
        let blame = repository.blame(path).at("HEAD").run().expect("a blame");
        assert_eq!(lines_of(&blame), scratch.blame(&["HEAD"], path));
    };
    check();
    for round in 0..3 {
        let text = scratch.read(path);
        scratch.write(path, &format!("round {round}\n{text}"));
        scratch.commit("Later");
        check();
        scratch.git(&["gc", "-q", "--prune=now"]);
        check();
    }
}

#[test]
fn a_callback_ends_the_blame_early() {
    let scratch = Scratch::random(9, 60);
    let repository = Repository::open(scratch.root()).expect("a repository");
    let path = scratch.git(&["ls-tree", "--name-only", "HEAD"]);
    let path = path.lines().next().expect("a file");
    let mut seen = 0;
    let stopped = repository.blame(path).at("HEAD").stream(|item| {
        seen += usize::from(matches!(item, BlameItem::Entry(_)));
        match seen {
            2 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    let stopped = stopped.expect("a blame");
    assert!(!stopped.is_complete());
    assert_eq!((seen, stopped.entries().len()), (2, 2));
    // What it found is right, and other contents are blamed as a whole.
    let text = stopped.text().as_bytes().to_vec();
    let edited = stopped.with_contents(text).expect("a blame");
    let expected = scratch.blame(&["HEAD"], path);
    assert_eq!(lines_of(&edited), expected);
    for line in lines_of(&stopped) {
        assert!(expected.contains(&line), "{line:?}");
    }
    // The caches are sound afterwards.
    let blame = repository.blame(path).at("HEAD").run().expect("a blame");
    assert_eq!(lines_of(&blame), scratch.blame(&["HEAD"], path));
}

#[test]
fn a_blame_is_cancelled_from_another_thread() {
    let scratch = Scratch::random(10, 60);
    let repository = Repository::open(scratch.root()).expect("a repository");
    let path = scratch.git(&["ls-tree", "--name-only", "HEAD"]);
    let path = path.lines().next().expect("a file");
    let cancellation = Cancellation::new();
    let mut entries = 0;
    let result = repository
        .blame(path)
        .at("HEAD")
        .cancel_with(&cancellation)
        .stream(|item| {
            if !matches!(item, BlameItem::Entry(_)) {
                return ControlFlow::Continue(());
            }
            entries += 1;
            let handle = cancellation.clone();
            // Joined, so that the flag is set before the next entry.
            std::thread::spawn(move || handle.cancel())
                .join()
                .expect("the thread ends");
            ControlFlow::Continue(())
        });
    assert_eq!(result.expect_err("cancelled").kind(), ErrorKind::Cancelled);
    assert_eq!(entries, 1);
    let result = repository.blame(path).cancel_with(&cancellation).run();
    assert_eq!(result.expect_err("cancelled").kind(), ErrorKind::Cancelled);
    let blame = repository.blame(path).at("HEAD").run().expect("a blame");
    assert_eq!(lines_of(&blame), scratch.blame(&["HEAD"], path));
}

#[test]
fn paths_are_relative_to_the_work_tree() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.root().join("sub")).expect("a new directory");
    scratch.write("sub/f", "one\n");
    scratch.write("f", "two\n");
    scratch.commit("Both");
    for opened_at in ["", "sub", "sub/f"] {
        let repository = Repository::discover(scratch.root().join(opened_at));
        let repository = repository.expect("a repository");
        assert_eq!(repository.work_tree().as_deref(), Some(scratch.root()));
        assert_eq!(repository.git_dir(), scratch.root().join(".git"));
        let contents = |path: &std::path::Path| {
            let blame = repository.blame(path).run().expect("a blame");
            blame.text().as_bytes().to_vec()
        };
        assert_eq!(contents("f".as_ref()), b"two\n");
        assert_eq!(contents("sub/f".as_ref()), b"one\n");
        assert_eq!(contents(&scratch.root().join("sub/f")), b"one\n");
    }
}

#[test]
fn a_bare_repository_has_no_work_tree() {
    let scratch = Scratch::random(11, 12);
    let path = scratch.git(&["ls-tree", "--name-only", "HEAD"]);
    let path = path.lines().next().expect("a file");
    scratch.git(&["clone", "-q", "--bare", ".", "bare.git"]);
    let repository = Repository::open(scratch.root().join("bare.git")).expect("a repository");
    assert_eq!(repository.work_tree(), None);
    let blame = repository.blame(path).run().expect("a blame");
    assert_eq!(lines_of(&blame), scratch.blame(&["HEAD"], path));
    // The directory `.git` opens the work tree too.
    let repository = Repository::open(scratch.root().join(".git")).expect("a repository");
    assert_eq!(repository.work_tree().as_deref(), Some(scratch.root()));
}

#[test]
fn errors_have_kinds() {
    let scratch = Scratch::new();
    scratch.write("f", "one\n");
    scratch.commit("One");
    let repository = Repository::open(scratch.root()).expect("a repository");
    let blame = |path: &str| repository.blame(path);
    let cases = [
        (blame("no-such-file").run(), ErrorKind::NoSuchPath),
        (
            blame("no-such-file").at("HEAD").run(),
            ErrorKind::NoSuchPath,
        ),
        (blame("f:1").run(), ErrorKind::NoSuchPath),
        (blame("../f").run(), ErrorKind::Request),
        (blame("f").at("no-such-revision").run(), ErrorKind::Request),
        (blame("f").lines(5..6).run(), ErrorKind::Request),
        (blame("f").lines(1..1).run(), ErrorKind::Request),
        (blame("f").line_range("x").run(), ErrorKind::Request),
        (blame("f").ignore_revision("x").run(), ErrorKind::Request),
    ];
    for (index, (result, kind)) in cases.into_iter().enumerate() {
        let err = result.expect_err("an error");
        assert_eq!(err.kind(), kind, "case {index}: {err}");
        assert!(!err.to_string().is_empty());
    }
    let empty = tempfile::tempdir().expect("a temporary directory");
    let folder = scratch.root().join("folder");
    std::fs::create_dir(&folder).expect("a folder");
    for result in [
        Repository::open(empty.path()),
        Repository::open(empty.path().join("missing")),
        Repository::open(scratch.root().join("f")),
        Repository::open(folder),
    ] {
        assert_eq!(
            result.map(drop).expect_err("none").kind(),
            ErrorKind::NoRepository
        );
    }
    let blob = scratch.git(&["rev-parse", "HEAD:f"]);
    let (directory, file) = blob.trim_end().split_at(2);
    let object = scratch
        .root()
        .join(".git/objects")
        .join(directory)
        .join(file);
    std::fs::remove_file(object).expect("a loose object");
    let repository = Repository::open(scratch.root()).expect("a repository");
    let result = repository.blame("f").at("HEAD").run();
    assert!(result.is_err());
    scratch.write(".git/config", "[core\n");
    let result = Repository::open(scratch.root());
    assert_eq!(
        result.map(drop).expect_err("a bad file").kind(),
        ErrorKind::Open
    );
}

#[test]
fn the_environment_applies_only_if_asked_for() {
    const ROOT: &str = "TBLAME_LIBRARY_ROOT";
    if let Some(root) = std::env::var_os(ROOT) {
        let discovered = Repository::discover(&root).expect("a repository");
        assert_eq!(discovered.work_tree(), Some(root.clone().into()));
        let named = Repository::from_environment(&root).expect("a repository");
        assert_ne!(named.git_dir(), discovered.git_dir());
        assert!(named.blame("other").at("HEAD").run().is_ok());
        return;
    }
    let (scratch, other) = (Scratch::new(), Scratch::new());
    other.write("other", "one\n");
    other.commit("Other");
    let program = std::env::current_exe().expect("the test's program");
    let output = Command::new(program)
        .args([
            "--exact",
            "sessions::the_environment_applies_only_if_asked_for",
        ])
        .env("GIT_DIR", other.root().join(".git"))
        .env(ROOT, scratch.root())
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}
