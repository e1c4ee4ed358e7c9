//! Commits written with `git fast-import`: one process for a whole history.

use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

use super::repository::TestRepo;

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its mode, for example `0o100644`. For a submodule the bytes are its commit's id.
    pub mode: u32,
    /// Its contents, or the target of a symbolic link.
    pub bytes: Rc<[u8]>,
}

impl File {
    /// A regular file.
    pub fn text(bytes: impl AsRef<[u8]>) -> File {
        File {
            mode: 0o100644,
            bytes: bytes.as_ref().into(),
        }
    }
}

/// All files of a commit by their path.
pub type Tree = BTreeMap<Vec<u8>, File>;

/// Adds a file to a tree, replacing a file or a directory of the same name.
pub fn insert_file(tree: &mut Tree, path: &[u8], file: File) {
    let below = |a: &[u8], b: &[u8]| a.starts_with(b) && a.get(b.len()) == Some(&b'/');
    tree.retain(|other, _| !below(other, path) && !below(path, other));
    tree.insert(path.to_vec(), file);
}

/// An author or a committer.
#[derive(Debug, Clone)]
pub struct Ident {
    pub name: Vec<u8>,
    pub mail: Vec<u8>,
    /// Seconds since the epoch.
    pub time: u64,
    pub zone: &'static str,
}

/// A commit to be written.
#[derive(Debug, Clone)]
pub struct Commit {
    /// Numbers of commits written before.
    pub parents: Vec<usize>,
    pub tree: Tree,
    pub author: Ident,
    pub committer: Ident,
    pub encoding: Option<&'static str>,
    pub message: Vec<u8>,
}

/// Commits to be written by `git fast-import`.
#[derive(Debug, Default)]
pub struct FastImport {
    stream: Vec<u8>,
    trees: Vec<Tree>,
    has_child: Vec<bool>,
    blobs: HashMap<Rc<[u8]>, usize>,
}

impl FastImport {
    /// Adds a commit and returns its number.
    pub fn commit(&mut self, commit: Commit) -> usize {
        let number = self.trees.len();
        let empty = Tree::new();
        let before = match commit.parents.first() {
            Some(&parent) => &self.trees[parent],
            None => &empty,
        };
        let mut changes = Vec::new();
        for path in before
            .keys()
            .filter(|path| !commit.tree.contains_key(*path))
        {
            changes.extend_from_slice(b"D ");
            changes.extend(quoted(path));
            changes.push(b'\n');
        }
        for (path, file) in &commit.tree {
            if before.get(path) == Some(file) {
                continue;
            }
            let source = if file.mode == 0o160000 {
                String::from_utf8_lossy(&file.bytes).into_owned()
            } else {
                format!(":{}", blob(&mut self.stream, &mut self.blobs, &file.bytes))
            };
            changes.extend(format!("M {:o} {source} ", file.mode).bytes());
            changes.extend(quoted(path));
            changes.push(b'\n');
        }

        let out = &mut self.stream;
        out.extend_from_slice(b"reset refs/heads/main\n\ncommit refs/heads/main\n");
        out.extend(format!("mark :{}\n", commit_mark(number)).bytes());
        for (role, ident) in [("author", &commit.author), ("committer", &commit.committer)] {
            out.extend(format!("{role} ").bytes());
            if !ident.name.is_empty() {
                out.extend_from_slice(&ident.name);
                out.push(b' ');
            }
            out.push(b'<');
            out.extend_from_slice(&ident.mail);
            out.extend(format!("> {} {}\n", ident.time, ident.zone).bytes());
        }
        if let Some(encoding) = commit.encoding {
            out.extend(format!("encoding {encoding}\n").bytes());
        }
        data(out, &commit.message);
        for (nth, &parent) in commit.parents.iter().enumerate() {
            let word = if nth == 0 { "from" } else { "merge" };
            out.extend(format!("{word} :{}\n", commit_mark(parent)).bytes());
            self.has_child[parent] = true;
        }
        out.extend(changes);
        out.push(b'\n');
        self.trees.push(commit.tree);
        self.has_child.push(false);
        number
    }

    /// The files of a commit.
    pub fn tree(&self, number: usize) -> &Tree {
        &self.trees[number]
    }

    /// How many commits there are.
    pub fn len(&self) -> usize {
        self.trees.len()
    }

    /// Ends the current pack; later objects go to another one.
    pub fn next_pack(&mut self) {
        self.stream.extend_from_slice(b"checkpoint\n\n");
    }

    /// Writes everything to `repository`, the branch `main` at the last commit and a branch at
    /// every other commit without a child. Returns the commits' ids.
    pub fn write(mut self, repository: &TestRepo) -> (Vec<String>, Vec<Tree>) {
        let last = self.trees.len() - 1;
        for (number, _) in self.has_child.iter().enumerate().filter(|(_, has)| !**has) {
            let name = if number == last {
                "main".to_owned()
            } else {
                format!("tip{number}")
            };
            let mark = commit_mark(number);
            let reset = format!("reset refs/heads/{name}\nfrom :{mark}\n\n");
            self.stream.extend(reset.bytes());
        }
        let marks = repository.root().join(".git/marks");
        let export = format!("--export-marks={}", marks.display());
        let arguments = ["fast-import", "--quiet", "--force", &export];
        repository.git_with_input(&arguments, &self.stream);
        let marks = std::fs::read_to_string(marks).expect("git wrote the marks");
        let mut ids = vec![String::new(); self.trees.len()];
        for line in marks.lines() {
            let (mark, id) = line.split_once(' ').expect("a mark and an id");
            let mark: usize = mark[1..].parse().expect("a number");
            if mark % 2 == 1 {
                ids[mark / 2] = id.to_owned();
            }
        }
        (ids, self.trees)
    }
}

/// Odd marks are commits, even ones blobs.
fn commit_mark(number: usize) -> usize {
    number * 2 + 1
}

fn blob(stream: &mut Vec<u8>, blobs: &mut HashMap<Rc<[u8]>, usize>, bytes: &Rc<[u8]>) -> usize {
    let next = (blobs.len() + 1) * 2;
    *blobs.entry(bytes.clone()).or_insert_with(|| {
        stream.extend(format!("blob\nmark :{next}\n").bytes());
        data(stream, bytes);
        next
    })
}

fn data(stream: &mut Vec<u8>, bytes: &[u8]) {
    stream.extend(format!("data {}\n", bytes.len()).bytes());
    stream.extend_from_slice(bytes);
    stream.push(b'\n');
}

fn quoted(path: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'"'];
    for &byte in path {
        match byte {
            b'"' | b'\\' => quoted.extend([b'\\', byte]),
            0..0x20 | 0x7f.. => quoted.extend(format!("\\{byte:03o}").bytes()),
            _ => quoted.push(byte),
        }
    }
    quoted.push(b'"');
    quoted
}
