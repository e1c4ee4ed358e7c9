//! `--demo`: writes a built-in history to a temporary repository.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

use bstr::{BString, ByteSlice};
use gix::objs::{
    Commit, Tree, WriteTo,
    tree::{Entry, EntryKind},
};
use tempfile::TempDir;

use crate::{
    error::{Error, Result},
    objects::ObjectId,
};

/// The history, in the format that its first lines explain.
const HISTORY: &str = include_str!("../../assets/demo-history.txt");

/// The file that `--demo` blames.
pub const FILE: &str = "tally.py";

/// A temporary repository, deleted on drop.
#[derive(Debug)]
pub struct Demo {
    directory: TempDir,
}

impl Demo {
    /// Writes the history to a new repository with a work tree.
    ///
    /// # Errors
    ///
    /// If the directory for temporary files is not writable.
    pub fn create() -> Result<Demo> {
        let failed = |reason: &dyn std::fmt::Display| {
            Error::fatal(format!("cannot create the demo repository: {reason}"))
        };
        let directory = tempfile::Builder::new()
            .prefix("tblame-demo-")
            .tempdir()
            .map_err(|err| failed(&err))?;
        let repository = gix::init(directory.path()).map_err(|err| failed(&err))?;
        let mut writer = HistoryWriter {
            repository: &repository,
            commits: HashMap::new(),
        };
        let (tip, files) = writer.write(HISTORY).map_err(|err| failed(&err))?;
        let head = repository.git_dir().join("HEAD");
        std::fs::write(head, format!("{tip}\n")).map_err(|err| failed(&err))?;
        for (name, contents) in &files {
            let path = directory.path().join(name.to_path_lossy());
            std::fs::write(path, contents).map_err(|err| failed(&err))?;
        }
        Ok(Demo { directory })
    }

    /// The root of the work tree.
    pub fn root(&self) -> &Path {
        self.directory.path()
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
    repository: &'a gix::Repository,
    commits: HashMap<&'a str, (ObjectId, FileTree)>,
}

impl<'a> HistoryWriter<'a> {
    fn write(&mut self, text: &'a str) -> gix::Result<(ObjectId, FileTree)> {
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

    fn commit(&mut self, entry: CommitEntry<'a>) -> gix::Result<(ObjectId, FileTree)> {
        let mut entries = Vec::new();
        for (name, contents) in &entry.files {
            entries.push(Entry {
                mode: EntryKind::Blob.into(),
                filename: name.clone(),
                oid: self.repository.write_blob(contents)?.detach(),
            });
        }
        let author = gix::actor::SignatureRef::from_bytes(entry.author.as_bytes())?.to_owned()?;
        let parents = entry.parents.iter();
        let parents = parents.filter_map(|parent| self.commits.get(parent));
        let commit = Commit {
            tree: self.object(&Tree { entries })?,
            parents: parents.map(|(id, _)| *id).collect(),
            committer: author.clone(),
            author,
            encoding: None,
            message: entry.message.into(),
            extra_headers: Vec::new(),
        };
        let id = self.object(&commit)?;
        let written = (id, entry.files);
        self.commits.insert(entry.name, written.clone());
        Ok(written)
    }

    fn object(&self, object: &impl WriteTo) -> gix::Result<ObjectId> {
        Ok(self.repository.write_object(object)?.detach())
    }
}
