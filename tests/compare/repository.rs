//! What the comparisons ask of a repository.

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    process::Command,
};

use crate::harness::rng::Rng;

/// A repository, and the git that reads it.
pub struct Repository<'a> {
    pub git: &'a Path,
    pub directory: PathBuf,
}

/// One file at one revision.
#[derive(Debug, Clone)]
pub struct Sample {
    pub revision: String,
    pub path: Vec<u8>,
    pub text: Vec<u8>,
}

impl Repository<'_> {
    /// What git prints; it must succeed.
    pub fn ask<A: AsRef<OsStr>>(&self, words: &[A]) -> Vec<u8> {
        let mut command = Command::new(self.git);
        command.arg("-C").arg(&self.directory).args(words);
        let output = command.output().expect("git runs");
        assert!(
            output.status.success(),
            "{command:?}: {}",
            output.stderr.escape_ascii()
        );
        output.stdout
    }

    /// The lines that git prints, which are ASCII.
    pub fn ask_lines<A: AsRef<OsStr>>(&self, words: &[A]) -> Vec<String> {
        let text = String::from_utf8(self.ask(words)).expect("ids are ASCII");
        text.lines().map(str::to_owned).collect()
    }

    /// The commits, at most 200, that changed a file.
    pub fn commits_of(&self, revision: &str, path: &[u8]) -> Vec<String> {
        let log = ["log", "-200", "--format=%H", revision, "--"];
        let mut log: Vec<OsString> = log.iter().map(OsString::from).collect();
        log.push(OsString::from_vec(path.to_vec()));
        self.ask_lines(&log)
    }

    /// The text of a file, which must exist at that revision.
    pub fn text_of(&self, revision: &str, path: &[u8]) -> Vec<u8> {
        let name = [revision.as_bytes(), b":", path].concat();
        self.ask(&[
            OsStr::new("cat-file"),
            OsStr::new("blob"),
            OsStr::from_bytes(&name),
        ])
    }

    /// A random text file of a revision; `None` if the file that was drawn has no text.
    pub fn random_file(&self, rng: &mut Rng, revision: &str) -> Option<Sample> {
        let tree = self.ask(&["ls-tree", "-r", "-z", revision]);
        let is_file = |entry: &&[u8]| entry.starts_with(b"100");
        let entries: Vec<&[u8]> = tree.split(|&b| b == 0).filter(is_file).collect();
        if entries.is_empty() {
            return None;
        }
        let entry = *rng.pick(&entries);
        let tab = entry.iter().position(|&b| b == b'\t')?;
        let path = entry[tab + 1..].to_vec();
        let text = self.text_of(revision, &path);
        let is_text = !text.is_empty() && !text.iter().take(8000).any(|&b| b == 0);
        is_text.then(|| Sample {
            revision: revision.to_owned(),
            path,
            text,
        })
    }
}
