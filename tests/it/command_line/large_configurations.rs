//! Repositories with a large configuration: the same as git in every form of repository.

use std::{fs, io::Write, path::Path};

use crate::harness::{
    command_lines::{assert_all_same, assert_all_same_in, two_commits},
    program::tblame_program,
    repository::{ObjectFormat, TestRepo},
};

/// Adds 10,100 variables that mean nothing.
fn enlarge(file: &Path) {
    let mut text = String::from("\n");
    for number in 0..101 {
        let section = format!("[padding \"number {number}\"]\n");
        text.push_str(&(section + &"\tvalue\n".repeat(100)));
    }
    let file = fs::OpenOptions::new().append(true).create(true).open(file);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.expect("it is writable");
}

/// Two commits of `a.txt` and `sub/b.txt`, with a large configuration.
fn large() -> TestRepo {
    let repository = two_commits();
    enlarge(&repository.root().join(".git/config"));
    repository
}

const LINES: &str = "--porcelain a.txt
    --porcelain HEAD~1 -- sub/b.txt
    a.txt
    -s v2..main -- a.txt
    missing
    no-revision -- a.txt";

#[test]
fn work_trees() {
    let repository = large();
    assert_all_same(&repository, LINES);
    let sub = repository.root().join("sub");
    assert_all_same_in(&repository, &sub, &[], "--porcelain b.txt\nHEAD ../a.txt");
    let git_dir = repository.root().join(".git");
    assert_all_same_in(&repository, &git_dir, &[], "HEAD a.txt\na.txt\nHEAD");
    // Nothing is left of what the program may have made in it.
    let temporary = repository.root().join("../temporary");
    fs::create_dir(&temporary).expect("it can be made");
    let mut command = repository.command(tblame_program().as_os_str());
    let run = command.env("TMPDIR", &temporary).args(["--", "a.txt"]);
    assert!(run.status().expect("it runs").success());
    let left = fs::read_dir(&temporary).expect("it is readable").count();
    assert_eq!(left, 0);
}

#[test]
fn settings() {
    let repository = large();
    let root = repository.root();
    repository.git(&["config", "blame.showEmail", "true"]);
    repository.git(&["config", "core.abbrev", "12"]);
    repository.git(&["config", "diff.upper.textconv", "tr a-z A-Z <"]);
    repository.git(&["config", "core.autocrlf", "input"]);
    repository.git(&["config", "branch.main.remote", "o"]);
    repository.git(&["config", "branch.main.merge", "refs/heads/next"]);
    repository.git(&["config", "remote.o.fetch", "+refs/heads/*:refs/remotes/o/*"]);
    repository.git(&["update-ref", "refs/remotes/o/next", "main~1"]);
    repository.write(b".gitattributes", b"b.txt diff=upper\n*.txt ident\n");
    repository.write(b"a.txt", b"one\r\ntwo\r\n");
    assert_all_same(
        &repository,
        "a.txt\n-p sub/b.txt\n--textconv HEAD sub/b.txt\n@{u} -- a.txt\nmain@{push} -- a.txt",
    );
    // As an included file and through other sources.
    fs::write(root.join(".git/more"), "[blame]\n\tshowEmail = false\n").expect("it is writable");
    repository.git(&["config", "include.path", "more"]);
    assert_all_same(&repository, "a.txt\n-c a.txt");
    let variables = [
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "blame.blankBoundary"),
        ("GIT_CONFIG_VALUE_0", "true"),
    ];
    assert_all_same_in(&repository, root, &variables, "a.txt");
    // The attributes that another object has.
    repository.git(&["add", ".gitattributes"]);
    fs::remove_file(root.join(".gitattributes")).expect("it was there");
    repository.write(b"other", b"*.txt diff=upper\n");
    let other = repository.git_text(&["hash-object", "-w", "other"]);
    let attributes = repository.git_text(&["rev-parse", ":.gitattributes"]);
    repository.git(&["replace", &attributes, &other]);
    assert_all_same(&repository, "a.txt\n-p HEAD sub/b.txt");
    // An error after the large part.
    let file = fs::OpenOptions::new()
        .append(true)
        .open(root.join(".git/config"));
    let written = file.and_then(|mut file| file.write_all(b"[core\n"));
    written.expect("it is writable");
    assert_all_same(&repository, "a.txt");
}

#[test]
fn other_forms() {
    let lines = "--porcelain HEAD -- a.txt\na.txt\n-s HEAD~1 a.txt\nsub/b.txt";
    for hash in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let repository = TestRepo::new(hash);
        repository.write(b"a.txt", b"one\n");
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "first"]);
        repository.write(b"a.txt", b"one\ntwo\n");
        repository.git(&["commit", "-q", "-a", "-m", "second"]);
        enlarge(&repository.root().join(".git/config"));
        assert_all_same(&repository, lines);
    }
    // A linked work tree, with a file of its own, of a repository that is bare or not.
    for is_bare in [false, true] {
        let repository = large();
        let root = repository.root();
        repository.git(&["worktree", "add", "-q", "../linked", "main~1"]);
        if is_bare {
            repository.git(&["config", "core.bare", "true"]);
        }
        let linked = root.join("../linked").canonicalize().expect("it was made");
        assert_all_same_in(&repository, &linked, &[], lines);
        repository.git(&["config", "extensions.worktreeConfig", "true"]);
        let file = root.join(".git/worktrees/linked/config.worktree");
        fs::write(&file, "[blame]\n\tshowEmail\n[core]\n\tabbrev = 9\n").expect("it is writable");
        assert_all_same_in(&repository, &linked, &[], lines);
        enlarge(&file);
        assert_all_same_in(&repository, &linked, &[], lines);
        assert_all_same_in(&repository, root, &[], lines);
    }
    // Bare, and a directory apart from the work tree.
    let repository = two_commits();
    repository.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    repository.git(&["clone", "-q", "--separate-git-dir=../apart", ".", "../tree"]);
    let at = |name: &str| {
        let path = repository.root().join(name);
        path.canonicalize().expect("it was made")
    };
    enlarge(&at("../bare.git/config"));
    enlarge(&at("../apart/config"));
    assert_all_same_in(&repository, &at("../bare.git"), &[], lines);
    assert_all_same_in(&repository, &at("../tree"), &[], lines);
    assert_all_same_in(&repository, &at("../apart"), &[], lines);
}

#[test]
fn the_environment_and_other_roots() {
    let lines = "--porcelain HEAD -- a.txt\na.txt\nsub/b.txt\nb.txt";
    let repository = large();
    let root = repository.root();
    let (sub, git_dir) = (root.join("sub"), root.join(".git"));
    let git_dir = git_dir.to_str().expect("a text");
    let index = root.join("../index");
    fs::copy(root.join(".git/index"), &index).expect("it can be copied");
    let index = index.to_str().expect("a text");
    for variables in [
        &[("GIT_DIR", git_dir)][..],
        &[("GIT_DIR", git_dir), ("GIT_WORK_TREE", "..")],
        &[("GIT_WORK_TREE", "..")],
        &[("GIT_WORK_TREE", root.to_str().expect("a text"))],
        &[("GIT_INDEX_FILE", index)],
        &[("GIT_INDEX_FILE", "missing")],
        &[("GIT_CEILING_DIRECTORIES", root.to_str().expect("a text"))],
        &[("GIT_NAMESPACE", "other")],
        &[("GIT_OBJECT_DIRECTORY", "../.git/objects")],
        &[("GIT_NO_REPLACE_OBJECTS", "1")],
    ] {
        assert_all_same_in(&repository, &sub, variables, lines);
        assert_all_same_in(&repository, root, variables, lines);
    }
    assert_all_same_in(&repository, root, &[("GIT_DIR", ".git")], lines);
    // git refuses a relative path and a value that are not there.
    for value in [
        "../sub",
        "/no/such",
        "/no-such",
        sub.to_str().expect("a text"),
        "../missing",
        "",
    ] {
        repository.git(&["config", "core.worktree", value]);
        assert_all_same_in(&repository, &sub, &[], lines);
        assert_all_same_in(&repository, root, &[], lines);
        assert_all_same_in(&repository, &root.join(".git"), &[], lines);
        // Other commands of git fail then.
        let file = root.join(".git/config");
        let text = fs::read_to_string(&file).expect("a text");
        let without: Vec<&str> = text
            .lines()
            .filter(|line| !line.contains("worktree ="))
            .collect();
        fs::write(&file, without.join("\n") + "\n").expect("it is writable");
    }
}

#[test]
fn many_remotes_and_branches() {
    let repository = two_commits();
    let file = repository.root().join(".git/config");
    let mut text = fs::read_to_string(&file).expect("a text");
    for number in 0..3_000 {
        text.push_str(&format!(
            "[remote \"r{number}\"]\n\turl = ../{number}\n\tfetch = +refs/heads/*:refs/remotes/r{number}/*\n\
             [branch \"b{number}\"]\n\tremote = r{number}\n\tmerge = refs/heads/main\n"
        ));
    }
    text.push_str("[branch \"main\"]\n\tremote = r2999\n\tmerge = refs/heads/next\n");
    fs::write(&file, text).expect("it is writable");
    repository.git(&["update-ref", "refs/remotes/r2999/next", "main~1"]);
    repository.git(&["update-ref", "refs/remotes/r7/main", "main"]);
    repository.git(&["branch", "b7", "main~1"]);
    let lines = "@{u} -- a.txt
        main@{upstream} -- a.txt
        b7@{u} -- a.txt
        b8@{u} -- a.txt
        b9@{push} -- a.txt
        @{push} -- a.txt";
    assert_all_same(&repository, lines);
    for default in ["nothing", "current", "upstream", "matching"] {
        repository.git(&["config", "push.default", default]);
        assert_all_same(&repository, lines);
    }
    repository.git(&["config", "remote.pushDefault", "r7"]);
    assert_all_same(&repository, lines);
    for mirror in ["true", "no"] {
        repository.git(&["config", "remote.r7.mirror", mirror]);
        assert_all_same(&repository, lines);
    }
}
