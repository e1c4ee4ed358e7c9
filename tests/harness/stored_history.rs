//! A small history, stored in the forms that git has for repositories.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::repository::{ObjectFormat, TestRepo};

/// The file that the history is about.
pub const PATH: &str = "src/deep/file.txt";

/// How a repository is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Loose,
    Pack,
    Packs,
    MultiPackIndex,
    CommitGraph,
    GraphChain,
    Alternates,
    Sha256,
    Shallow,
    Reftable,
    /// One pack, and tblame's cache.
    Kept,
}

pub const FORMS: [Form; 11] = [
    Form::Loose,
    Form::Pack,
    Form::Packs,
    Form::MultiPackIndex,
    Form::CommitGraph,
    Form::GraphChain,
    Form::Alternates,
    Form::Sha256,
    Form::Shallow,
    Form::Reftable,
    Form::Kept,
];

impl Form {
    /// A repository with the history, whose streams are compressed by git's default or not at all.
    pub fn repository(self, is_compressed: bool) -> TestRepo {
        let hash = match self {
            Form::Sha256 => ObjectFormat::Sha256,
            _ => ObjectFormat::Sha1,
        };
        let references = match self {
            Form::Reftable => "reftable",
            _ => "files",
        };
        let repository = TestRepo::with_references(hash, references);
        if !is_compressed {
            repository.git(&["config", "core.compression", "0"]);
        }
        make_history(&repository);
        store(self, &repository);
        repository
    }
}

/// Commits changes of the file and of others, a rename, and a merge.
pub fn make_history(repository: &TestRepo) {
    repository.configure("[gc]\n\tauto = 0\n");
    let mut lines: Vec<String> = (0..30).map(|line| format!("line {line}")).collect();
    let commit = |lines: &[String], path: &str, number: usize| {
        repository.write(path.as_bytes(), (lines.join("\n") + "\n").as_bytes());
        for other in ["a", "other.txt", "src/x", "src/deep/y", "src/zz"] {
            if number % 3 == other.len() % 3 {
                repository.write(other.as_bytes(), format!("{number}\n").as_bytes());
            }
        }
        // Later, all files are known.
        if number < 3 {
            repository.git(&["add", "."]);
        }
        repository.git(&["commit", "-q", "-a", "-m", &format!("change {number}")]);
    };
    for number in 0..5 {
        lines[number * 3] = format!("old line {number}");
        commit(&lines, "src/deep/before.txt", number);
    }
    repository.git(&["mv", "src/deep/before.txt", PATH]);
    commit(&lines, PATH, 5);
    repository.git(&["checkout", "-q", "-b", "side"]);
    lines[25] = "from the side".to_owned();
    commit(&lines, PATH, 6);
    repository.git(&["checkout", "-q", "main"]);
    lines[25] = "line 25".to_owned();
    for number in 7..12 {
        lines[number] = format!("new line {number}");
        commit(&lines, PATH, number);
    }
    repository.git(&["merge", "-q", "--no-edit", "-X", "ours", "side"]);
}

/// Stores the repository in a form.
fn store(form: Form, repository: &TestRepo) {
    let git = |arguments: &[&str]| drop(repository.git(arguments));
    let repack = || git(&["repack", "-adfq"]);
    match form {
        Form::Loose => {}
        Form::Pack | Form::Sha256 | Form::Reftable | Form::Kept => repack(),
        Form::Packs | Form::MultiPackIndex | Form::GraphChain => {
            for number in 0..4 {
                let mut text = repository.git(&["show", &format!("HEAD:{PATH}")]);
                text.extend(format!("\nlast line {number}\n").bytes());
                repository.write(PATH.as_bytes(), &text);
                git(&["commit", "-qam", "another pack"]);
                git(&["repack", "-dq"]);
                if form == Form::GraphChain {
                    git(&[
                        "commit-graph",
                        "write",
                        "--reachable",
                        "--changed-paths",
                        "--split=no-merge",
                    ]);
                }
            }
            if form == Form::MultiPackIndex {
                git(&["multi-pack-index", "write"]);
            }
        }
        Form::CommitGraph => {
            repack();
            git(&["commit-graph", "write", "--reachable", "--changed-paths"]);
        }
        Form::Alternates => {
            repack();
            let objects = repository.root().join(".git/objects");
            let other = repository.root().with_file_name("other-objects");
            fs::rename(&objects, &other).expect("they are on one file system");
            fs::create_dir_all(objects.join("info")).expect("it can be made");
            let line = [other.as_os_str().as_encoded_bytes(), b"\n"].concat();
            fs::write(objects.join("info/alternates"), line).expect("it is writable");
        }
        Form::Shallow => {
            repack();
            let id = repository.git_text(&["rev-parse", "HEAD~4"]);
            fs::write(repository.root().join(".git/shallow"), id + "\n").expect("it is writable");
        }
    }
}

/// The files below a directory, sorted.
///
/// # Errors
///
/// A directory cannot be read.
pub fn files_below(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files_below(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
