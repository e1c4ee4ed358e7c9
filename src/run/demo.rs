//! `--demo`: writes a built-in history to a temporary repository.

use std::{
    collections::{BTreeMap, HashMap},
    fs::{self, File},
    io,
    path::Path,
};

use bstr::{BString, ByteSlice};

use crate::{
    error::{Error, Result},
    objects::{HashKind, ObjectId, ObjectKind, object_id},
    system::{self, leftovers::TemporaryDirectory},
};

/// The history, in the format that its first lines explain.
const HISTORY: &str = include_str!("../../assets/demo-history.txt");

/// The file that `--demo` blames.
pub const FILE: &str = "tally.py";

/// The name of a temporary repository begins so.
const PREFIX: &str = "tblame-demo-";

/// The file in a temporary repository that is locked as long as it is used.
const LOCK: &str = ".git/tblame-demo.lock";

/// A temporary repository, deleted on drop, and by a signal that ends the program.
#[derive(Debug)]
pub struct Demo {
    directory: TemporaryDirectory,
    _lock: File,
}

impl Demo {
    /// Writes the history to a new repository with a work tree.
    ///
    /// # Errors
    ///
    /// If the directory for temporary files is not writable.
    pub fn create() -> Result<Demo> {
        remove_abandoned(&std::env::temp_dir());
        let made = TemporaryDirectory::new(PREFIX, write_repository);
        let (directory, lock) = made.map_err(|reason: Box<dyn std::error::Error>| {
            Error::fatal(format!("cannot create the demo repository: {reason}"))
        })?;
        Ok(Demo {
            directory,
            _lock: lock,
        })
    }

    /// The root of the work tree.
    pub fn root(&self) -> &Path {
        self.directory.path()
    }
}

/// The settings of a temporary repository.
const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";

/// Writes the history to a new repository in a directory. Returns its lock.
fn write_repository(directory: &Path) -> Result<File, Box<dyn std::error::Error>> {
    let git_dir = directory.join(".git");
    fs::create_dir_all(git_dir.join("refs/heads"))?;
    fs::create_dir(git_dir.join("objects"))?;
    fs::write(git_dir.join("config"), CONFIG)?;
    let unlocked = git_dir.join("unlocked");
    let lock = File::create_new(&unlocked)?;
    // Where files cannot be locked, nobody removes the repository but this process.
    let _ = lock.try_lock();
    // Only now: another process takes a repository with an unlocked file for an abandoned one.
    fs::rename(&unlocked, directory.join(LOCK))?;
    let mut writer = HistoryWriter {
        objects: &git_dir.join("objects"),
        commits: HashMap::new(),
    };
    let (tip, files) = writer.write(HISTORY)?;
    fs::write(git_dir.join("HEAD"), format!("{tip}\n"))?;
    for (name, contents) in &files {
        fs::write(directory.join(name.to_path_lossy()), contents)?;
    }
    Ok(lock)
}

/// Removes the user's own temporary repositories in a directory that are not used any more: a
/// program that was killed could not remove its own.
fn remove_abandoned(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let is_repository = entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(PREFIX.as_bytes());
        let is_own = |metadata: fs::Metadata| metadata.is_dir() && system::is_own(&metadata);
        if !is_repository || !fs::symlink_metadata(entry.path()).is_ok_and(is_own) {
            continue;
        }
        // Without the file it may be one that is just being made.
        let lock = system::open_file(&entry.path().join(LOCK));
        if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            // What cannot be removed stays.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

type FileTree = BTreeMap<BString, Vec<u8>>;

/// A commit being read from [`HISTORY`].
#[derive(Default)]
struct CommitEntry<'a> {
    name: &'a str,
    parents: Vec<&'a str>,
    author: &'a str,
    message: String,
    /// The file whose contents are being read; `None` in the message.
    path: Option<BString>,
    files: FileTree,
}

struct HistoryWriter<'a> {
    /// The directory of objects.
    objects: &'a Path,
    commits: HashMap<&'a str, (ObjectId, FileTree)>,
}

impl<'a> HistoryWriter<'a> {
    fn write(&mut self, text: &'a str) -> io::Result<(ObjectId, FileTree)> {
        let mut current: Option<CommitEntry<'a>> = None;
        let mut last = None;
        for line in text.lines() {
            let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
            if word == "commit" {
                if let Some(done) = current.take() {
                    last = Some(self.commit(done)?);
                }
                current = Some(self.begin(rest));
                continue;
            }
            let Some(commit) = &mut current else { continue };
            match word {
                "author" => commit.author = rest,
                "message" => commit.message = format!("{rest}\n"),
                "rename" => {
                    if let Some((old, new)) = rest.split_once(' ')
                        && let Some(contents) = commit.files.remove(old.as_bytes().as_bstr())
                    {
                        commit.files.insert(new.into(), contents);
                    }
                }
                "file" => {
                    commit.files.insert(rest.into(), Vec::new());
                    commit.path = Some(rest.into());
                }
                _ => match commit
                    .path
                    .as_ref()
                    .and_then(|path| commit.files.get_mut(path))
                {
                    Some(contents) => {
                        contents.extend_from_slice(rest.as_bytes());
                        contents.push(b'\n');
                    }
                    None => {
                        commit.message.push_str(rest);
                        commit.message.push('\n');
                    }
                },
            }
        }
        if let Some(done) = current.take() {
            last = Some(self.commit(done)?);
        }
        Ok(last.expect("the history has commits"))
    }

    fn begin(&self, rest: &'a str) -> CommitEntry<'a> {
        let mut words = rest.split(' ');
        let name = words.next().unwrap_or_default();
        let parents: Vec<&str> = words.collect();
        let files = parents
            .first()
            .and_then(|parent| self.commits.get(parent))
            .map(|(_, files)| files.clone())
            .unwrap_or_default();
        CommitEntry {
            name,
            parents,
            files,
            ..CommitEntry::default()
        }
    }

    fn commit(&mut self, entry: CommitEntry<'a>) -> io::Result<(ObjectId, FileTree)> {
        let mut tree = Vec::new();
        for (name, contents) in &entry.files {
            let id = self.object(ObjectKind::Blob, contents)?;
            tree.extend([b"100644 ", name.as_slice(), b"\0", id.as_bytes()].concat());
        }
        let mut text = format!("tree {}\n", self.object(ObjectKind::Tree, &tree)?);
        let parents = entry.parents.iter();
        for (id, _) in parents.filter_map(|parent| self.commits.get(parent)) {
            text += &format!("parent {id}\n");
        }
        let (author, message) = (entry.author, entry.message);
        text += &format!("author {author}\ncommitter {author}\n\n{message}");
        let id = self.object(ObjectKind::Commit, text.as_bytes())?;
        let written = (id, entry.files);
        self.commits.insert(entry.name, written.clone());
        Ok(written)
    }

    /// Writes a loose object.
    fn object(&self, kind: ObjectKind, data: &[u8]) -> io::Result<ObjectId> {
        let id = object_id(HashKind::Sha1, kind, data);
        let contents = [format!("{} {}\0", kind.name(), data.len()).as_bytes(), data].concat();
        let mut room = vec![0; zlib_rs::compress_bound(contents.len())];
        let config = zlib_rs::DeflateConfig::default();
        let (compressed, _) = zlib_rs::compress_slice(&mut room, &contents, config);
        let hex = id.to_string();
        let directory = self.objects.join(&hex[..2]);
        fs::create_dir_all(&directory)?;
        fs::write(directory.join(&hex[2..]), compressed)?;
        Ok(id)
    }
}
