//! Versions of files, the commits that made them, and why one cannot be read.

use std::{
    error::Error,
    fmt,
    io::{self, ErrorKind},
    panic::Location,
    sync::Arc,
};

use bstr::{BString, ByteSlice};

use crate::{
    dates::moment::Moment,
    engine,
    error::{self, os_message},
    objects::{self, ObjectId},
    repository::{agents::signature::CommitSignature, commits::people::CommitPeople},
    system::run_log,
};

/// Which version of which file a view blames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileVersion {
    /// The command line's: a revision or the work tree, with all its options.
    CommandLine,
    /// Another file of the work tree.
    WorkTree {
        /// The file's path, from the root of the work tree.
        path: Arc<BString>,
    },
    /// A reloaded version of something that changes: the work tree or HEAD.
    Reloaded {
        /// The file's path, from the root of the work tree.
        path: Arc<BString>,
        /// True if it reloads [`FileVersion::CommandLine`].
        of_command_line: bool,
        /// Unique number of the reload.
        reading: u64,
    },
    /// A file in a commit.
    Commit {
        /// The commit's id.
        commit: ObjectId,
        /// The file's path from the root of the tree.
        path: Arc<BString>,
    },
}

/// A file of a commit, or of the work tree.
pub(crate) fn version_of(commit: Option<ObjectId>, path: BString) -> FileVersion {
    let path = Arc::new(path);
    match commit {
        Some(commit) => FileVersion::Commit { commit, path },
        None => FileVersion::WorkTree { path },
    }
}

/// Name, address and time of an author or committer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The name, after the mailmap.
    pub name: BString,
    /// The address, after the mailmap, without its angle brackets.
    pub mail: BString,
    /// Seconds since the epoch.
    pub time: i64,
    /// Offset of the time zone from UTC, in seconds.
    pub offset: i32,
}

impl Signature {
    /// When it was, by the clock of the person.
    pub fn date(&self) -> Moment {
        Moment {
            time: self.time,
            offset: self.offset,
        }
    }
}

/// A commit's author, committer and message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitMetadata {
    /// The author, after the mailmap.
    pub author: Signature,
    /// The committer, after the mailmap.
    pub committer: Signature,
    /// Names and addresses of the co-authors, from the trailers of the message, after the mailmap;
    /// addresses without angle brackets, and empty where there is none.
    pub co_authors: Vec<(BString, BString)>,
    /// The whole message, converted to UTF-8 where possible.
    pub message: BString,
    /// The id of the change that it is a version of: of jj, or of Gerrit.
    pub change_id: Option<BString>,
    /// True if it has no parents.
    pub root: bool,
    /// Its parents, if it has several.
    pub merge_parents: Vec<ObjectId>,
}

impl CommitMetadata {
    /// The parts of the commit that tell of agents.
    pub fn signature(&self) -> CommitSignature<'_> {
        CommitSignature {
            name: &self.author.name,
            mail: &self.author.mail,
            message: &self.message,
        }
    }

    /// Who made the commit.
    pub fn people(&self) -> CommitPeople<'_> {
        CommitPeople {
            name: self.author.name.as_bstr(),
            mail: self.author.mail.as_bstr(),
            co_authors: &self.co_authors,
            date: self.author.date(),
        }
    }

    /// The first paragraph of the message as one line.
    pub fn summary(&self) -> BString {
        summary(&self.message)
    }
}

/// The first paragraph of a message as one line.
pub fn summary(message: &[u8]) -> BString {
    let text = message.trim_ascii();
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

/// An error message for the status line. It is made only where its cause is noted for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(pub String, FailureKind);

/// What is known of a failure beside its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailureKind {
    /// The file is not in the work tree.
    Absent,
    Other,
}

impl Failure {
    /// The message of an error, or words. The cause is noted, or else where this is made.
    #[track_caller]
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let error = error.into();
        if run_log::is_open() {
            let at = Location::caller();
            let cause = cause(error.as_ref());
            let cause = cause.unwrap_or_else(|| format!("made at {}", run_log::place(at)));
            run_log::note("cause", format_args!("{cause}"));
        }
        let words = match hint(error.as_ref()) {
            Some(hint) => format!("{error}: {hint}"),
            None => error.to_string(),
        };
        Failure(words, FailureKind::Other)
    }

    /// Why a file of the work tree cannot be read.
    #[track_caller]
    pub(crate) fn of_file(error: &io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => {
                let Failure(words, _) = Failure::new("the file is not in the work tree");
                Failure(words, FailureKind::Absent)
            }
            _ => Failure::new(os_message(error)),
        }
    }

    /// True if the file is not in the work tree.
    pub(crate) fn is_absent(&self) -> bool {
        self.1 == FailureKind::Absent
    }
}

/// What would help, if the error knows that.
fn hint<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a str> {
    match error.downcast_ref() {
        Some(engine::Error::Conversion(inner)) => hint(inner.as_ref()),
        _ => error.downcast_ref::<error::Error>()?.hint(),
    }
}

/// What is wrong, without names, if the error knows that.
fn cause(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<engine::Error>() {
        return Some(error.without_names());
    }
    if let Some(error) = error.downcast_ref::<objects::Error>() {
        return Some(error.without_names());
    }
    let error = error.downcast_ref::<error::Error>();
    error.map(error::Error::without_names)
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Failure {}

/// A file that a commit added, deleted, modified, renamed or copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Path and mode before; `None` if added.
    pub old: Option<(Arc<BString>, u32)>,
    /// Path and mode after; `None` if deleted.
    pub new: Option<(Arc<BString>, u32)>,
    /// Similarity in percent of a rename or copy.
    pub similarity: Option<u8>,
    /// True if it is a copy: the old path still exists.
    pub copied: bool,
}

impl FileChange {
    /// The path after the commit, or before it if the file was deleted.
    pub fn path(&self) -> Option<&Arc<BString>> {
        let side = self.new.as_ref().or(self.old.as_ref());
        side.map(|(path, _)| path)
    }
}
