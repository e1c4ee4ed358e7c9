//! The messages that change the state, the effects that it asks for, and the requests to the
//! background tasks with their answers.

use std::{ops::Range, path::PathBuf, sync::Arc};

use bstr::BString;

pub use crate::viewer::model::blame_results::{AttributedLines, AttributedOrigin, BlameBatch};
use crate::{
    objects::ObjectId,
    repository::FetchEvent,
    viewer::{
        config::setting_change::SettingChange,
        model::{
            background::queries::{QueryEvent, QueryKind, QueryRequest},
            diff::{Comparison, VersionPair},
            external_commands::{ExternalCommand, IgnoreEntry},
            keys::{bindings::Action, key::Key},
            source::{BlameReport, CommitChanges, CommitMetadata, Failure, FileVersion},
            texts::{
                encodings::Encoding,
                line_map::{ChangedPlaces, MappedLine},
                syntax::Spans,
                text::Text,
            },
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
    /// Something that came back for a query, with the query's number.
    Query(u64, QueryEvent),
    /// Lines were highlighted.
    Highlight(HighlightedLines),
    /// Go on with searches and the work of pages ([`Effect::ContinueWork`]).
    ContinueWork,
    /// A text for the status line.
    ShowStatus(String),
    /// Objects are fetched from a remote.
    Fetch(FetchEvent),
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
    /// The result of [`Effect::AppendIgnoredRevision`]: whether the file did not have the commit,
    /// or an error message.
    IgnoredRevisionSaved(IgnoreEntry, Result<bool, String>),
    /// The result of [`Effect::SaveSettings`], with a text either way.
    SettingsSaved(Vec<SettingChange>, Result<String, String>),
}

/// A mouse event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    /// Column and row of the screen.
    pub at: (u16, u16),
    /// The event.
    pub gesture: Gesture,
}

/// The effect of a click on a part of the screen.
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
    /// The right button went down: what is there is copied.
    Copy,
    /// The wheel turned: lines, down is positive.
    Wheel(i32),
    /// The wheel turned sideways, or with Shift: steps, right is positive.
    SideWheel(i32),
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
    /// Start a query with this number, which cancels the one of its kind that runs.
    Query(u64, QueryRequest),
    /// Cancel the query of this kind.
    Cancel(QueryKind),
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
    /// Send [`Message::ContinueWork`] after all waiting messages.
    ContinueWork,
    /// Redraw every cell.
    Redraw,
    /// Suspend the process (job control).
    Suspend,
    /// Quit.
    Quit,
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
    /// The event.
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
        /// The differences to the version of the job's line.
        changes: ChangedPlaces,
        /// The declared encoding of the file.
        encoding: Option<Encoding>,
        /// The width of tabs that the project sets for it, if it has any.
        tab_width: Option<u8>,
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

/// A request for a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffJob {
    /// Counts up; the answers carry it back.
    pub id: u64,
    /// The versions to compare.
    pub target: DiffTarget,
    /// Ignore whitespace.
    pub whitespace: bool,
}

/// The versions that a diff job compares.
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
        /// The parent that it is compared with, by default its first one.
        parent: Option<ObjectId>,
    },
    /// The change to another file of the commit.
    File(VersionPair),
    /// The change of a commit to all files.
    All {
        /// The commit.
        commit: ObjectId,
        /// The parent that it is compared with; its first one if that is not known yet.
        parent: Option<ObjectId>,
        /// The directory below which files are shown; without one, all are.
        below: Option<Arc<BString>>,
    },
}

/// An event of a diff.
#[derive(Debug, Clone)]
pub struct DiffEvent {
    /// The job's number.
    pub id: u64,
    /// The event.
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
    /// True if the job is complete.
    pub last: bool,
}
