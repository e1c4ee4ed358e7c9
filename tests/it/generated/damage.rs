//! Each small file of a repository, damaged: empty, truncated, garbage, missing, or a directory.

use std::fs;

use super::{Cases, breadth};
use crate::harness::{
    compare::Run,
    program::Stderr,
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// The files, in states in which git reads them.
const FILES: [&str; 15] = [
    "HEAD",
    "refs/heads/main",
    "refs/heads/side",
    "refs/tags/tag",
    "packed-refs",
    "index",
    "config",
    "MERGE_HEAD",
    "shallow",
    "info/grafts",
    "objects/info/alternates",
    "logs/HEAD",
    "logs/refs/heads/main",
    "commondir",
    "refs/replace/",
];

const ARGUMENTS: [&[&str]; 10] = [
    &["f"],
    &["--porcelain", "f"],
    &["-s", "main", "--", "f"],
    &["-s", "HEAD", "--", "f"],
    &["-s", "side", "--", "f"],
    &["-s", "tag", "--", "f"],
    &["-s", "packed", "--", "f"],
    &["-s", "HEAD@{1}", "--", "f"],
    &["-s", "main@{0}", "--", "f"],
    &["-s", "main~1..", "--", "f"],
];

fn fixture() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for text in ["1\n", "1\n2\n", "0\n1\n2\n"] {
        repository.write(b"f", text.as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-q", "-m", "a line"]);
    }
    repository.git(&["tag", "packed", "main~1"]);
    repository.git(&["pack-refs", "--all"]);
    repository.git(&["branch", "side", "main~1"]);
    repository.git(&["tag", "-a", "-m", "t", "tag", "main~1"]);
    repository.git(&["commit", "-q", "--allow-empty", "-m", "empty"]);
    repository.write(b"f", b"0\n1\n2\nnew\n");
    repository
}

/// A damaged version of `text`, and what was done to it. `None` removes the file.
fn damage(rng: &mut Rng, text: &[u8], ids: &[String]) -> (String, Option<Vec<u8>>) {
    let id = rng.pick(ids);
    let bytes: Vec<u8> = match rng.below(18) {
        0 => return ("missing".into(), None),
        1 => Vec::new(),
        2 => b"\n".to_vec(),
        3 => text[..text.len() / 2].to_vec(),
        4 => text[..text.len().saturating_sub(1)].to_vec(),
        5 => b"garbage\n".to_vec(),
        6 => b"\0\xff\x80garbage".to_vec(),
        7 => format!("{}\n", "0".repeat(40)).into_bytes(),
        8 => format!("{}\n", "1".repeat(40)).into_bytes(),
        9 => format!("{id}\n").into_bytes(),
        10 => id.clone().into_bytes(),
        11 => format!(" {id}\n").into_bytes(),
        12 => format!("{id}x\n").into_bytes(),
        13 => format!("{id} x\n").into_bytes(),
        14 => b"ref:   refs/heads/main\n".to_vec(),
        15 => b"ref: refs/heads/none\n".to_vec(),
        16 => b"ref: refs/heads/../x\n".to_vec(),
        _ => {
            let mut bytes = text.to_vec();
            if !bytes.is_empty() {
                let at = rng.below(bytes.len());
                bytes[at] ^= 1 << rng.below(8);
            }
            bytes
        }
    };
    (bytes.escape_ascii().to_string(), Some(bytes))
}

/// git does not compare the index with its checksum.
#[test]
fn index_with_another_checksum() {
    let mut cases = Cases::new("index with another checksum");
    let repository = fixture();
    repository.write(b".gitattributes", b"f text\n");
    repository.git(&["add", ".gitattributes"]);
    fs::remove_file(repository.root().join(".gitattributes")).expect("it is there");
    let path = repository.root().join(".git/index");
    let index = fs::read(&path).expect("it can be read");
    for from_end in [1, 7, 20] {
        let mut damaged = index.clone();
        let at = damaged.len() - from_end;
        damaged[at] ^= 1;
        fs::write(&path, &damaged).expect("it can be written");
        for arguments in ARGUMENTS {
            cases.compare(&repository, &format!("{from_end} from the end"), arguments);
        }
    }
    cases.finish(30);
}

/// Cases that `docs/options.md` lists as known differences.
fn is_known(file: &str, damaged: Option<&[u8]>, not_commits: &[String]) -> bool {
    let Some(bytes) = damaged else {
        return false;
    };
    match file {
        "packed-refs" => bytes.starts_with(b"# pack-refs"),
        "commondir" if bytes == b"\n" => true,
        "objects/info/alternates" | "commondir" => bytes.contains(&0),
        "shallow" => not_commits
            .iter()
            .any(|id| bytes.starts_with(id.as_bytes())),
        "refs/replace/" => bytes.first().is_some_and(u8::is_ascii_hexdigit) && bytes.len() != 41,
        "refs/heads/main" | "refs/heads/side" if bytes.starts_with(b"ref: refs/heads/..") => true,
        "HEAD" | "refs/heads/main" | "refs/heads/side" => {
            bytes.first().is_some_and(u8::is_ascii_hexdigit)
        }
        "logs/HEAD" | "logs/refs/heads/main" => true,
        _ => false,
    }
}

#[test]
fn small_files_of_a_repository() {
    let mut cases = Cases::new("damaged files of a repository");
    let repository = fixture();
    let git_dir = repository.root().join(".git");
    let names = ["main", "main~1", "tag", "main:f", "main^{tree}"];
    let ids = names.map(|name| repository.git_text(&["rev-parse", name]));
    let mut rng = Rng::new(5);
    for _ in 0..8 * breadth() {
        for file in FILES {
            let path = match file {
                "refs/replace/" => git_dir.join(file).join(&ids[1]),
                file => git_dir.join(file),
            };
            let before = fs::read(&path).ok();
            let text = before
                .clone()
                .unwrap_or_else(|| format!("{}\n", ids[1]).into());
            let (case, damaged) = damage(&mut rng, &text, &ids);
            if is_known(file, damaged.as_deref(), &ids[2..]) {
                continue;
            }
            let parent = path.parent().expect("it is below .git");
            fs::create_dir_all(parent).expect("it can be made");
            match &damaged {
                Some(bytes) => fs::write(&path, bytes).expect("it can be written"),
                None => drop(fs::remove_file(&path)),
            }
            let case = format!("{file}: {case}");
            for _ in 0..3 {
                cases.run(
                    &case,
                    &Run {
                        repository: &repository,
                        directory: repository.root(),
                        environment: &[],
                        arguments: rng.pick::<&[&str]>(&ARGUMENTS),
                        // The directories of a path that a message names are not compared.
                        stderr: if file == "commondir" {
                            Stderr::Ignored
                        } else {
                            Stderr::Whole
                        },
                    },
                );
            }
            match before {
                Some(bytes) => fs::write(&path, bytes).expect("it can be written"),
                None => drop(fs::remove_file(&path)),
            }
        }
    }
    cases.finish(250);
}

/// Whose damage makes them none is decided as by git: it searches above then.
#[test]
fn damaged_repositories_in_another_one() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"in/f", b"1\n");
    repository.write(b"in/sub/f", b"2\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "outer"]);
    let inner = repository.root().join("in");
    let git_dir = inner.join(".git");
    let mut cases = Cases::new("damaged repositories in another one");
    for (name, text) in [
        ("HEAD", Some("")),
        ("HEAD", Some("garbage")),
        ("HEAD", Some("ref: x")),
        ("HEAD", Some("ref: refs/heads/none")),
        ("HEAD", Some("ref:refs/heads/none")),
        ("HEAD", Some("0000000000000000000000000000000000000000")),
        ("HEAD", None),
        ("commondir", Some("missing")),
        ("commondir", Some("missing/too")),
        ("config", Some("[core")),
        ("config", None),
        ("objects", None),
        ("refs", None),
    ] {
        repository.git(&["init", "-q", "in"]);
        let path = git_dir.join(name);
        match text {
            Some(text) => fs::write(&path, text).expect("it is writable"),
            None if path.is_dir() => fs::remove_dir_all(&path).expect("it is there"),
            None => fs::remove_file(&path).expect("it is there"),
        }
        for directory in [&*inner, &inner.join("sub"), &git_dir, repository.root()] {
            for environment in [
                &[][..],
                &[("GIT_DIR", ".git")],
                &[(
                    "GIT_CEILING_DIRECTORIES",
                    repository.root().to_str().expect("it is ASCII"),
                )],
                &[("GIT_OBJECT_DIRECTORY", "missing")],
                &[("GIT_WORK_TREE", "")],
                &[("GIT_WORK_TREE", ".")],
            ] {
                let case = format!("{name} {text:?} {} {environment:?}", directory.display());
                cases.run(
                    &case,
                    &Run {
                        repository: &repository,
                        directory,
                        environment,
                        arguments: &["f"],
                        // Which of two errors is found first, and the name of the file in it, are
                        // not compared.
                        stderr: if name == "config" {
                            Stderr::Ignored
                        } else {
                            Stderr::Whole
                        },
                    },
                );
            }
        }
        fs::remove_dir_all(&git_dir).expect("it is there");
    }
    cases.finish(312);
}
