//! Objects that are elsewhere: promised by a remote, or in directories that the environment names.

use crate::harness::{
    compare::{Run, assert_same, assert_same_in},
    program::{ProgramOutput, Stderr, tblame_program},
    repository::{ObjectFormat, TestRepo},
};

/// A file with three versions, a rename between them.
fn repository() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"old", b"one\ntwo\nthree\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    repository.git(&["mv", "old", "new"]);
    repository.write(b"new", b"one\ntwo\nthree\nfour\n");
    repository.git(&["commit", "-q", "-a", "-m", "second"]);
    repository.write(b"new", b"zero\none\ntwo\nthree\nfour\n");
    repository.git(&["commit", "-q", "-a", "-m", "third"]);
    repository.git(&["config", "uploadpack.allowFilter", "true"]);
    repository.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    repository
}

/// A clone that has no blob yet.
fn partial(repository: &TestRepo, name: &str, filter: &str) -> std::path::PathBuf {
    let origin = format!("file://{}", repository.root().display());
    let clone = repository.root().join("..").join(name);
    let target = clone.to_str().expect("the path is ASCII");
    let filter = format!("--filter={filter}");
    repository.git(&["clone", "-q", &filter, "--no-checkout", &origin, target]);
    clone.canonicalize().expect("it was just made")
}

#[test]
fn promised_objects_are_fetched() {
    for filter in ["blob:none", "tree:0"] {
        let repository = repository();
        let expected = repository.git(&["blame", "--porcelain", "HEAD", "--", "new"]);
        // Each program needs a clone of its own, for what one fetches the other finds.
        let clone = partial(&repository, "clone", filter);
        let mut command = repository.command(tblame_program().as_os_str());
        command.current_dir(&clone);
        let command = command.args(["--porcelain", "HEAD", "--", "new"]);
        let outcome = ProgramOutput::of(command);
        assert_eq!(outcome.stdout.trim_ascii_end(), expected.trim_ascii_end());
        assert_eq!(outcome.status, Some(0));
        assert_same_in(&repository, &clone, &[], &["HEAD", "--", "new"]);
    }
}

/// The versions of the file come in one go, not one by one.
#[test]
fn promised_versions_are_fetched_together() {
    let repository = repository();
    for number in 0..8 {
        repository.write(b"new", format!("{number}\none\ntwo\n").as_bytes());
        repository.git(&["commit", "-q", "-a", "-m", "more"]);
    }
    let expected = repository.git(&["blame", "--porcelain", "HEAD", "--", "new"]);
    let clone = partial(&repository, "clone", "blob:none");
    let trace = clone.join("trace");
    let mut command = repository.command(tblame_program().as_os_str());
    command.current_dir(&clone).env("GIT_TRACE", &trace);
    let command = command.args(["--porcelain", "HEAD", "--", "new"]);
    let outcome = ProgramOutput::of(command);
    assert_eq!(outcome.stdout.trim_ascii_end(), expected.trim_ascii_end());
    let trace = std::fs::read_to_string(trace).expect("git was called");
    let fetches = trace.matches("built-in: git fetch").count();
    // The newest version, the others, and the one under the old name.
    assert_eq!(fetches, 3, "{trace}");
}

#[test]
fn promises_that_are_not_kept_are_reported() {
    let repository = repository();
    let clone = partial(&repository, "clone", "blob:none");
    let arguments = ["HEAD", "--", "new"];
    let off = [("GIT_NO_LAZY_FETCH", "1")];
    assert_same_in(&repository, &clone, &off, &arguments);
    let config = format!("--file={}/config", clone.join(".git").display());
    repository.git(&["config", &config, "remote.origin.url", "/nowhere"]);
    // What follows the first lines comes from the transport.
    let run = Run {
        repository: &repository,
        directory: &clone,
        environment: &[],
        arguments: &arguments,
        stderr: Stderr::FirstLine,
    };
    run.compare()
        .unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn the_environment_adds_objects() {
    let repository = repository();
    let moved = repository.root().join("../moved");
    let objects = repository.root().join(".git/objects");
    std::fs::rename(&objects, &moved).expect("they can be moved");
    for folder in [&objects, &objects.join("info"), &objects.join("pack")] {
        std::fs::create_dir(folder).expect("the place is free");
    }
    let moved = moved.to_str().expect("the path is ASCII");
    assert_same(&repository, &["HEAD", "--", "new"]);
    for name in ["GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_OBJECT_DIRECTORY"] {
        let environment = [(name, moved)];
        for arguments in [
            "HEAD -- new",
            "--abbrev=4 HEAD -- new",
            "HEAD~1 new",
            "-l new",
        ] {
            let arguments: Vec<&str> = arguments.split(' ').collect();
            assert_same_in(&repository, repository.root(), &environment, &arguments);
        }
        let id = repository.git_text(&["rev-parse", "HEAD"]);
        assert_same_in(
            &repository,
            repository.root(),
            &environment,
            &[&id[..6], "new"],
        );
    }
}

#[test]
fn what_work_trees_share_is_named_twice_or_refused() {
    let repository = repository();
    let root = repository.root();
    repository.git(&["worktree", "add", "-q", "../linked", "HEAD~1"]);
    let common = root.join(".git");
    let own = common.join("worktrees/linked");
    let linked = root.join("../linked").canonicalize().expect("it is there");
    let [own, common] = [&own, &common].map(|path| path.to_str().expect("the path is ASCII"));
    let environment = [("GIT_DIR", own), ("GIT_COMMON_DIR", common)];
    for arguments in ["new", "HEAD new", "main~1 new", "--abbrev=4 HEAD new"] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        assert_same_in(&repository, &linked, &environment, &arguments);
    }
    let mut command = repository.command(tblame_program().as_os_str());
    let elsewhere = [("GIT_DIR", own), ("GIT_COMMON_DIR", "/nowhere")];
    let outcome = ProgramOutput::of(command.envs(elsewhere).arg("new"));
    assert_eq!(outcome.status, Some(128));
    let refusal = b"fatal: GIT_COMMON_DIR is not supported";
    assert!(outcome.stderr.starts_with(refusal));
}
