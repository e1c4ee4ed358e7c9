//! Where the viewer gets its facts from: a repository, or a script in a test.

use std::{
    fmt,
    fs::Metadata,
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, SystemTime},
};

use bstr::{BStr, BString};

use crate::{
    diff,
    engine::{Focus, Profile, Sink, Stats},
    objects::ObjectId,
    viewer::model::switches::Switches,
};

/// What is blamed: one view of the viewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// What the program was started with: a revision, or the work tree, with all its options.
    Start,
    /// Another file of the work tree.
    WorkTree {
        /// The file's path, from the root of the work tree.
        path: Arc<BString>,
    },
    /// Something that changes, as it was when it was read again.
    Again {
        /// The file's path, from the root of the work tree.
        path: Arc<BString>,
        /// It is what the program was started with, with all its options.
        start: bool,
        /// Which reading; no two have the same number.
        reading: u64,
    },
    /// A file in a commit.
    Commit {
        /// The commit.
        commit: ObjectId,
        /// The file's path in it, from the root of the tree.
        path: Arc<BString>,
    },
}

/// What tells whether a file and HEAD are what they were.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The file of the work tree, if it is there.
    pub file: Option<FileStamp>,
    /// The commit that HEAD is.
    pub head: Option<ObjectId>,
}

/// What tells whether a file is what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStamp {
    size: u64,
    modified: Option<SystemTime>,
    /// Another file may have taken its place, or its time may have been set back.
    identity: [i64; 4],
}

impl FileStamp {
    /// That of a file, from what the system says of it.
    pub fn new(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            let inode = metadata.ino().cast_signed();
            [
                inode,
                metadata.mode().into(),
                metadata.ctime(),
                metadata.ctime_nsec(),
            ]
        };
        #[cfg(not(unix))]
        let identity = [0; 4];
        FileStamp {
            size: metadata.len(),
            modified: metadata.modified().ok(),
            identity,
        }
    }
}

impl Stamp {
    /// What another stamp, taken later, says to have changed.
    pub fn difference(&self, later: &Stamp) -> Option<&'static str> {
        match (&self.file, &later.file) {
            (Some(_), None) => Some("the file is gone"),
            (before, now) if before != now => Some("the file has changed"),
            _ if self.head != later.head => Some("HEAD has moved"),
            _ => None,
        }
    }
}

/// A person and a time, as a commit names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The name, after the mailmap.
    pub name: BString,
    /// The address, after the mailmap, without its angle brackets.
    pub mail: BString,
    /// Seconds since the epoch.
    pub time: i64,
    /// Offset of the person's clock from UTC, in seconds.
    pub offset: i32,
}

/// The words of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Who wrote the change.
    pub author: Signature,
    /// Who committed it.
    pub committer: Signature,
    /// The whole message, in UTF-8 as far as it could be converted.
    pub message: BString,
    /// It has no parents: history begins with it.
    pub root: bool,
}

impl Commit {
    /// The first paragraph's lines, as one.
    pub fn summary(&self) -> BString {
        let text = self.message.trim_ascii();
        let mut summary = Vec::new();
        for line in text.split(|&byte| byte == b'\n') {
            let line = line.trim_ascii();
            if line.is_empty() {
                break;
            }
            if !summary.is_empty() {
                summary.push(b' ');
            }
            summary.extend_from_slice(line);
        }
        summary.into()
    }
}

/// What went wrong, in words for the person at the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(pub String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

/// What a blame did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Account {
    /// Counters of the engine.
    pub stats: Stats,
    /// Where the engine's time went.
    pub profile: Profile,
}

/// A finished blame.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Counters of the engine.
    pub stats: Stats,
    /// Where the engine's time went.
    pub profile: Box<Profile>,
    /// Time from the request to the last line.
    pub elapsed: Duration,
}

/// A repository as the worker sees it.
pub trait Source: Send {
    /// The bytes of a place, as they are blamed.
    ///
    /// # Errors
    /// There is no such file, or it cannot be read.
    fn contents(&mut self, place: &Place) -> Result<Arc<[u8]>, Failure>;

    /// Blames a place as it is switched, pushing what is decided into `sink`. Lines in the focus
    /// come first as far as history allows.
    ///
    /// # Errors
    /// An object is missing or damaged. What was pushed before stands.
    fn blame(
        &mut self,
        place: &Place,
        switches: &Switches,
        focus: &Arc<Focus>,
        sink: &mut dyn Sink,
    ) -> Result<Account, Failure>;

    /// The name of the encoding that is said to be that of a place's contents, if one is.
    fn encoding(&mut self, _place: &Place, _contents: &[u8]) -> Option<BString> {
        None
    }

    /// How versions are compared, white space apart.
    fn diff_options(&self) -> diff::Options {
        diff::Options::default()
    }

    /// A reader of commits that can be used while [`blame`](Source::blame) runs.
    fn texts(&self) -> Box<dyn Texts>;

    /// What can be asked beside a blame while it runs.
    fn archive(&self) -> Box<dyn Archive>;
}

/// What surrounds a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// Branches and tags that point at it.
    pub references: Vec<BString>,
    /// What brought it into the branch, if it was not made there.
    pub merge: Option<Merge>,
    /// The commits that its message names, with the ids as they stand there.
    pub named: Vec<(BString, ObjectId)>,
}

/// A merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// Its commit.
    pub id: ObjectId,
    /// The first paragraph of its message.
    pub summary: BString,
}

/// What a commit did to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The file's path before, with its mode; none if it is new.
    pub old: Option<(Arc<BString>, u32)>,
    /// Its path in the commit, with its mode; none if it is gone.
    pub new: Option<(Arc<BString>, u32)>,
    /// How alike the two are, in percent, where their paths differ.
    pub alike: Option<u8>,
    /// The file before is still there.
    pub copied: bool,
}

impl FileChange {
    /// The path that the file has in the commit, or had before it if it is gone.
    pub fn path(&self) -> Option<&Arc<BString>> {
        let side = self.new.as_ref().or(self.old.as_ref());
        side.map(|(path, _)| path)
    }
}

/// What a commit did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// What it is compared with; nothing for the first commit.
    pub parent: Option<ObjectId>,
    /// The files that differ, by path.
    pub files: Vec<FileChange>,
    /// Further files that are not listed.
    pub more: usize,
}

/// Says of commits and files what a blame does not tell.
pub trait Archive: Send {
    /// What surrounds a commit; anything once `stop` says so.
    ///
    /// # Errors
    /// A commit is missing or damaged.
    fn circumstances(
        &mut self,
        id: &ObjectId,
        stop: &dyn Fn() -> bool,
    ) -> Result<Circumstances, Failure>;

    /// The paths of all files of the version that a place is in, a part at a time.
    ///
    /// # Errors
    /// A tree is missing or damaged.
    fn files(
        &mut self,
        place: &Place,
        found: &mut dyn FnMut(Vec<BString>) -> ControlFlow<()>,
    ) -> Result<(), Failure>;

    /// What tells whether a file of the work tree and HEAD are what they were.
    fn stamp(&mut self, _path: &BStr) -> Stamp {
        Stamp::default()
    }
}

/// Reads the words of commits, and files.
pub trait Texts: Send {
    /// The words of a commit; those of the uncommitted one for the null id.
    ///
    /// # Errors
    /// The commit is missing or damaged.
    fn commit(&mut self, id: &ObjectId) -> Result<Commit, Failure>;

    /// The bytes of a place, as [`Source::contents`] gives them.
    ///
    /// # Errors
    /// There is no such file, or it cannot be read.
    fn contents(&mut self, place: &Place) -> Result<Arc<[u8]>, Failure>;

    /// The mode of a file in a commit; none if there is no such file, or if it is not in a commit.
    ///
    /// # Errors
    /// A tree is missing or damaged.
    fn mode(&mut self, _place: &Place) -> Result<Option<u32>, Failure> {
        Ok(None)
    }

    /// What a commit did, compared with `parent` or with its first one; anything once `stop` says
    /// so.
    ///
    /// # Errors
    /// A commit or a tree is missing or damaged.
    fn changes(
        &mut self,
        _commit: &ObjectId,
        _parent: Option<ObjectId>,
        _stop: &dyn Fn() -> bool,
    ) -> Result<Changes, Failure> {
        Ok(Changes::default())
    }

    /// How versions are compared, white space apart.
    fn diff_options(&self) -> diff::Options {
        diff::Options::default()
    }
}
