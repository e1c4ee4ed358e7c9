//! The messages that change the state, the effects that it asks for, and the requests to the
//! background tasks with their answers.

use std::{ops::Range, path::PathBuf, sync::Arc};

use bstr::BString;

use crate::{
    objects::ObjectId,
    repository::FetchEvent,
    viewer::{
        config::setting_change::SettingChange,
        model::{
            bindings::Action,
            deletions::{DeletionQuery, FoundDeletions},
            diff::{Comparison, VersionPair},
            encodings::Encoding,
            external_commands::{ExternalCommand, IgnoreEntry},
            file_history::{FileHistoryQuery, FoundRevisions},
            key::Key,
            line_history::{FoundHistory, LineHistoryQuery},
            line_map::{ChangedPlaces, MappedLine},
            line_outcome::{LineOutcome, LineOutcomeQuery},
            origins::{LineMovements, OriginQuery},
            provenance::{FoundProvenance, ProvenanceQuery},
            source::{
                BlameReport, CommitChanges, CommitContext, CommitMetadata, Failure, FileVersion,
                NamedVersion, PlaceQuery, Stamp,
            },
            syntax::Spans,
            text::Text,
            toggled_options::ToggledOptions,
        },
    },
};

/// A message to the state.
#[derive(Debug, Clone)]
pub enum Message {
    /// A key was pressed.
    Key(Key),
    /// The mouse was used.
    Mouse(Mouse),
    /// A part of the screen that does something was clicked.
    Click(ClickTarget),
    /// Text was pasted.
    Paste(String),
    /// The terminal was resized to these columns and rows.
    Resize(u16, u16),
    /// An event of a blame.
    Blame(BlameEvent),
    /// The answer to [`Effect::Peel`], with the job's number: all lines of the job.
    Peeled(u64, Result<BlameBatch, Failure>),
    /// An event of a diff.
    Diff(DiffEvent),
    /// An event of a history of lines.
    LineHistory(LineHistoryEvent),
    /// An event of a history of a file.
    FileHistory(FileHistoryEvent),
    /// An event of a search for deleted lines.
    Deletions(DeletionEvent),
    /// An event of a search for where lines were written.
    Origins(OriginEvent),
    /// What became of a line, with the question's number.
    LineOutcome(u64, Result<LineOutcome, Failure>),
    /// Lines were highlighted.
    Highlight(HighlightedLines),
    /// An answer to [`Effect::Provenance`], with the number of its reading.
    Provenance(u64, FoundProvenance),
    /// An answer to [`Effect::Query`].
    QueryAnswer(QueryAnswer),
    /// Go on with searches ([`Effect::ContinueSearch`]).
    ContinueSearch,
    /// A text for the status line.
    ShowStatus(String),
    /// Objects are fetched from a remote.
    Fetch(FetchEvent),
    /// A view's text was converted to another encoding.
    Converted {
        /// The view's number.
        view: u64,
        /// The encoding.
        encoding: Encoding,
        /// The text.
        text: Arc<Text>,
    },
    /// It is time to check whether the file has changed.
    Poll,
    /// The time, in seconds since the epoch.
    Now(i64),
    /// An external command has ended; a text for the status line.
    ExternalCommandEnded(String),
    /// The available themes.
    Themes {
        /// Their names.
        names: Vec<String>,
        /// The index of the current one.
        current: usize,
    },
    /// A theme cannot be loaded; the reason.
    ThemeFailed(String),
    /// The result of [`Effect::AppendIgnoredRevision`]: whether the file did not have the commit, or an
    /// error message.
    IgnoredRevisionSaved(IgnoreEntry, Result<bool, String>),
    /// The result of [`Effect::SaveSettings`], with a text either way.
    SettingsSaved(Vec<SettingChange>, Result<String, String>),
}

/// A mouse event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    /// Column and row of the screen.
    pub at: (u16, u16),
    /// What happened.
    pub gesture: Gesture,
}

/// What a part of the screen does when it is clicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClickTarget {
    /// Perform the action whose key is shown.
    Action(Action),
    /// Go to a step of the history, by its index.
    Step(usize),
    /// Start a span of dates at a column of the histogram, which is at column `x` of the screen.
    Date { column: u16, x: u16 },
}

/// A mouse gesture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gesture {
    /// The left button went down.
    Press,
    /// That press was the second one at the same place within a short time.
    DoublePress,
    /// The mouse moved while it was down.
    Drag,
    /// It went up.
    Release,
    /// The wheel turned: lines, down is positive.
    Wheel(i32),
}

/// A request to the event loop or a background task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Start a blame, which cancels the one that runs.
    Blame(BlameJob),
    /// Cancel the blame that runs.
    CancelBlame,
    /// Blame lines past commits, which cancels an older request of this kind.
    Peel(PeelJob),
    /// Start a diff, which cancels the one that runs.
    Diff(DiffJob),
    /// Find the history of lines, which cancels the search that runs.
    LineHistory(LineHistoryQuery),
    /// Cancel the search for the history of lines.
    CancelLineHistory,
    /// Find the history of a file, which cancels the search that runs.
    FileHistory(FileHistoryQuery),
    /// Cancel the search for the history of a file.
    CancelFileHistory,
    /// Find the lines that commits deleted, which cancels the search that runs.
    Deletions(DeletionQuery),
    /// Cancel the search for deleted lines.
    CancelDeletions,
    /// Find where lines were written, which cancels the search that runs.
    Origins(OriginQuery),
    /// Cancel the search for where lines were written.
    CancelOrigins,
    /// Find what brought commits.
    Provenance(ProvenanceQuery),
    /// Find what became of a line, which cancels the search that runs.
    LineOutcome(LineOutcomeQuery),
    /// Cancel the search for what became of a line.
    CancelLineOutcome,
    /// Highlight these texts, the given lines first, and stop highlighting others.
    Highlight(Vec<HighlightJob>),
    /// Put text on the clipboard.
    Copy(String),
    /// Open a page in the browser.
    Browse(String),
    /// Run a command in the terminal.
    External(ExternalCommand),
    /// Add a commit to a file of ignored revisions.
    AppendIgnoredRevision(IgnoreEntry),
    /// Remove a commit from a file of ignored revisions.
    RemoveIgnoredRevision(IgnoreEntry),
    /// Convert a view's text in the background.
    Convert {
        /// The view's number.
        view: u64,
        /// The encoding of its file.
        encoding: Encoding,
        /// The file.
        file: SharedText,
    },
    /// List the themes.
    Themes,
    /// Switch to the theme of this name.
    Theme(String),
    /// Change settings in the configuration file.
    SaveSettings {
        /// The file.
        file: PathBuf,
        /// The changes.
        changes: Vec<SettingChange>,
    },
    /// Query the repository, which cancels the query of the same kind.
    Query(RepositoryQuery),
    /// Send [`Message::ContinueSearch`] after all waiting messages.
    ContinueSearch,
    /// Redraw every cell.
    Redraw,
    /// Suspend the process (job control).
    Suspend,
    /// Quit.
    Quit,
}

/// A shared text, equal only to itself.
#[derive(Debug, Clone)]
pub struct SharedText(pub Arc<Text>);

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SharedText {}

/// A query to the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RepositoryQuery {
    /// What surrounds a commit.
    CommitContext(ObjectId),
    /// The current stamp of a file and HEAD.
    Stamp {
        /// Increasing number, repeated in the answer.
        id: u64,
        /// The file's path, from the root of the work tree.
        path: Arc<BString>,
    },
    /// The files of a version.
    Files {
        /// Increasing number, repeated in the answers.
        id: u64,
        /// A file of the version.
        version: FileVersion,
    },
    /// The version that a typed name stands for.
    NamedVersion {
        /// Increasing number, repeated in the answer.
        id: u64,
        /// The query.
        query: PlaceQuery,
    },
    /// The beginning of a file, for a preview.
    Beginning {
        /// Increasing number, repeated in the answer.
        id: u64,
        /// The file.
        version: FileVersion,
    },
    /// The lines of a file that are not in the index.
    Unstaged {
        /// The view that asks.
        view: u64,
        /// The file's path, from the root of the work tree.
        path: Arc<BString>,
        /// Its text.
        text: SharedText,
    },
    /// What a typed name may be completed to.
    Completions {
        /// Increasing number, repeated in the answer.
        id: u64,
        /// The visible version.
        version: FileVersion,
        /// The input.
        input: BString,
    },
}

/// An answer to a query.
#[derive(Debug, Clone)]
pub enum QueryAnswer {
    /// What surrounds a commit.
    CommitContext(ObjectId, Result<CommitContext, Failure>),
    /// The stamp, with the question's number.
    Stamp(u64, Stamp),
    /// A batch of paths, with the question's number.
    Files(u64, Vec<BString>),
    /// The end of a list of files.
    Listed(u64, Result<(), Failure>),
    /// The version that a typed name stands for, with the question's number.
    NamedVersion(u64, Result<NamedVersion, Failure>),
    /// The beginning of a file, with the question's number.
    Beginning(u64, Result<Arc<Text>, Failure>),
    /// The lines (0-based) of a view that are not staged, if that is known.
    Unstaged(u64, Option<Vec<Range<u32>>>),
    /// The input and its completions, with the question's number.
    Completions(u64, (BString, Vec<BString>)),
}

/// A request for a blame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlameJob {
    /// Increasing number, repeated in the events.
    pub id: u64,
    /// The version to blame.
    pub version: FileVersion,
    /// The blame options.
    pub options: Arc<ToggledOptions>,
    /// A line of another version, to be mapped to this one.
    pub from: Option<LineRef>,
    /// The complete blame is known: only the text is read and the line mapped.
    pub is_known: bool,
}

/// A request for a blame of lines past commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeelJob {
    /// Unique number, repeated in the answer.
    pub id: u64,
    /// The version that is blamed.
    pub version: FileVersion,
    /// Runs of lines (0-based), with the blame options that each is blamed with.
    pub parts: Vec<(Range<u32>, ToggledOptions)>,
}

/// A line of a version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineRef {
    /// The file.
    pub version: FileVersion,
    /// The line (0-based).
    pub line: u32,
}

/// An event of a blame.
#[derive(Debug, Clone)]
pub struct BlameEvent {
    /// The job's number.
    pub id: u64,
    /// What happened.
    pub kind: BlameEventKind,
}

/// The kinds of events, in the order in which they come.
#[derive(Debug, Clone)]
pub enum BlameEventKind {
    /// The contents were read.
    Started {
        /// The text.
        text: Arc<Text>,
        /// The counterpart of the job's line.
        mapped_line: Option<MappedLine>,
        /// What differs from the version of the job's line.
        changes: ChangedPlaces,
        /// The declared encoding of the file.
        encoding: Option<Encoding>,
    },
    /// Events of a kept blame, of which only the last state is drawn.
    Kept(Vec<BlameEventKind>),
    /// Lines were attributed.
    Batch(BlameBatch),
    /// All pending lines are about this old or older (seconds since the epoch).
    Progress(i64),
    /// All lines are attributed.
    Finished(BlameReport),
    /// The blame failed; lines attributed before stay valid.
    Failed(Failure),
}

/// A batch of attributed lines, with all entries of each origin.
#[derive(Debug, Clone, Default)]
pub struct BlameBatch {
    /// Commits that were not in an earlier batch, or were shortened there.
    pub commits: Vec<(ObjectId, Result<CommitMetadata, Failure>)>,
    /// Origins with their lines.
    pub origins: Vec<AttributedOrigin>,
}

/// An origin, and the lines that are attributed to it.
#[derive(Debug, Clone)]
pub struct AttributedOrigin {
    /// The commit.
    pub commit: ObjectId,
    /// The file's path in it.
    pub path: Arc<BString>,
    /// Commit and path of the parent, for a blame before this commit.
    pub previous: Option<(ObjectId, Arc<BString>)>,
    /// Whether this is a boundary commit.
    pub boundary: bool,
    /// The lines.
    pub entries: Vec<AttributedLines>,
}

/// A run of lines of the final image, and its position in the origin (0-based).
#[derive(Debug, Clone)]
pub struct AttributedLines {
    /// Lines of the final image.
    pub lines: Range<u32>,
    /// The first of them in the origin's version.
    pub source_start: u32,
    /// Attributed through an ignored commit by similarity.
    pub ignored: bool,
    /// Attributed to an ignored commit, since no counterpart was found.
    pub unblamable: bool,
}

/// A request for a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffJob {
    /// Counts up; the answers carry it back.
    pub id: u64,
    /// What.
    pub target: DiffTarget,
    /// Ignore whitespace.
    pub whitespace: bool,
}

/// What a diff job compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffTarget {
    /// The change of a commit to the file of one of its lines.
    Line {
        /// The commit, if it exists.
        commit: Option<ObjectId>,
        /// The file.
        versions: VersionPair,
        /// The line (0-based) of the new version, which is always included.
        line: u32,
    },
    /// The change of a commit to one of its files.
    Commit {
        /// The commit.
        commit: ObjectId,
        /// The preferred file, if the commit changed it.
        path: Arc<BString>,
    },
    /// The change to another file of the commit.
    File(VersionPair),
    /// The change of a commit to all files.
    All {
        /// The commit.
        commit: ObjectId,
        /// The parent that it is compared with; its first one if that is not known yet.
        parent: Option<ObjectId>,
    },
}

/// An event of a diff.
#[derive(Debug, Clone)]
pub struct DiffEvent {
    /// The job's number.
    pub id: u64,
    /// What.
    pub kind: DiffEventKind,
}

/// The kinds of events of a diff, in the order in which they come.
#[derive(Debug, Clone)]
pub enum DiffEventKind {
    /// The commit metadata, if the view did not have it.
    Metadata(Result<CommitMetadata, Failure>),
    /// The compared versions, if they were not known.
    Versions(VersionPair),
    /// The diff of the file, or an error.
    Diff(Result<Comparison, Failure>),
    /// The files of the commit.
    Files(Result<CommitChanges, Failure>),
}

/// An event of a history of lines.
#[derive(Debug, Clone)]
pub struct LineHistoryEvent {
    /// The query's number.
    pub id: u64,
    /// What happened.
    pub kind: LineHistoryEventKind,
}

/// The kinds of events of a history of lines; the last one is its end.
#[derive(Debug, Clone)]
pub enum LineHistoryEventKind {
    /// A part of the history.
    Found(FoundHistory),
    /// The end: whether it is that of the history, not a limit of the range.
    Ended(Result<bool, Failure>),
}

/// An event of a history of a file.
#[derive(Debug, Clone)]
pub struct FileHistoryEvent {
    /// The query's number.
    pub id: u64,
    /// What happened.
    pub kind: FileHistoryEventKind,
}

/// The kinds of events of a history of a file; the last one is its end.
#[derive(Debug, Clone)]
pub enum FileHistoryEventKind {
    /// A part of the history.
    Found(FoundRevisions),
    /// The end: whether it is that of the history, not a limit of the range.
    Ended(Result<bool, Failure>),
}

/// An event of a search for deleted lines.
#[derive(Debug, Clone)]
pub struct DeletionEvent {
    /// The query's number.
    pub id: u64,
    /// What happened.
    pub kind: DeletionEventKind,
}

/// The kinds of events of a search for deleted lines; the last one is its end.
#[derive(Debug, Clone)]
pub enum DeletionEventKind {
    /// A part of the deletions.
    Found(FoundDeletions),
    /// The end: whether it is that of the history, not a limit of the range.
    Ended(Result<bool, Failure>),
}

/// An event of a search for where lines were written.
#[derive(Debug, Clone)]
pub struct OriginEvent {
    /// The query's number.
    pub id: u64,
    /// What happened.
    pub kind: OriginEventKind,
}

/// The kinds of events of a search for where lines were written; the last one is its end.
#[derive(Debug, Clone)]
pub enum OriginEventKind {
    /// Further lines.
    Found(BlameBatch),
    /// The end: a report, and what was done to the lines that another commit touched last.
    Ended(Result<(BlameReport, Vec<LineMovements>), Failure>),
}

/// Lines that are highlighted beyond the visible ones.
pub const LOOKAHEAD_LINES: u32 = 60;

/// A highlighting job.
#[derive(Debug, Clone)]
pub struct HighlightJob {
    /// The number of the view, or of a side of a diff.
    pub text_id: u64,
    /// The text.
    pub text: Arc<Text>,
    /// The file's path, to detect the language.
    pub path: Arc<BString>,
    /// The visible lines (0-based, half-open), from top to bottom.
    pub wanted: Vec<Range<u32>>,
    /// The number of lines to highlight beyond them.
    pub lookahead: u32,
}

impl PartialEq for HighlightJob {
    fn eq(&self, other: &Self) -> bool {
        let key = |job: &Self| (job.text_id, job.lookahead);
        key(self) == key(other) && self.wanted == other.wanted
    }
}

impl Eq for HighlightJob {}

/// Highlighted lines.
#[derive(Debug, Clone)]
pub struct HighlightedLines {
    /// The number of the view, or of a side of a diff.
    pub text_id: u64,
    /// The first of the lines (0-based).
    pub start: u32,
    /// The spans of each line.
    pub lines: Vec<Spans>,
    /// Why the file is not highlighted, if so.
    pub unhighlighted_reason: Option<String>,
    /// Whether the job is complete.
    pub last: bool,
}
