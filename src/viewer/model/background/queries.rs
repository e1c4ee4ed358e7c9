//! All kinds of background queries, and the threads that answer them. Queries for single facts of a
//! repository are defined here too: commits, files and names.

use std::{
    convert::Infallible,
    fmt,
    ops::{ControlFlow, Range},
    sync::Arc,
};

use bstr::BString;

use crate::{
    objects::ObjectId,
    system::{FileStamp, test_panic},
    viewer::model::{
        background::{
            deletions::DeletionQuery,
            directory::DirectoryQuery,
            directory_history::{DeletedNamesQuery, DirectoryHistoryQuery, MovedNamesQuery},
            directory_lines::{DirectoryFilesQuery, DirectoryLinesQuery, DirectoryPeopleQuery},
            file_history::FileHistoryQuery,
            line_change::{FunctionsQuery, LineChangeQuery, VersionChangeQuery},
            line_history::LineHistoryQuery,
            line_outcome::LineOutcomeQuery,
            named_places::NamedPlacesQuery,
            old_lines::OldLinesQuery,
            origins::OriginQuery,
            parent_files::ParentFilesQuery,
            provenance::ProvenanceQuery,
            query::{Answer, AnswerTaker, Answers, Query, Stop},
            query_kinds::queries,
        },
        file_version::{Failure, FileVersion},
        texts::{
            encodings::ConversionQuery,
            text::{SharedText, Text},
        },
    },
};

queries! {
    Repository(repository) {
        state {
            /// The context of a commit.
            CommitContext(CommitContextQuery),
            /// The state of a file and HEAD.
            Stamp(StampQuery),
            /// The version that a typed name stands for.
            Place(PlaceQuery),
            /// The lines of a file that are not in the index.
            Unstaged(UnstagedQuery),
        }
        pages {
            /// The files of a version.
            FileList(FileListQuery),
            /// The beginning of a file.
            Beginning(BeginningQuery),
            /// The completions of a typed name.
            Completions(CompletionQuery),
            /// The place that a name typed above a directory stands for.
            DirectoryPlace(DirectoryPlaceQuery),
        }
    }
    LineHistory(line_history) {
        pages {
            /// The commits that changed lines.
            LineHistory(LineHistoryQuery),
        }
    }
    FileHistory(file_history) {
        state {
            /// The versions of a file.
            FileHistory(FileHistoryQuery),
            /// The outcome of a line.
            LineOutcome(LineOutcomeQuery),
            /// The file in the parents of a merge.
            ParentFiles(ParentFilesQuery),
        }
        pages {
            /// The entries of a directory.
            Directory(DirectoryQuery),
        }
    }
    DirectoryLines(directory_lines) {
        pages {
            /// The lines of the entries of a directory.
            DirectoryLines(DirectoryLinesQuery),
            /// The people who wrote the lines of a directory.
            DirectoryPeople(DirectoryPeopleQuery),
            /// All files below a directory.
            DirectoryFiles(DirectoryFilesQuery),
        }
    }
    Deletions(deletions) {
        state {
            /// The lines that commits deleted.
            Deletions(DeletionQuery),
        }
        pages {
            /// The commits that changed a directory.
            DirectoryHistory(DirectoryHistoryQuery),
            /// The names that a directory had.
            DeletedNames(DeletedNamesQuery),
        }
    }
    Origins(origins) {
        state {
            /// Where lines were written.
            Origins(OriginQuery),
        }
    }
    OldLines(old_lines) {
        state {
            /// Who wrote the lines of the old side of a diff.
            OldLines(OldLinesQuery),
        }
    }
    Provenance(provenance) {
        state {
            /// The releases, merges and requests of commits.
            Provenance(ProvenanceQuery),
        }
    }
    Changes(changes) {
        state {
            /// What a commit made of a line.
            LineChange(LineChangeQuery),
            /// The functions of a file.
            Functions(FunctionsQuery),
        }
        pages {
            /// The change from a version of a file to the next.
            VersionChange(VersionChangeQuery),
            /// Where a commit moved files.
            MovedNames(MovedNamesQuery),
        }
    }
    NamedPlaces(place_lister) {
        pages {
            /// The places that the input names.
            NamedPlaces(NamedPlacesQuery),
        }
    }
    Conversion(converter) {
        state {
            /// A file in another encoding.
            Conversion(ConversionQuery),
        }
    }
}

/// Something that comes back for a query: it goes to the page that asked, or to the state.
#[derive(Debug, Clone)]
pub enum QueryEvent {
    /// For the page that awaits it.
    Page(PageAnswer),
    /// For the state.
    State(StateAnswer),
}

/// A reader of the repository for each thread, in the order of [`QueryKind::thread`].
pub struct QueryReaders(pub Vec<Box<dyn QueryReader>>);

/// Answers the queries of one thread.
pub trait QueryReader: Send {
    /// Answers a query and sends what is found, until `stop` returns true.
    fn answer(
        &mut self,
        request: &QueryRequest,
        send: &mut dyn FnMut(QueryEvent) -> ControlFlow<()>,
        stop: Stop<'_>,
    );
}

/// Answers a query with a reader, and sends what is found, until `stop` returns true.
pub fn answer<Q: Query>(
    reader: &mut impl Answers<Q>,
    query: &Q,
    send: &mut dyn FnMut(QueryEvent) -> ControlFlow<()>,
    stop: Stop<'_>,
) where
    QueryEvent: From<Answer<Q>>,
{
    let mut found = |item| {
        if stop() {
            ControlFlow::Break(())
        } else {
            send(Answer::<Q>::Found(item).into())
        }
    };
    let found = &mut found;
    let end = reader.run(query, AnswerTaker { found, stop });
    if !stop() {
        // A break means that the event loop has ended.
        let _ = send(Answer::<Q>::Ended(end).into());
    }
}

/// A query for what surrounds a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitContextQuery(pub ObjectId);

impl Query for CommitContextQuery {
    type Item = Infallible;
    type End = CommitContext;
}

/// The context of a commit in history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitContext {
    /// Branches and tags that point at the commit.
    pub refs: Vec<BString>,
    /// The commits that its message mentions: the abbreviated id as written, and the full one.
    pub mentioned_commits: Vec<(BString, ObjectId)>,
}

/// A query for the current stamp of a work tree file and HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StampQuery {
    /// The file's path, from the root of the work tree.
    pub path: Arc<BString>,
}

impl Query for StampQuery {
    type Item = Infallible;
    type End = Stamp;
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
    /// The differences of a later stamp.
    pub fn difference(&self, later: &Stamp) -> Option<StampChange> {
        match (&self.file, &later.file) {
            (Some(_), None) => Some(StampChange::FileGone),
            (before, now) if before != now => Some(StampChange::FileChanged),
            _ if self.head != later.head => Some(StampChange::HeadMoved),
            _ => None,
        }
    }
}

/// What is known of changes since something was read.
#[derive(Debug, Clone, Default)]
pub struct Freshness {
    /// The stamp soon after it was read, once known.
    pub stamp: Option<Stamp>,
    /// The change since.
    pub change: Option<StampChange>,
}

impl Freshness {
    /// Takes a later stamp. True if it says that nothing has changed.
    pub fn take(&mut self, stamp: &Stamp) -> bool {
        // Before the first stamp has come, nobody knows what was read.
        let is_known = self.stamp.is_some();
        let before = self.stamp.get_or_insert_with(|| stamp.clone());
        self.change = before.difference(stamp);
        is_known && self.change.is_none()
    }
}

/// The differences between two stamps.
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

/// A query for the paths of all files of a version, in batches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileListQuery {
    /// A file of the version.
    pub version: FileVersion,
}

/// Files that a sparse checkout leaves out of the work tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeftOutFiles {
    /// The commit that has them, unless there are none.
    pub commit: Option<ObjectId>,
    /// Their paths from the root.
    pub names: Vec<BString>,
}

impl Query for FileListQuery {
    type Item = Vec<BString>;
    type End = LeftOutFiles;
}

/// The typed place: a revision, a file, or `REVISION:FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceQuery {
    /// The input.
    pub input: BString,
    /// The visible version.
    pub version: FileVersion,
    /// The names that the visible file has had, its current one first.
    pub names: Vec<Arc<BString>>,
}

impl Query for PlaceQuery {
    type Item = Infallible;
    type End = NamedVersion;
}

/// The version that an input stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedVersion {
    /// The version.
    pub version: FileVersion,
    /// True if it is of the file that is visible.
    pub is_same_file: bool,
    /// What has to be said about it.
    pub note: Option<String>,
    /// True if the version is an earlier one, in which the file is not there yet.
    pub is_too_early: bool,
    /// True if the name may be one of another version: a reflog does not go back so far.
    pub is_uncertain: bool,
    /// The line (0-based), if the input names one.
    pub line: Option<u32>,
}

/// The place typed above a directory: a revision, a path, or `REVISION:PATH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryPlaceQuery {
    /// The input.
    pub input: BString,
    /// The visible directory.
    pub version: FileVersion,
}

impl Query for DirectoryPlaceQuery {
    type Item = Infallible;
    type End = DirectoryPlace;
}

/// The place that an input above a directory stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryPlace {
    /// The directory or the file.
    pub version: FileVersion,
    /// True for a directory.
    pub is_directory: bool,
    /// The name of the revision, if the input has one.
    pub revision: Option<BString>,
    /// What has to be said about it.
    pub note: Option<String>,
    /// The line (0-based) of the file, if the input names one.
    pub line: Option<u32>,
}

/// A query for the beginning of a file, without conversions, for a preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BeginningQuery {
    /// The file.
    pub version: FileVersion,
}

impl Query for BeginningQuery {
    type Item = Infallible;
    type End = Arc<Text>;
}

/// A query for the lines (0-based) of a work tree file that are not in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnstagedQuery {
    /// The file's path, from the root of the work tree.
    pub path: Arc<BString>,
    /// Its text.
    pub text: SharedText,
}

impl Query for UnstagedQuery {
    type Item = Infallible;
    type End = Vec<Range<u32>>;
}

/// A query for what a typed name may be completed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionQuery {
    /// The visible version.
    pub version: FileVersion,
    /// The input.
    pub input: BString,
}

impl Query for CompletionQuery {
    type Item = Infallible;
    type End = Vec<BString>;
}
