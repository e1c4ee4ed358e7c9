//! Objects as git does not write them, in loose files.

use std::{cell::Cell, fs};

use gix_hash::{Kind, ObjectId};

use super::repository::TestRepo;

/// An entry of a tree, whatever its bytes.
#[derive(Debug, Clone)]
pub struct Entry {
    pub mode: Vec<u8>,
    pub name: Vec<u8>,
    pub id: ObjectId,
}

impl Entry {
    pub fn new(mode: &[u8], name: &[u8], id: ObjectId) -> Entry {
        Entry {
            mode: mode.to_vec(),
            name: name.to_vec(),
            id,
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        [&self.mode[..], b" ", &self.name, b"\0", self.id.as_bytes()].concat()
    }

    /// What git sorts by: trees have a slash after their name.
    pub fn sort_key(&self) -> Vec<u8> {
        let digits: String = String::from_utf8_lossy(&self.mode).into_owned();
        let mode = u64::from_str_radix(&digits, 8).unwrap_or(0);
        let slash: &[u8] = if mode & 0o170_000 == 0o40_000 {
            b"/"
        } else {
            b""
        };
        [&self.name, slash].concat()
    }
}

/// Writes objects to a repository.
pub struct OddObjects<'a> {
    repository: &'a TestRepo,
    hash: Kind,
    commits: Cell<u64>,
}

impl OddObjects<'_> {
    /// For a repository with SHA-1.
    pub fn new(repository: &TestRepo) -> OddObjects<'_> {
        OddObjects::with_hash(repository, Kind::Sha1)
    }

    pub fn with_hash(repository: &TestRepo, hash: Kind) -> OddObjects<'_> {
        OddObjects {
            repository,
            hash,
            commits: Cell::new(0),
        }
    }

    /// Writes an object with any contents.
    pub fn write(&self, kind: &str, data: &[u8]) -> ObjectId {
        let object = [format!("{kind} {}\0", data.len()).as_bytes(), data].concat();
        let mut hasher = gix_hash::hasher(self.hash);
        hasher.update(&object);
        let id = hasher.try_finalize().expect("no collision");
        let hex = id.to_string();
        let directory = self.repository.root().join(".git/objects").join(&hex[..2]);
        fs::create_dir_all(&directory).expect("it can be made");
        let mut stream = vec![0; zlib_rs::compress_bound(object.len()) + 64];
        let config = zlib_rs::DeflateConfig::default();
        let (stream, _) = zlib_rs::compress_slice(&mut stream, &object, config);
        fs::write(directory.join(&hex[2..]), stream).expect("it is writable");
        id
    }

    pub fn tree(&self, entries: &[Entry]) -> ObjectId {
        let bytes: Vec<u8> = entries.iter().flat_map(Entry::bytes).collect();
        self.write("tree", &bytes)
    }

    /// Writes a commit for each tree, each the parent of the next one, and returns the last one.
    pub fn history(&self, trees: &[ObjectId]) -> ObjectId {
        let mut last: Option<ObjectId> = None;
        for tree in trees {
            let number = self.commits.get() + 1;
            self.commits.set(number);
            let time = 1_600_000_000 + number;
            let parent = last.map_or(String::new(), |id| format!("parent {id}\n"));
            let person = format!("A <a@example.com> {time} +0000");
            let text = format!(
                "tree {tree}\n{parent}author {person}\ncommitter {person}\n\ncommit {number}\n"
            );
            last = Some(self.write("commit", text.as_bytes()));
        }
        last.expect("there is a tree")
    }
}
