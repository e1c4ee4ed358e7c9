//! Workspaces of jj without a `.git`. git does not know them, so the oracle is git with the same
//! files as a work tree, and with a repository whose `HEAD` is the parent of the working-copy
//! commit.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::harness::{
    git::git_program,
    program::{ProgramOutput, Stderr, tblame_program},
    repository::{ObjectFormat, TestRepo},
    session::{Session, tblame_command},
};

/// A field of a message with text, bytes or a message.
fn field(number: u8, value: &[u8]) -> Vec<u8> {
    assert!(value.len() < 128, "one byte of length");
    let head = [
        number << 3 | 2,
        u8::try_from(value.len()).expect("a short field"),
    ];
    [&head[..], value].concat()
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    let byte =
        |pair| u8::from_str_radix(std::str::from_utf8(pair).expect("an id"), 16).expect("an id");
    digits.map(byte).collect()
}

fn write(path: &Path, contents: &[u8]) {
    fs::create_dir_all(path.parent().expect("a file")).expect("a file");
    fs::write(path, contents).expect("a file");
}

/// A history of two commits and the working-copy commit, whose files are checked out in a
/// workspace.
struct Workspace {
    repository: TestRepo,
    /// The root of the workspace.
    root: PathBuf,
    /// The directory of the jj repository.
    jj: PathBuf,
    /// A git repository with the right `HEAD`.
    oracle: PathBuf,
}

impl Workspace {
    fn new(hash: ObjectFormat) -> Workspace {
        let repository = TestRepo::new(hash);
        repository.write(b"a.txt", b"one\ntwo\n");
        repository.write(b"sub/b.txt", b"s1\n");
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "first"]);
        repository.write(b"a.txt", b"one\ntwo\nthree\n");
        repository.git(&["commit", "-q", "-a", "-m", "second"]);
        repository.write(b"a.txt", b"zero\none\ntwo\nthree\n");
        repository.git(&["commit", "-q", "-a", "-m", "working copy"]);
        let root = repository.root().with_file_name("workspace");
        let jj = root.join(".jj/repo");
        let outside = |name: &str| repository.root().with_file_name(name);
        let store = jj.join("store");
        fs::create_dir_all(&store).expect("a file");
        fs::write(store.join("type"), "git").expect("a file");
        fs::write(store.join("git_target"), "git").expect("a file");
        let target = store.join("git");
        for bare in [&target, &outside("oracle")] {
            repository.git(&["clone", "-q", "--bare", ".", bare.to_str().expect("UTF-8")]);
        }
        // jj leaves an unborn branch there.
        fs::write(target.join("HEAD"), "ref: refs/heads/unborn\n").expect("a file");
        let oracle = outside("oracle");
        let parent = repository.git_text(&["rev-parse", "HEAD~1"]);
        fs::write(oracle.join("HEAD"), parent + "\n").expect("a file");
        write(&root.join("a.txt"), b"zero\none\ntwo\nthree\nfour\n");
        write(&root.join("sub/b.txt"), b"s1\n");
        let workspace = Workspace {
            repository,
            root,
            jj,
            oracle,
        };
        workspace.check_out(&workspace.root, "", "HEAD");
        workspace
    }

    /// Records `commit` as the working-copy commit of the workspace `name` at `root`, beside one of
    /// another workspace.
    fn check_out(&self, root: &Path, name: &str, commit: &str) {
        let (operation, view) = ([0xab; 64], [0xcd; 64]);
        let checkout = [field(2, &operation), field(3, name.as_bytes())].concat();
        write(&root.join(".jj/working_copy/checkout"), &checkout);
        let id = |revision| bytes_of(&self.repository.git_text(&["rev-parse", revision]));
        let entry = |name: &[u8], id| field(8, &[field(1, name), field(2, id)].concat());
        let shown = if name.is_empty() { "default" } else { name };
        let commits = [
            field(1, &id("HEAD")),
            entry(b"another", &id("HEAD~1")),
            entry(shown.as_bytes(), &id(commit)),
        ];
        let stored = |kind: &str, digits: &str| {
            let name = digits.repeat(64);
            self.jj.join("op_store").join(kind).join(name)
        };
        write(&stored("operations", "ab"), &field(1, &view));
        write(&stored("views", "cd"), &commits.concat());
    }

    /// Compares each line of arguments with git's output for the oracle.
    fn assert_same(&self, directory: &Path, root: &Path, lines: &[&str]) {
        for line in lines {
            let arguments: Vec<&str> = line.split(' ').collect();
            let mut git = self.repository.command(git_program());
            git.env("GIT_DIR", &self.oracle).env("GIT_WORK_TREE", root);
            git.current_dir(directory).arg("blame").args(&arguments);
            let git = ProgramOutput::of(&mut git);
            let tblame = self.tblame(directory, &arguments);
            let difference = tblame.difference(&git, Stderr::Whole);
            assert_eq!(difference, None, "{line}");
            assert_eq!(git.status == Some(0), !git.stdout.is_empty(), "{line}");
        }
    }

    fn tblame(&self, directory: &Path, arguments: &[&str]) -> ProgramOutput {
        let mut tblame = self.repository.command(tblame_program().as_os_str());
        ProgramOutput::of(tblame.current_dir(directory).args(arguments))
    }
}

/// Command lines that find `HEAD`, the work tree and the directory in it.
const LINES: &[&str] = &[
    "-p a.txt",
    "-p HEAD a.txt",
    "-p HEAD~1 -- a.txt",
    "-p main a.txt",
    "--line-porcelain sub/b.txt",
    "nosuch",
    "HEAD~2 a.txt",
];

#[test]
fn a_workspace_is_blamed_at_the_parent_of_its_working_copy() {
    for hash in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let workspace = Workspace::new(hash);
        let root = &workspace.root;
        workspace.assert_same(root, root, LINES);
        workspace.assert_same(&root.join("sub"), root, &["-p b.txt", "-p ../a.txt"]);
    }
}

#[test]
fn another_workspace_leads_to_the_repository_of_the_first() {
    let workspace = Workspace::new(ObjectFormat::Sha1);
    let absolute = workspace.jj.to_str().unwrap();
    for (name, link) in [("two", "../../workspace/.jj/repo"), ("three", absolute)] {
        let root = workspace.root.with_file_name(name);
        write(&root.join(".jj/repo"), link.as_bytes());
        write(&root.join("a.txt"), b"one\nthree\n");
        write(&root.join("sub/b.txt"), b"s1\n");
        workspace.check_out(&root, name, "HEAD");
        workspace.assert_same(&root, &root, LINES);
    }
}

#[test]
fn a_workspace_in_a_work_tree_of_its_repository_comes_before_that() {
    let workspace = Workspace::new(ObjectFormat::Sha1);
    let repository = &workspace.repository;
    let root = repository.root().join("workspaces/two");
    let git_dir = repository.root().join(".git");
    let target = workspace.jj.join("store/git_target");
    fs::write(&target, git_dir.to_str().unwrap()).unwrap();
    write(
        &root.join(".jj/repo"),
        workspace.jj.to_str().unwrap().as_bytes(),
    );
    write(&root.join("a.txt"), b"one\nthree\n");
    write(&root.join("sub/b.txt"), b"s1\n");
    // What belongs to the other work tree has no effect.
    let merged = repository.git_text(&["rev-parse", "HEAD~2"]);
    fs::write(git_dir.join("MERGE_HEAD"), merged + "\n").unwrap();
    workspace.check_out(&root, "two", "HEAD");
    workspace.assert_same(&root, &root, LINES);
    let log = workspace.tblame(&root, &["HEAD@{1}", "a.txt"]);
    assert_ne!(log.status, Some(0));
    // A directory of the same form in another repository is only files.
    let store = root.join(".jj/repo");
    fs::remove_file(&store).unwrap();
    write(&store.join("store/git_target"), b"git");
    let copy = store.join("store/git");
    repository.git(&["clone", "-q", "--bare", ".", copy.to_str().unwrap()]);
    let blame = workspace.tblame(&root, &["a.txt"]);
    let message = String::from_utf8_lossy(&blame.stderr);
    assert_eq!(blame.status, Some(128), "{message}");
    assert!(
        message.contains("no such path 'workspaces/two/a.txt' in HEAD"),
        "{message}"
    );
}

#[test]
fn without_a_known_working_copy_only_named_revisions_are_blamed() {
    let workspace = Workspace::new(ObjectFormat::Sha1);
    let root = &workspace.root;
    let checkout = root.join(".jj/working_copy/checkout");
    let whole = fs::read(&checkout).unwrap();
    for contents in [&whole[..whole.len() - 3], b"", b"\x12\x01\x00"] {
        fs::write(&checkout, contents).unwrap();
        let blame = workspace.tblame(root, &["a.txt"]);
        assert_eq!(blame.status, Some(128));
        assert_eq!(blame.stderr, b"fatal: no such ref: HEAD\n".to_vec());
        assert_eq!(workspace.tblame(root, &["main", "a.txt"]).status, Some(0));
    }
    fs::remove_file(workspace.jj.join("store/git_target")).unwrap();
    let blame = workspace.tblame(root, &["a.txt"]);
    assert!(blame.stderr.starts_with(b"fatal: not a git repository"));
}

#[test]
fn the_viewer_opens_in_a_workspace() {
    let workspace = Workspace::new(ObjectFormat::Sha1);
    let mut command = tblame_command();
    command.cwd(workspace.root.join("sub"));
    command.arg("../a.txt");
    let mut session = Session::run(command, (100, 30));
    session.wait_for("line 1 of 5");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}
