//! The interface between the viewer and a repository; tests implement it with scripts.

use std::{
    fmt,
    ops::{ControlFlow, Range},
    sync::Arc,
    time::Duration,
};

use bstr::{BStr, BString};

pub use crate::viewer::model::file_version::{
    CommitMetadata, Failure, FileChange, FileVersion, Signature,
};
use crate::{
    diff,
    engine::{Profile, Sink, Stats},
    objects::ObjectId,
    ranges::FunctionRule,
    repository::FetchObserver,
    system::FileStamp,
    viewer::model::{
        deletions::{DeletionReader, NoDeletions},
        file_history::{FileHistoryReader, NoFileHistory},
        line_history::{LineHistoryReader, NoLineHistory},
        provenance::{NoProvenance, ProvenanceReader},
        toggled_options::ToggledOptions,
    },
};

/// What was typed to go to: a revision, a file, or `REVISION:FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceQuery {
    /// The input.
    pub input: BString,
    /// The visible version.
    pub version: FileVersion,
    /// The names that the visible file has had, its current one first.
    pub names: Vec<Arc<BString>>,
}

/// The version that an input stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedVersion {
    /// The version.
    pub version: FileVersion,
    /// Whether it is of the file that is visible.
    pub is_same_file: bool,
}

/// Identifies the state of a work tree file and HEAD, to detect changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The work tree file, if it exists.
    pub file: Option<FileStamp>,
    /// The commit that HEAD points at.
    pub head: Option<ObjectId>,
}

impl Stamp {
    /// What has changed in a later stamp.
    pub fn difference(&self, later: &Stamp) -> Option<StampChange> {
        match (&self.file, &later.file) {
            (Some(_), None) => Some(StampChange::FileGone),
            (before, now) if before != now => Some(StampChange::FileChanged),
            _ if self.head != later.head => Some(StampChange::HeadMoved),
            _ => None,
        }
    }
}

/// What has changed between two stamps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StampChange {
    /// The file was removed.
    FileGone,
    /// The file was written.
    FileChanged,
    /// HEAD is another commit.
    HeadMoved,
}

impl fmt::Display for StampChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StampChange::FileGone => "the file is gone",
            StampChange::FileChanged => "the file has changed",
            StampChange::HeadMoved => "HEAD has moved",
        })
    }
}

/// The engine's statistics of a blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlameStats {
    /// Counters of the engine.
    pub stats: Stats,
    /// Where the engine's time went.
    pub profile: Profile,
}

/// A finished blame.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlameReport {
    /// Counters of the engine.
    pub stats: Stats,
    /// Where the engine's time went.
    pub profile: Box<Profile>,
    /// Time from the request to the last attributed line.
    pub elapsed: Duration,
}

/// A repository, as used by the blame task.
pub trait BlameSource: Send {
    /// The contents that are blamed, after conversions.
    ///
    /// # Errors
    /// If the file does not exist or cannot be read.
    fn contents(&mut self, version: &FileVersion) -> Result<Arc<[u8]>, Failure>;

    /// Blames a file, pushing attributed lines into `sink`.
    ///
    /// # Errors
    /// If an object is missing or damaged. Lines that were pushed before stay valid.
    fn blame(
        &mut self,
        version: &FileVersion,
        options: &ToggledOptions,
        sink: &mut dyn Sink,
    ) -> Result<BlameStats, Failure>;

    /// Blames lines (0-based) of a file, pushing them into `sink`.
    ///
    /// # Errors
    /// As those of [`blame`](BlameSource::blame).
    fn blame_lines(
        &mut self,
        _version: &FileVersion,
        _options: &ToggledOptions,
        _lines: Range<u32>,
        _sink: &mut dyn Sink,
    ) -> Result<(), Failure> {
        Err(Failure("single lines cannot be blamed here".to_owned()))
    }

    /// Whether the blame is kept from an earlier run, and will be there at once.
    fn is_kept(&mut self, _version: &FileVersion, _options: &ToggledOptions) -> bool {
        false
    }

    /// Passes the beginnings and ends of fetches to `observer` from now on.
    fn observe_fetches(&self, _observer: FetchObserver) {}

    /// Changes whether objects that a partial clone lacks are fetched, by [`contents`](BlameSource::contents) and
    /// [`blame`](BlameSource::blame). One that is not is a failure.
    fn set_fetching(&mut self, _fetches: bool) {}

    /// Keeps the last blame for later runs. Called when there is time for it.
    fn keep_blame(&mut self) {}

    /// The encoding that git's attributes declare for the contents.
    fn encoding(&mut self, _place: &FileVersion, _contents: &[u8]) -> Option<BString> {
        None
    }

    /// Diff options of the blame, without those that [`ToggledOptions`] set.
    fn diff_options(&self) -> diff::DiffOptions {
        diff::DiffOptions::default()
    }

    /// A reader of commits and contents to be used on another thread while
    /// [`blame`](BlameSource::blame) runs.
    fn version_reader(&self) -> Box<dyn VersionReader>;

    /// A reader of references and trees to be used on another thread while a blame runs.
    fn history_reader(&self) -> Box<dyn HistoryReader>;

    /// A reader of histories of lines to be used on another thread while a blame runs.
    fn line_history_reader(&self) -> Box<dyn LineHistoryReader> {
        Box::new(NoLineHistory)
    }

    /// A reader of histories of files to be used on another thread while a blame runs.
    fn file_history_reader(&self) -> Box<dyn FileHistoryReader> {
        Box::new(NoFileHistory)
    }

    /// A reader of deleted lines to be used on another thread while a blame runs.
    fn deletion_reader(&self) -> Box<dyn DeletionReader> {
        Box::new(NoDeletions)
    }

    /// The same source for blames that run at the same time; `None` if there cannot be one.
    fn second_source(&self) -> Option<Box<dyn BlameSource>> {
        None
    }

    /// A reader of what brought commits, to be used on another thread while a blame runs.
    fn provenance_reader(&self) -> Box<dyn ProvenanceReader> {
        Box::new(NoProvenance)
    }
}

/// The context of a commit in history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitContext {
    /// Branches and tags that point at the commit.
    pub refs: Vec<BString>,
    /// The commits that its message mentions: the abbreviated id as written, and the full one.
    pub mentioned_commits: Vec<(BString, ObjectId)>,
}

/// The files that a commit changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitChanges {
    /// The parent that it is compared with; `None` for a root commit.
    pub parent: Option<ObjectId>,
    /// The files, sorted by path.
    pub files: Vec<FileChange>,
    /// Number of further files that are not listed.
    pub more: usize,
}

/// Reads commit context and file lists.
pub trait HistoryReader: Send {
    /// The context of a commit; incomplete once `stop` returns true.
    ///
    /// # Errors
    /// If a commit is missing or damaged.
    fn commit_context(
        &mut self,
        id: &ObjectId,
        stop: &dyn Fn() -> bool,
    ) -> Result<CommitContext, Failure>;

    /// Passes the paths of all files of a version to `found`, in batches.
    ///
    /// # Errors
    /// If a tree is missing or damaged.
    fn files(
        &mut self,
        version: &FileVersion,
        found: &mut dyn FnMut(Vec<BString>) -> ControlFlow<()>,
    ) -> Result<(), Failure>;

    /// The version that a typed name stands for.
    ///
    /// # Errors
    /// If it stands for none, in plain words.
    fn place(&mut self, query: &PlaceQuery) -> Result<NamedVersion, Failure> {
        Err(Failure(format!("“{}” is not a line", query.input)))
    }

    /// The lines (0-based) of a work tree file that are not in the index; `None` if that is not known.
    fn unstaged(&mut self, _path: &BStr, _contents: &[u8]) -> Option<Vec<Range<u32>>> {
        None
    }

    /// What a typed name may be completed to.
    fn completions(&mut self, _version: &FileVersion, _input: &BStr) -> Vec<BString> {
        Vec::new()
    }

    /// The beginning of a file, without conversions.
    ///
    /// # Errors
    /// If the file has no text, or cannot be read.
    fn beginning(&mut self, _version: &FileVersion) -> Result<Arc<[u8]>, Failure> {
        Err(Failure("no preview".to_owned()))
    }

    /// The current stamp of a work tree file and HEAD.
    fn stamp(&mut self, _path: &BStr) -> Stamp {
        Stamp::default()
    }
}

/// Reads commits and file contents.
pub trait VersionReader: Send {
    /// A commit, or the pseudo-commit of uncommitted changes for the null id.
    ///
    /// # Errors
    /// If the commit is missing or damaged.
    fn commit(&mut self, id: &ObjectId) -> Result<CommitMetadata, Failure>;

    /// A commit as a kept blame has it: without the committer, and with the summary in place of the message. `None` if
    /// it has no such commit.
    fn shortened_commit(&mut self, _id: &ObjectId) -> Option<CommitMetadata> {
        None
    }

    /// The contents as [`BlameSource::contents`] returns them.
    ///
    /// # Errors
    /// If the file does not exist or cannot be read.
    fn contents(&mut self, version: &FileVersion) -> Result<Arc<[u8]>, Failure>;

    /// The mode of a file in a commit; `None` if it does not exist or is in the work tree.
    ///
    /// # Errors
    /// If a tree is missing or damaged.
    fn mode(&mut self, _place: &FileVersion) -> Result<Option<u32>, Failure> {
        Ok(None)
    }

    /// The rule that tells which lines of a file start a function.
    fn function_rule(&mut self, _place: &FileVersion) -> FunctionRule {
        FunctionRule::default()
    }

    /// The files that a commit changed compared with `parent`, by default its first one; incomplete
    /// once `stop` returns true.
    ///
    /// # Errors
    /// If a commit or a tree is missing or damaged.
    fn changes(
        &mut self,
        _commit: &ObjectId,
        _parent: Option<ObjectId>,
        _stop: &dyn Fn() -> bool,
    ) -> Result<CommitChanges, Failure> {
        Ok(CommitChanges::default())
    }

    /// Diff options of the blame, without those that [`ToggledOptions`] set.
    fn diff_options(&self) -> diff::DiffOptions {
        diff::DiffOptions::default()
    }
}
