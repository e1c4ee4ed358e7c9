//! Where a blame starts: the repository that is found, the directory it is called in, the
//! environment, and what the program itself adds to git's arguments.

use std::{ffi::OsStr, os::unix::fs::PermissionsExt};

use bstr::ByteSlice;

use crate::harness::{
    command_lines::{assert_all_same, assert_all_same_in, two_commits},
    compare::{assert_same, assert_same_in},
    git::{git_program, git_version},
    named_history::HistoryBuilder,
    program::{ProgramOutput, tblame_program},
    repository::{ObjectFormat, TestRepo},
};

/// A repository with a file at the root and one in a folder, changed by two commits each.
fn repository(hash: ObjectFormat) -> TestRepo {
    let repository = TestRepo::new(hash);
    repository.write(b"a.txt", b"one\ntwo\n");
    repository.write(b"sub/b.txt", b"s1\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    repository.write(b"a.txt", b"one\ntwo\nthree\n");
    repository.write(b"sub/b.txt", b"s1\ns2\n");
    repository.git(&["commit", "-q", "-a", "-m", "second"]);
    repository
}

#[test]
fn any_folder_will_do() {
    for hash in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let repository = repository(hash);
        let root = repository.root();
        assert_all_same_in(&repository, root, &[], "a.txt\nsub/b.txt\n./sub/../a.txt");
        let sub = root.join("sub");
        assert_all_same_in(
            &repository,
            &sub,
            &[],
            "b.txt\n../a.txt\nHEAD b.txt\na.txt\n../../x",
        );
        assert_all_same_in(
            &repository,
            &root.join(".git"),
            &[],
            "HEAD a.txt\na.txt\nHEAD\n../a.txt",
        );
        let absolute = sub.join("b.txt");
        assert_same_in(&repository, &sub, &[], &[absolute.as_os_str()]);
    }
}

#[test]
fn bare_repositories_are_blamed_at_head() {
    let repository = repository(ObjectFormat::Sha1);
    repository.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let bare = repository
        .root()
        .join("../bare.git")
        .canonicalize()
        .unwrap();
    assert_all_same_in(
        &repository,
        &bare,
        &[],
        "a.txt\nHEAD a.txt\nHEAD~1 sub/b.txt\nHEAD\n^HEAD a.txt\nnosuch\n../a.txt\n--reverse HEAD~1 a.txt",
    );
    assert_all_same_in(&repository, &bare.join("refs"), &[], "a.txt\nHEAD a.txt");
}

#[test]
fn linked_work_trees_and_submodules_are_found() {
    let repository = repository(ObjectFormat::Sha1);
    repository.git(&["worktree", "add", "-q", "../linked", "HEAD~1"]);
    let linked = repository.root().join("../linked").canonicalize().unwrap();
    assert_all_same_in(&repository, &linked, &[], "a.txt\nHEAD a.txt\nmain a.txt");
    std::fs::write(linked.join("a.txt"), "one\nelse\n").unwrap();
    assert_all_same_in(&repository, &linked.join("sub"), &[], "../a.txt");
    repository.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "./.git",
        "module",
    ]);
    repository.git(&["commit", "-q", "-m", "module"]);
    assert_all_same_in(
        &repository,
        repository.root(),
        &[],
        "module\nHEAD module\nmodule/a.txt",
    );
    assert_all_same_in(
        &repository,
        &repository.root().join("module"),
        &[],
        "a.txt\nHEAD sub/b.txt",
    );
}

#[test]
fn the_environment_names_repositories() {
    let repository = repository(ObjectFormat::Sha1);
    let root = repository.root();
    let git_dir = root.join(".git");
    let git_dir = git_dir.to_str().unwrap();
    let outside = root.join("..");
    let work_tree = root.to_str().unwrap();
    assert_all_same_in(&repository, &outside, &[], "a.txt\n-s a.txt");
    let named = [("GIT_DIR", git_dir)];
    assert_all_same_in(&repository, &outside, &named, "a.txt\nHEAD a.txt");
    assert_all_same_in(
        &repository,
        &root.join("sub"),
        &named,
        "b.txt\nHEAD sub/b.txt",
    );
    let both = [("GIT_DIR", git_dir), ("GIT_WORK_TREE", work_tree)];
    assert_all_same_in(&repository, &outside, &both, "a.txt\nHEAD a.txt");
    assert_all_same_in(&repository, &root.join("sub"), &both, "b.txt\n../a.txt");
    assert_all_same_in(&repository, root, &[("GIT_WORK_TREE", work_tree)], "a.txt");
    assert_all_same_in(&repository, root, &[("GIT_DIR", "/nonexistent")], "a.txt");
    let sub = root.join("sub");
    for ceiling in [work_tree, sub.to_str().unwrap()] {
        let ceilings = [("GIT_CEILING_DIRECTORIES", ceiling)];
        assert_all_same_in(&repository, &sub, &ceilings, "b.txt");
        assert_all_same_in(&repository, root, &ceilings, "a.txt");
    }
}

/// What `core.worktree` and `GIT_WORK_TREE` name need not exist where a revision is blamed, but what is above it has to.
#[test]
fn a_work_tree_may_be_missing() {
    let repository = repository(ObjectFormat::Sha1);
    let root = repository.root();
    repository.write(b".mailmap", b"Mapped <author@example.com>\n");
    repository.write(b".gitattributes", b"*.txt diff=d\n");
    repository.git(&["config", "diff.d.textconv", "cat .mailmap"]);
    let configuration = std::fs::read(root.join(".git/config")).expect("it is there");
    let text = |path: std::path::PathBuf| path.into_os_string().into_string().expect("a text");
    let (missing, below) = (text(root.join("none")), text(root.join("none/below")));
    let file = text(root.join("a.txt"));
    let lines = "-s HEAD -- a.txt
        -s a.txt
        --contents sub/b.txt HEAD -- a.txt
        --reverse HEAD~1 -- a.txt
        -L9 HEAD -- a.txt
        --ignore-revs-file no-such-file HEAD -- a.txt
        HEAD -- ../a.txt";
    let directories = [root.to_owned(), root.join("sub"), root.join(".git")];
    for value in [&missing, &below, &file, "../none", "none", ""] {
        for directory in &directories {
            let setting = format!("\n[core]\n\tworktree = {value}\n");
            let changed = [configuration.as_slice(), setting.as_bytes()].concat();
            std::fs::write(root.join(".git/config"), changed).expect("it is writable");
            assert_all_same_in(&repository, directory, &[], lines);
            std::fs::write(root.join(".git/config"), &configuration).expect("it is writable");
            if value.starts_with('/') {
                let variable = [("GIT_WORK_TREE", value)];
                assert_all_same_in(&repository, directory, &variable, lines);
            }
        }
    }
}

#[test]
fn settings_can_come_from_the_command_that_called() {
    let repository = repository(ObjectFormat::Sha1);
    let given = [(
        "GIT_CONFIG_PARAMETERS",
        "'blame.showEmail=true' 'blame.blankBoundary'='yes'",
    )];
    assert_all_same_in(&repository, repository.root(), &given, "a.txt\nHEAD a.txt");
}

#[test]
fn replacements_and_grafts_change_parents() {
    let repository = repository(ObjectFormat::Sha1);
    repository.git(&["replace", "--graft", "HEAD"]);
    assert_all_same_in(
        &repository,
        repository.root(),
        &[],
        "a.txt\nHEAD~0 a.txt\n-p a.txt",
    );
    let stored = [("GIT_NO_REPLACE_OBJECTS", "1")];
    assert_all_same_in(&repository, repository.root(), &stored, "-p a.txt");
    let stored = [
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.useReplaceRefs"),
        ("GIT_CONFIG_VALUE_0", "false"),
    ];
    assert_all_same_in(&repository, repository.root(), &stored, "-p a.txt");
}

#[test]
fn generations_are_counted_along_first_parents() {
    let repository = two_commits();
    for message in ["third", "fourth"] {
        repository.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }
    let lines = "main~1 a.txt
        main~ a.txt
        main~~ a.txt
        main~1~2 a.txt
        main~1~3 a.txt
        main~99 a.txt
        main~0 a.txt
        @~2 a.txt
        :/second~1 a.txt
        main~3..main a.txt";
    assert_all_same(&repository, lines);
    assert_all_same(
        &repository,
        "main~2147483648 a.txt
        main~99999999999 a.txt
        main:a.txt~1 a.txt
        main^~1 a.txt
        main~1^ a.txt
        main^0~2 a.txt
        main~-1 a.txt
        main~x a.txt
        ~1 a.txt",
    );
    let id = repository.git_text(&["rev-parse", "main"]);
    let root = repository.git_text(&["rev-parse", "main~3"]);
    repository.write(b".git/info/grafts", format!("{id} {root}\n").as_bytes());
    assert_all_same(&repository, lines);
}

/// ```text
/// a ─ b ─┬─ c1 ── c2 ─┬─ m ─ d
///        └─ s1 ── s2 ─┘
/// ```
#[test]
fn parents_of_a_revision_are_those_that_grafts_say() {
    let fixture = HistoryBuilder::default()
        .commit("a", 100, &[], &[("f", "one\n")])
        .commit("b", 200, &["a"], &[("f", "one\ntwo\n")])
        .commit("c1", 300, &["b"], &[("f", "one\ntwo\nc1\n")])
        .commit("s1", 350, &["b"], &[("f", "s1\none\ntwo\n")])
        .commit("c2", 400, &["c1"], &[("f", "one\ntwo\nc1\nc2\n")])
        .commit("s2", 450, &["s1"], &[("f", "s1\ns2\none\ntwo\n")])
        .commit(
            "m",
            500,
            &["c2", "s2"],
            &[("f", "s1\ns2\none\ntwo\nc1\nc2\n")],
        )
        .commit("d", 600, &["m"], &[("f", "s1\ns2\none\ntwo\nc1\nc2\nd\n")])
        .build();
    let repository = &fixture.repository;
    repository.git(&["tag", "-a", "-m", "tag", "tag", "m"]);
    repository.git(&["tag", "-a", "-m", "tree", "tree", "m^{tree}"]);
    repository.git(&["checkout", "-q", "-f", "main"]);
    repository.git(&["commit", "-q", "--allow-empty", "-m", "e"]);
    let short = &fixture.id("m")[..7];
    let mut words: Vec<String> = [
        "d^",
        "d^1",
        "d^2",
        "d^0",
        "d^^",
        "d^^2",
        "d~^2",
        "d~1^2~1",
        "d~^2^",
        "d^^2~9",
        "d^^^^^",
        "main@{0}^",
        "main@{0}^3",
        "main@{0}~1^2",
        "main@{1}^2",
        "main@{9}^",
        "@^^2",
        "@~2^2",
        "d^{/m}",
        "d^{/m}^2",
        "d^{/s2}",
        "d^{/s2}~",
        "d^{/c1}^",
        "d^{/nope}^",
        "d^{/!-d}^2",
        ":/s1",
        ":/nope",
        "tag^",
        "tag^2",
        "tag^{commit}^2",
        "tag^{}^2~1",
        "tag^{tree}^",
        "tree^",
        "tree~1",
        "tree^!",
        "d^2^{commit}",
        "d^^2^{}",
        "d^^2:f",
        "d^:nope",
        "d^^2..d",
        "d^...d^^2",
        "d^2147483647",
        "d^2147483648",
        "d~2147483648",
        "d~4294967296",
        "d^99999999999999999999",
        "d^x",
        "d^+1",
        "nope^",
        "nope~2",
        "nope",
        "~1",
        "1234567890123456789012345678901234567890^",
        "d^@",
        "d^!",
        "d^-",
        "d^^@",
        "d^^!",
        "d^^-",
        "d^^-2",
        "d^^-3",
        "d^-0",
        "d^-x",
        "d^@^",
        "nope^@",
    ]
    .map(String::from)
    .into();
    // Older gits name the object in the tag.
    words.retain(|word| git_version() >= (2, 55) || !word.starts_with("tree"));
    words.extend(["", "^2", "~2", "^{commit}^2", "^{/s1}^"].map(|rest| format!("{short}{rest}")));
    let check = || {
        for word in &words {
            assert_same(repository, &["-s", word, "--", "f"]);
        }
        assert_same(repository, &["-s", "nope", "d", "--", "f"]);
        assert_same(repository, &["-s", "d", "nope", "--", "f"]);
    };
    check();

    let id = |name| fixture.id(name);
    let of_replaced = format!("{} {} {}", id("m"), id("s1"), id("c1"));
    let of_root = format!("{} {}", id("s1"), id("a"));
    let grafts = format!("{of_replaced}\n{of_root}\n{}\nzz\n", id("c1"));
    repository.write(b".git/info/grafts", grafts.as_bytes());
    check();
    std::fs::remove_file(repository.root().join(".git/info/grafts")).expect("it is there");

    let edges = format!("{}\n{}\n", id("m"), id("s2"));
    repository.write(b".git/shallow", edges.as_bytes());
    check();
    std::fs::remove_file(repository.root().join(".git/shallow")).expect("it is there");

    repository.git(&["replace", "--graft", "m", "s1", "c1"]);
    check();
}

#[test]
fn alternates_that_are_not_there_are_told_of() {
    let repository = repository(ObjectFormat::Sha1);
    let objects = repository.root().join(".git/objects");
    let last = repository.root().join("6");
    std::fs::rename(&objects, &last).expect("both are in one directory");
    for nth in 1..=5 {
        let alternates = format!("{nth}/info/alternates");
        let next = format!("../{}\n", nth + 1);
        repository.write(alternates.as_bytes(), next.as_bytes());
    }
    for further in ["", "../7\n"] {
        repository.write(b"6/info/alternates", further.as_bytes());
        for first in [
            "../../1",
            "../../nowhere\n../../1",
            "../../no/where\n../../1",
            "/nowhere/\n../../1",
            "../../2",
            "../../6",
        ] {
            repository.write(b".git/objects/info/alternates", first.as_bytes());
            assert_same(&repository, &["HEAD", "--", "a.txt"]);
        }
    }
}

#[test]
fn a_branch_without_commits_has_nothing_to_blame() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    assert_all_same_in(
        &repository,
        repository.root(),
        &[],
        "a.txt\nHEAD a.txt\n--contents a.txt a.txt",
    );
    repository.write(b"a.txt", b"one\n");
    repository.git(&["add", "a.txt"]);
    assert_all_same_in(
        &repository,
        repository.root(),
        &[],
        "a.txt\nHEAD a.txt\n--contents a.txt a.txt",
    );
}

/// What standard output has when tblame is called with `words` in the repository.
fn tblame(repository: &TestRepo, words: &[&str]) -> ProgramOutput {
    let mut command = repository.command(tblame_program().as_os_str());
    ProgramOutput::of(command.args(words))
}

#[test]
fn a_line_may_be_named_where_no_file_is_meant() {
    let repository = repository(ObjectFormat::Sha1);
    let plain = tblame(&repository, &["-p", "HEAD", "a.txt"]);
    assert_eq!(plain.status, Some(0));
    for words in [
        &["-p", "HEAD", "a.txt:2"][..],
        &["-p", "+2", "HEAD", "a.txt"],
        &["-p", "HEAD", "+2", "a.txt"],
        &["-p", "HEAD", "a.txt:2:1"],
        &["-p", "HEAD", "a.txt:2:"],
        &["-p", "HEAD", "a.txt:1-2"],
        &["-p", "HEAD", "a.txt(2,1)"],
        &["-p", "HEAD", "a.txt#L2"],
        &["-p", "HEAD:a.txt"],
        &["-p", "HEAD:a.txt:2"],
    ] {
        assert_eq!(tblame(&repository, words), plain, "{words:?}");
    }
    let below = repository.root().join("below");
    std::fs::create_dir(&below).unwrap();
    for (word, status) in [
        ("HEAD:a.txt", 0),
        ("HEAD:../a.txt", 0),
        ("HEAD:./a.txt", 128),
    ] {
        let mut command = repository.command(tblame_program().as_os_str());
        let output = ProgramOutput::of(command.args(["-p", word]).current_dir(&below));
        assert_eq!(output.status, Some(status), "{word}");
        assert!(status != 0 || output.stdout == plain.stdout, "{word}");
    }
    assert_eq!(tblame(&repository, &["a.txt:x"]).status, Some(128));
    repository.write(b"a.txt:2", b"another file\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "colon"]);
    assert_same(&repository, &["-p", "HEAD", "a.txt:2"]);
    assert_same(&repository, &["a.txt:2"]);
    repository.git(&["branch", "+2"]);
    assert_same(&repository, &["+2", "a.txt"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let repository = repository(ObjectFormat::Sha1);
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = repository
        .command(tblame_program().as_os_str())
        .args(["HEAD", "a.txt"])
        .stdout(full)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap();
    assert_eq!(output.status.code(), Some(128));
    assert_eq!(
        output.stderr,
        b"fatal: write failure on standard output: No space left on device\n"
    );
}

#[test]
fn clean_filters_see_the_file_first() {
    let repository = repository(ObjectFormat::Sha1);
    repository.write(
        b".gitattributes",
        b"*.up filter=lower\n*.id ident\n*.txt text\n*.u16 working-tree-encoding=UTF-16LE\n",
    );
    repository.git(&["config", "filter.lower.clean", "tr A-Z a-z"]);
    repository.write(b"x.up", b"ABC\nDEF\n");
    repository.write(b"x.id", b"$Id$\nline\n");
    repository.write(b"x.txt", b"one\r\ntwo\r\n");
    repository.write(b"x.u16", b"a\0\n\0b\0\n\0");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "filtered"]);
    repository.write(b"x.up", b"ABC\nxyz\nDEF\n");
    repository.write(b"x.id", b"$Id: 0123456789 $\nline\n");
    repository.write(b"x.txt", b"one\r\nnew\r\ntwo\r\n");
    repository.write(b"x.u16", b"a\0\n\0c\0\n\0b\0\n\0");
    for path in ["x.up", "x.id", "x.txt", "x.u16"] {
        assert_same(&repository, &["-p", path]);
        assert_same(&repository, &["-p", "HEAD", path]);
    }
    std::fs::remove_file(repository.root().join(".gitattributes")).unwrap();
    for path in ["x.up", "x.id", "x.txt"] {
        assert_same(&repository, &["-p", path]);
    }
    repository.git(&["config", "core.autocrlf", "true"]);
    assert_same(&repository, &["-p", "x.txt"]);
}

#[test]
fn modes_and_kinds_of_files() {
    let repository = repository(ObjectFormat::Sha1);
    let file = repository.root().join("a.txt");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_same(&repository, &["-p", "a.txt"]);
    std::fs::remove_file(&file).unwrap();
    assert_same(&repository, &["a.txt"]);
    std::fs::create_dir(&file).unwrap();
    assert_same(&repository, &["a.txt"]);
    std::fs::remove_dir(&file).unwrap();
    std::os::unix::fs::symlink("sub/b.txt", &file).unwrap();
    assert_same(&repository, &["-p", "a.txt"]);
}

#[test]
fn the_work_trees_own_list_is_looked_through_when_asked() {
    let repository = repository(ObjectFormat::Sha1);
    let second = repository.git_text(&["rev-parse", "HEAD"]);
    let ours = |options: &[&str]| {
        let mut command = repository.command(tblame_program().as_os_str());
        ProgramOutput::of(command.args(options).args(["--porcelain", "a.txt"]))
    };
    let git = |options: &[&str]| {
        let all = [&["blame", "--porcelain"], options, &["a.txt"]].concat();
        repository.git(&all)
    };
    let text = |outcome: &ProgramOutput| outcome.stdout.trim_ascii_end().to_vec();
    let flag = "--auto-ignore-revs";
    assert_eq!(text(&ours(&[flag])), git(&[]), "there is no list");
    let list = format!(
        "# sweeps\n\nnot an id\n{second} # moved\n{}\n",
        "1".repeat(40)
    );
    repository.write(b".git-blame-ignore-revs", list.as_bytes());
    let ignored = git(&["--ignore-rev", &second]);
    let outcome = ours(&[flag]);
    assert_eq!(outcome.status, Some(0));
    assert_eq!(
        outcome.first_error_line(),
        b"warning: .git-blame-ignore-revs:3 is not a full object id"
    );
    assert_eq!(text(&outcome), ignored);
    assert_eq!(text(&ours(&[])), git(&[]));
    assert_eq!(text(&ours(&[flag, "--no-auto-ignore-revs"])), git(&[]));
}

#[test]
fn objects_of_json_tell_what_the_porcelain_tells() {
    let repository = repository(ObjectFormat::Sha1);
    let mut command = repository.command(tblame_program().as_os_str());
    let outcome = ProgramOutput::of(command.args(["--json", "a.txt"]));
    assert_eq!(outcome.status, Some(0));
    let text = String::from_utf8(outcome.stdout).unwrap();
    let [second, first] = ["HEAD", "HEAD~1"].map(|name| repository.git_text(&["rev-parse", name]));
    let starts: Vec<&str> = text
        .lines()
        .map(|line| &line[..line.len().min(67)])
        .filter(|line| line.starts_with("{\"type\":\"entry\""))
        .collect();
    assert_eq!(
        starts,
        [second, first].map(|id| format!("{{\"type\":\"entry\",\"commit\":\"{id}\""))
    );
    assert!(text.contains("\"lines\":[\"one\",\"two\"]}\n"));
    assert!(text.ends_with("{\"type\":\"end\",\"commits\":2,\"entries\":2,\"lines\":3}\n"));
}

/// A repository with a linked work tree, a submodule, a bare clone and one with its repository elsewhere.
fn family() -> TestRepo {
    let repository = repository(ObjectFormat::Sha1);
    repository.git(&["worktree", "add", "-q", "../linked"]);
    repository.git(&["clone", "-q", "--bare", ".", "../bare"]);
    repository.git(&[
        "clone",
        "-q",
        "--separate-git-dir=../elsewhere",
        ".",
        "../clone",
    ]);
    let add = [
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "./.git",
        "module",
    ];
    repository.git(&add);
    repository
}

/// The directories of [`family`] in which a blame starts, and its arguments.
const FAMILY: [(&str, &str); 9] = [
    ("", "a.txt"),
    ("sub", "b.txt"),
    (".git", "HEAD -- a.txt"),
    ("../linked/sub", "b.txt"),
    (".git/worktrees/linked", "HEAD -- a.txt"),
    ("../bare", "HEAD -- a.txt"),
    ("../clone", "a.txt"),
    ("../elsewhere/refs", "HEAD -- a.txt"),
    ("module", "a.txt"),
];

fn assert_same_in_family(repository: &TestRepo, environment: &[(&str, &str)]) -> [usize; 2] {
    let mut counts = [0; 2];
    for (directory, arguments) in FAMILY {
        let directory = repository
            .root()
            .join(directory)
            .canonicalize()
            .expect("there");
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let output = assert_same_in(repository, &directory, environment, &arguments);
        counts[usize::from(output.status != Some(0))] += 1;
    }
    counts
}

#[test]
fn repositories_of_others_have_to_be_safe_directories() {
    let repository = family();
    let others = ("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");
    let root = repository.root().to_str().expect("UTF-8").to_owned();
    let outside = root.rsplit_once('/').expect("it is absolute").0;
    let mut counts = [0; 2];
    for path in [
        "*",
        "",
        "/*",
        ".",
        &root,
        &format!("{root}/"),
        &format!("{root}/.git"),
        &format!("{root}/*"),
        &format!("{outside}/*"),
        &format!("{outside}/linked"),
        &format!("{root}/.git/worktrees/linked"),
        &format!("{outside}/bare"),
        &format!("{outside}/clone"),
        &format!("{outside}/elsewhere"),
        &format!("{root}/module"),
        &format!("{root}/.git/modules/module"),
        &format!("{outside}/linked/../bare"),
    ] {
        for bare in ["all", "explicit"] {
            let text = format!("[safe]\n\tdirectory = \"{path}\"\n\tbareRepository = {bare}\n");
            repository.write(b"../.gitconfig", text.as_bytes());
            let [safe, unsafe_ones] = assert_same_in_family(&repository, &[others]);
            counts = [counts[0] + safe, counts[1] + unsafe_ones];
        }
    }
    assert!(counts.iter().all(|&count| count > 30), "{counts:?}");
    std::fs::remove_file(repository.root().join("../.gitconfig")).expect("it was written");
    assert_same_in_family(&repository, &[("GIT_WORK_TREE", &root), others]);
}

/// The command that the message has is for a shell.
#[test]
fn commands_for_repositories_of_others_quote_their_names() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for name in [
        "plain+,-./:=@_^",
        "a b",
        "it's!",
        "$HOME",
        "~",
        "%",
        "\u{e9}",
    ] {
        let directory = repository.root().join(name.replace('/', "-"));
        std::fs::create_dir(&directory).expect("a new directory");
        let run = |program: &OsStr, arguments: &[&str]| {
            let mut command = repository.command(program);
            command.env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");
            ProgramOutput::of(command.args(arguments).current_dir(&directory))
        };
        let init: [&OsStr; 3] = ["init".as_ref(), "-q".as_ref(), directory.as_os_str()];
        repository.git(&init);
        let git = run(git_program(), &["blame", "f"]);
        let own = run(tblame_program().as_ref(), &["f"]);
        assert!(
            git.stderr.contains_str("safe.directory"),
            "{}",
            git.stderr.as_bstr()
        );
        assert_eq!(own.stderr.as_bstr(), git.stderr.as_bstr(), "{name}");
    }
}

/// Only root can give files away.
#[test]
fn owners_of_work_trees_and_repositories_are_compared() {
    let repository = family();
    let places = [
        "",
        ".git",
        "../linked",
        "../linked/.git",
        ".git/worktrees/linked",
        "../bare",
        "../clone",
        "../clone/.git",
        "../elsewhere",
        "module",
        "module/.git",
        ".git/modules/module",
    ];
    const OTHER: Option<u32> = Some(54_321);
    let own = std::os::unix::fs::MetadataExt::uid(&repository.root().metadata().expect("there"));
    let give =
        |place: &str, user| std::os::unix::fs::lchown(repository.root().join(place), user, None);
    if own != 0 || give("", OTHER).is_err() {
        return;
    }
    give("", Some(own)).expect("root may");
    let mut counts = [0; 2];
    for place in places {
        give(place, OTHER).expect("root may");
        for caller in ["54321", "54322", "x"] {
            let [same, others] = assert_same_in_family(&repository, &[("SUDO_UID", caller)]);
            counts = [counts[0] + same, counts[1] + others];
        }
        give(place, Some(own)).expect("root may");
    }
    assert!(counts.iter().all(|&count| count > 30), "{counts:?}");
}

#[test]
fn an_unknown_document_is_told_with_and_without_a_repository() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let repository = repository(ObjectFormat::Sha1);
    for directory in [scratch.path(), repository.root()] {
        let mut command = repository.command(tblame_program().as_os_str());
        let output = ProgramOutput::of(command.current_dir(directory).args(["--generate", "nope"]));
        assert_eq!(output.status, Some(129));
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            told.starts_with("error: option `generate' expects man, a document"),
            "{told}"
        );
        assert!(told.ends_with("not 'nope'\n"), "{told}");
    }
}
