//! The environment: relative paths in its variables, lists of object directories, booleans and numbers;
//! and damaged files of a repository that was found or named in every way.

use std::path::{Path, PathBuf};

use super::{Cases, breadth};
use crate::harness::{
    git::git_program,
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// Three commits of `f` and one of `sub/b`, with files that variables name in the root and in `sub`.
fn fixture() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"sub/b", b"s\n");
    for text in ["1\n", "1\n2\n", "1\n2\n3\n"] {
        repository.write(b"f", text.as_bytes());
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", text]);
    }
    let commit = |revision| repository.git_text(&["rev-parse", revision]);
    let shallow = [commit("HEAD"), commit("HEAD~1")];
    for (directory, shallow, setting) in [("", &shallow[0], "-s"), ("sub/", &shallow[1], "-e")] {
        let write = |name: &str, text: &str| {
            repository.write(format!("{directory}{name}").as_bytes(), text.as_bytes());
        };
        let config = match setting {
            "-s" => "[blame]\n\tshowEmail\n",
            _ => "[blame]\n\tblankBoundary\n",
        };
        write("config", config);
        write("broken", "[blame\n");
        write("xdg/git/config", config);
        write("home/.gitconfig", config);
        write("shallow", &format!("{shallow}\n"));
        write("objects/info/x", "");
    }
    repository.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    repository
}

fn at(repository: &TestRepo, path: &str) -> PathBuf {
    let path = repository.root().join(path);
    path.canonicalize().expect("it exists")
}

/// Variables that name files, and values of them.
const PATHS: [(&str, &[&str]); 9] = [
    (
        "GIT_CONFIG_GLOBAL",
        &["config", "../config", "broken", "nope", ""],
    ),
    (
        "GIT_CONFIG_SYSTEM",
        &["config", "../config", "broken", "nope", ""],
    ),
    ("XDG_CONFIG_HOME", &["xdg", "../xdg", "sub/xdg", "nope", ""]),
    ("HOME", &["home", "../home", "sub/home", "nope", ""]),
    (
        "GIT_SHALLOW_FILE",
        &["shallow", "../shallow", "sub", "sub/x", "f/x", "config", ""],
    ),
    (
        "GIT_GRAFT_FILE",
        &["sub", "../sub", "sub/x", "f/x", "nope", ""],
    ),
    (
        "GIT_OBJECT_DIRECTORY",
        &[
            ".git/objects",
            "../.git/objects",
            "objects",
            "nope",
            "/nope",
            "f",
            "",
        ],
    ),
    (
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        &[
            "objects",
            "../objects",
            "sub/objects",
            "nope:objects",
            "../nope",
            "x/y",
            "",
        ],
    ),
    ("GIT_WORK_TREE", &["", ".", "..", "sub"]),
];

#[test]
fn relative_paths_start_at_the_root() {
    let repository = fixture();
    let mut cases = Cases::new("relative paths in variables");
    let places: [(&str, &[(&str, &str)]); 9] = [
        ("", &[]),
        ("sub", &[]),
        ("sub", &[("GIT_DIR", "../.git")]),
        ("sub", &[("GIT_DIR", "../.git"), ("GIT_WORK_TREE", "..")]),
        ("sub", &[("GIT_WORK_TREE", "..")]),
        (".git", &[]),
        (".git/refs", &[]),
        ("../bare.git", &[]),
        ("../bare.git/refs", &[]),
    ];
    for (name, values) in PATHS {
        for value in values {
            for (directory, given) in places {
                if given.iter().any(|(given, _)| *given == name) {
                    continue;
                }
                let mut environment = given.to_vec();
                environment.push((name, value));
                environment.push(("GIT_CONFIG_NOSYSTEM", "no"));
                let directory = at(&repository, directory);
                let case = format!("{environment:?}");
                let arguments = ["HEAD", "--", "f"];
                cases.compare_in(&repository, &directory, &environment, &case, &arguments);
            }
        }
    }
    cases.finish(400);
}

#[test]
fn lists_of_object_directories() {
    const PARTS: [&str; 15] = [
        "objects", "nope", "x", ":", ":", ":", "\"", "\"", "\\n", "\\157", "\\q", "#", "..",
        "\\\"", " ",
    ];
    let repository = fixture();
    let mut cases = Cases::new("lists of object directories");
    let mut rng = Rng::new(1);
    let file = repository.root().join(".git/objects/info/alternates");
    for _ in 0..60 * breadth() {
        let mut list = String::new();
        for _ in 0..rng.between(1, 7) {
            let part: &&str = rng.pick(&PARTS);
            list.push_str(part);
        }
        let environment = [("GIT_ALTERNATE_OBJECT_DIRECTORIES", list.as_str())];
        let directory = at(&repository, "sub");
        let arguments = ["-s", "HEAD", "--", "b"];
        cases.compare_in(&repository, &directory, &environment, &list, &arguments);
        std::fs::write(&file, list.replace(':', "\n")).expect("it can be written");
        cases.compare_in(&repository, &directory, &[], &list, &arguments);
        std::fs::remove_file(&file).expect("it was written");
    }
    cases.finish(120);
}

#[test]
fn booleans_and_numbers() {
    const VALUES: [&str; 24] = [
        "",
        "x",
        "true",
        "Yes",
        "on",
        "false",
        "NO",
        "off",
        "0",
        "1",
        "2k",
        "0x10",
        "010",
        "08",
        "-1",
        "+1",
        " 1",
        "1 ",
        "0k",
        "0x",
        "2g",
        "\u{a0}1",
        "99999999999999999999",
        "\t0",
    ];
    let repository = fixture();
    repository.write(b"empty", b"");
    repository.git(&["add", "empty"]);
    repository.git(&["commit", "-q", "-m", "empty"]);
    repository.write(b"f", b"0\n1\n2\n3\n4\n");
    let mut cases = Cases::new("booleans and numbers of the environment");
    let mut compare = |name: &str, value: &str, arguments: &[&str]| {
        let environment = [(name, value)];
        let case = format!("{name}={value:?}");
        cases.compare_in(
            &repository,
            repository.root(),
            &environment,
            &case,
            arguments,
        );
    };
    for value in VALUES {
        for name in [
            "GIT_ATTR_NOSYSTEM",
            "GIT_CONFIG_NOSYSTEM",
            "GIT_DISCOVERY_ACROSS_FILESYSTEM",
            "GIT_FLUSH",
            "GIT_NO_LAZY_FETCH",
        ] {
            compare(name, value, &["--incremental", "f"]);
            compare(name, value, &["--incremental", "empty"]);
            compare(name, value, &["-L9,9", "HEAD", "--", "f"]);
            compare(name, value, &["HEAD", "--", "nosuch"]);
        }
        compare("GIT_PROGRESS_DELAY", value, &["HEAD", "--", "f"]);
        // The report itself depends on time.
        if !["0", "0k", "\t0", ""].contains(&value) {
            compare(
                "GIT_PROGRESS_DELAY",
                value,
                &["--progress", "HEAD", "--", "f"],
            );
        }
    }
    cases.finish(500);
}

#[test]
fn option_values_with_blanks() {
    const BLANKS: [&str; 8] = [
        "", " ", "\t\n", "\u{b}\r", "\u{a0}", "\u{2003}", "\u{85}", "- ",
    ];
    const OPTIONS: [&str; 2] = ["abbrev", "max-age"];
    let repository = fixture();
    let mut cases = Cases::new("numbers with blanks");
    for blank in BLANKS {
        for number in ["5", "+5", "-5", "0x5", "08", "5k", "yes", "1", ""] {
            for option in OPTIONS {
                let argument = format!("--{option}={blank}{number}");
                cases.compare(&repository, &argument, &[argument.as_str(), "f"]);
            }
        }
    }
    cases.finish(140);
}

/// What is damaged, how, and the arguments that read it.
type FileDamage = (&'static str, fn(&Path), &'static [&'static str]);

/// Damages a file that both kinds of repository have, and restores it.
fn damages() -> [FileDamage; 5] {
    fn write(path: &Path, text: &str) {
        std::fs::remove_file(path).ok();
        std::fs::write(path, text).expect("it can be written");
    }
    const COMMITTED: &[&str] = &["-s", "HEAD", "--", "f"];
    const UNCOMMITTED: &[&str] = &["f"];
    [
        (
            "a directory for the grafts",
            |git_dir| std::fs::create_dir_all(git_dir.join("info/grafts")).expect("it can be made"),
            COMMITTED,
        ),
        (
            "a directory for the shallow commits",
            |git_dir| std::fs::create_dir(git_dir.join("shallow")).expect("it can be made"),
            COMMITTED,
        ),
        (
            "a bad line in packed-refs",
            |git_dir| write(&git_dir.join("packed-refs"), "zz\n"),
            COMMITTED,
        ),
        (
            "an empty blob",
            |git_dir| {
                write(
                    &git_dir.join("objects/01/e79c32a8c99c557f0757da7cb6d65b3414466d"),
                    "",
                )
            },
            COMMITTED,
        ),
        (
            "a short index",
            |git_dir| write(&git_dir.join("index"), "DIRC"),
            UNCOMMITTED,
        ),
    ]
}

#[test]
fn damaged_files_from_all_places() {
    let mut cases = Cases::new("damaged files from all places");
    for (what, damage, arguments) in damages() {
        let repository = fixture();
        let bare = at(&repository, "../bare.git");
        // Loose objects, so that one can be damaged.
        let pack = bare.join("objects/pack");
        if let Some(entry) = std::fs::read_dir(&pack)
            .expect("it exists")
            .flatten()
            .next()
        {
            let name = entry.path().with_extension("pack");
            let moved = bare.join("moved");
            if name.exists() {
                std::fs::rename(&name, &moved).expect("it can be moved");
                let text = std::fs::read(&moved).expect("it can be read");
                let at_bare = ["-C", "../bare.git", "unpack-objects", "-q"];
                repository.git_with_input(&at_bare, &text);
            }
        }
        repository.git(&["worktree", "add", "-q", "--detach", "../linked"]);
        let root = repository.root().canonicalize().expect("it exists");
        damage(&root.join(".git"));
        damage(&bare);
        if what == "a short index" {
            damage(&root.join(".git/worktrees/linked"));
        }
        let absolute = root.join(".git");
        let absolute = absolute.to_str().expect("a path in UTF-8");
        let places: [(&str, &[(&str, &str)]); 16] = [
            ("", &[]),
            ("sub", &[]),
            ("../linked", &[]),
            ("../bare.git", &[]),
            ("../bare.git/refs", &[]),
            (".git", &[]),
            (".git/refs", &[]),
            ("", &[("GIT_DIR", ".git")]),
            ("", &[("GIT_DIR", absolute)]),
            ("sub", &[("GIT_DIR", "../.git")]),
            ("sub", &[("GIT_WORK_TREE", "..")]),
            ("sub", &[("GIT_DIR", "../.git"), ("GIT_WORK_TREE", "..")]),
            ("sub", &[("GIT_DIR", "../.git"), ("GIT_WORK_TREE", ".")]),
            ("sub", &[("GIT_DIR", absolute), ("GIT_WORK_TREE", "..")]),
            ("../bare.git", &[("GIT_DIR", ".")]),
            ("../bare.git/refs", &[("GIT_DIR", "..")]),
        ];
        for (directory, environment) in places {
            let case = format!("{what}, {environment:?}");
            let directory = at(&repository, directory);
            // Names of files in messages are not compared.
            cases.compare_output(&repository, &directory, environment, &case, arguments);
        }
    }
    cases.finish(80);
}

#[test]
fn heads_and_logs_of_all_work_trees() {
    let mut cases = Cases::new("references of other work trees");
    for storage in ["files", "reftable"] {
        let repository = TestRepo::with_references(ObjectFormat::Sha1, storage);
        for text in ["1\n", "1\n2\n", "1\n2\n3\n"] {
            repository.write(b"f", text.as_bytes());
            repository.git(&["add", "f"]);
            repository.git(&["commit", "-q", "-m", text]);
        }
        repository.git(&["branch", "x"]);
        let add = ["worktree", "add", "-q", "--detach"];
        for (path, revision) in [("../one", "x~1"), ("../two", "x~2")] {
            repository.git(&[&add[..], &[path, revision]].concat());
        }
        repository.git(&["checkout", "-q", "--detach", "x~2"]);
        for directory in ["", "../one", "../two"] {
            let directory = at(&repository, directory);
            for options in [
                "--exclude=refs/* --all",
                "--exclude=refs/* --exclude=HEAD --all",
                "--exclude=refs/* --exclude=worktrees/* --all",
                "--exclude=refs/* --exclude=worktrees/one/HEAD --all",
                "--exclude=refs/* --exclude=main-worktree/* --all",
                "--exclude=refs/* --exclude=*/HEAD --all",
                "--exclude=* --all",
                "--all",
                "--reflog",
                "--exclude=* --reflog",
            ] {
                let mut arguments = vec!["-s", "x", "--not"];
                arguments.extend(options.split(' '));
                arguments.extend(["--", "f"]);
                cases.compare_in(&repository, &directory, &[], storage, &arguments);
            }
        }
    }
    cases.finish(60);
}

#[test]
fn mirrors_are_booleans() {
    let repository = fixture();
    repository.git(&["branch", "-q", "x"]);
    repository.git(&["update-ref", "refs/remotes/o/x", "HEAD~1"]);
    let config = repository.root().join(".git/config");
    let start = std::fs::read_to_string(&config).expect("git made it");
    let mut cases = Cases::new("mirrors");
    for mirror in [
        "",
        "mirror",
        "mirror =",
        "mirror = yes",
        "mirror = on",
        "mirror = 1",
        "mirror = 0",
        "mirror = off",
        "mirror = TRUE",
        "mirror\n\tmirror = no",
        "mirror = no\n\tmirror",
        "mirror = no\n[remote \"o\"]\n\tmirror",
    ] {
        let text = format!(
            "{start}[remote \"o\"]\n\turl = x\n\tfetch = +refs/heads/*:refs/remotes/o/*\n\t{mirror}\n[branch \"x\"]\n\tremote = o\n"
        );
        std::fs::write(&config, text).expect("it can be written");
        cases.compare(&repository, mirror, &["-s", "x@{push}", "--", "f"]);
    }
    cases.finish(12);
}

#[test]
fn the_prefix_of_git_in_paths() {
    let repository = fixture();
    let mut cases = Cases::new("paths below the prefix of git");
    // tblame knows the git that is installed.
    let git = Path::new(git_program()).parent().unwrap_or(Path::new(""));
    let programs = std::env::var("PATH").expect("programs are found in it");
    let programs = format!("{}:{programs}", git.display());
    for path in [
        "%(prefix)/no-such-file",
        "%(prefix)",
        "%(prefix)no",
        "%(prefix)//no",
    ] {
        let setting = format!("blame.ignoreRevsFile={path}");
        let quoted = format!("'{setting}'");
        let environment = [
            ("GIT_CONFIG_PARAMETERS", quoted.as_str()),
            ("PATH", programs.as_str()),
        ];
        cases.compare_in(&repository, repository.root(), &environment, path, &["f"]);
    }
    cases.finish(4);
}
