//! What happens to the application, and what it wants done.

use std::{ops::Range, path::PathBuf, sync::Arc};

use bstr::BString;

use crate::{
    objects::ObjectId,
    viewer::{
        config::setting_change::SettingChange,
        model::{
            encodings::Encoding,
            external_commands::{ExternalCommand, IgnoreEntry},
            keymap::Key,
            source::{
                BlameReport, CommitChanges, CommitContext, CommitInfo, Failure, FileChange,
                FileVersion, Stamp,
            },
            switches::Switches,
            text::Text,
        },
    },
};

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Message {
    /// A key was pressed.
    Key(Key),
    /// The mouse was used.
    Mouse(Mouse),
    /// Text was pasted.
    Paste(String),
    /// The terminal has this size now, in columns and rows.
    Resize(u16, u16),
    /// The worker has something.
    Blame(BlameEvent),
    /// The comparer has something.
    Compared(Compared),
    /// The highlighter has something.
    Colours(Colours),
    /// The inquirer has something.
    Answer(Answer),
    /// Go on with what was put off ([`Effect::Continue`]).
    Continue,
    /// What became of an effect, in words.
    Trouble(String),
    /// A view's text in another encoding.
    Converted {
        /// The view's number.
        view: u64,
        /// The encoding.
        encoding: Encoding,
        /// The text.
        text: Arc<Text>,
    },
    /// It is time to look whether something changed.
    Look,
    /// Another program had the terminal; what there is to say.
    Returned(String),
    /// The themes that there are.
    Themes {
        /// Their names.
        names: Vec<String>,
        /// Which of them is on the screen.
        current: usize,
    },
    /// A theme cannot be shown, and why.
    Unfit(String),
    /// What became of [`Effect::Keep`]: words either way.
    Kept(Vec<SettingChange>, Result<String, String>),
}

/// What happened with the mouse, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    /// Column and row of the screen.
    pub at: (u16, u16),
    /// What happened.
    pub gesture: Gesture,
}

/// What happened with the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gesture {
    /// The left button went down.
    Press,
    /// The mouse moved while it was down.
    Drag,
    /// It went up.
    Release,
    /// The wheel turned: lines, down is positive.
    Wheel(i32),
}

/// Something to be done outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Blame a place in the background. What was running is superseded.
    Blame(Job),
    /// Cancel the blame that runs.
    CancelBlame,
    /// Find out what a commit did.
    Compare(CompareJob),
    /// Colour these texts, the given lines first, and no others any more.
    Colour(Vec<ColourJob>),
    /// Put text on the clipboard.
    Copy(String),
    /// Show a page in the browser.
    Browse(String),
    /// Hand the terminal over for this.
    External(ExternalCommand),
    /// Save a commit to a list of commits to look through.
    Save(IgnoreEntry),
    /// Convert a view's text, elsewhere.
    Convert {
        /// The view's number.
        view: u64,
        /// What its file is in.
        encoding: Encoding,
        /// Its file.
        file: File,
    },
    /// List the themes.
    Themes,
    /// Show everything in the theme of this name.
    Theme(String),
    /// Change settings in the configuration file.
    Keep {
        /// The file.
        file: PathBuf,
        /// What is to change.
        changes: Vec<SettingChange>,
    },
    /// Ask the repository; an unanswered question of the same kind is given up.
    Ask(Question),
    /// Hand [`Message::Continue`] back after what else is waiting.
    Continue,
    /// Draw everything again.
    Redraw,
    /// Stop the process until it is continued.
    Suspend,
    /// End.
    Quit,
}

/// A file, of which there is one copy.
#[derive(Debug, Clone)]
pub struct File(pub Arc<Text>);

impl PartialEq for File {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for File {}

/// What the repository is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// What surrounds a commit.
    CommitContext(ObjectId),
    /// Whether a file and HEAD are what they were.
    Stamp {
        /// The view that it is asked for.
        view: u64,
        /// The file's path, from the root of the work tree.
        path: Arc<BString>,
    },
    /// Which files there are.
    Files {
        /// Counts up; answers carry it back.
        number: u64,
        /// In the version that this is in.
        version: FileVersion,
    },
}

/// What the repository says.
#[derive(Debug, Clone)]
pub enum Answer {
    /// What surrounds a commit.
    CommitContext(ObjectId, Result<CommitContext, Failure>),
    /// What tells whether the file of a view, and HEAD, are what they were.
    Stamp(u64, Stamp),
    /// Further files, with the question's number.
    Files(u64, Vec<BString>),
    /// There are no further ones.
    Listed(u64, Result<(), Failure>),
}

/// A blame to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Counts up; events carry it back.
    pub generation: u64,
    /// What to blame.
    pub version: FileVersion,
    /// How.
    pub switches: Arc<Switches>,
    /// A line elsewhere whose counterpart in this place is wanted.
    pub from: Option<LineRef>,
}

/// A line of a file in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineRef {
    /// The file.
    pub version: FileVersion,
    /// The line (0-based).
    pub line: u32,
}

/// Where a line went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MappedLine {
    /// The line (0-based).
    pub line: u32,
    /// How sure that is.
    pub quality: MapQuality,
}

/// How sure a landing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapQuality {
    /// The line is outside of what changed.
    Exact,
    /// The most similar line of a rewritten part, and how similar it is, in percent.
    Similar(u8),
    /// The line was added here: nothing stood in its place.
    Added,
}

/// News of a blame.
#[derive(Debug, Clone)]
pub struct BlameEvent {
    /// The job's number.
    pub generation: u64,
    /// The news.
    pub kind: BlameKind,
}

/// The kinds of news, in the order in which they come.
#[derive(Debug, Clone)]
pub enum BlameKind {
    /// The text is there.
    Started {
        /// The text.
        text: Arc<Text>,
        /// The counterpart of the job's line.
        mapped_line: Option<MappedLine>,
        /// The encoding that the file is said to be in.
        encoding: Option<Encoding>,
    },
    /// Lines were attributed.
    Chunk(Chunk),
    /// Every line that is still open is about this old or older (seconds since the epoch).
    Progress(i64),
    /// All lines are attributed.
    Finished(BlameReport),
    /// It went wrong; what was attributed before stands.
    Failed(Failure),
}

/// Attributed lines. All entries of an origin are in one chunk, unless some of them were found first
/// because they were on the screen.
#[derive(Debug, Clone, Default)]
pub struct Chunk {
    /// Commits that were not in an earlier chunk.
    pub commits: Vec<(ObjectId, Result<CommitInfo, Failure>)>,
    /// Origins with their lines.
    pub origins: Vec<Guilty>,
}

/// An origin and the lines it is guilty of.
#[derive(Debug, Clone)]
pub struct Guilty {
    /// The commit.
    pub commit: ObjectId,
    /// The file's path in it.
    pub path: Arc<BString>,
    /// The parent's commit and path that a blame before this commit looks at.
    pub previous: Option<(ObjectId, Arc<BString>)>,
    /// The blame does not look beyond this commit.
    pub boundary: bool,
    /// The lines.
    pub entries: Vec<GuiltyLines>,
}

/// Lines of the final image and where they were in the origin's file (0-based, half-open).
#[derive(Debug, Clone)]
pub struct GuiltyLines {
    /// Lines of the final image.
    pub lines: Range<u32>,
    /// The first of them in the origin's file.
    pub source_start: u32,
    /// An ignored commit was passed by guessing.
    pub ignored: bool,
    /// An ignored commit could not be passed.
    pub unblamable: bool,
}

/// Something that a commit did, to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompareJob {
    /// Counts up; the answers carry it back.
    pub number: u64,
    /// What.
    pub subject: Subject,
    /// White space does not count.
    pub whitespace: bool,
}

/// What is to be shown of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// What it did to the file of one of its lines.
    Line {
        /// The commit, if it exists.
        commit: Option<ObjectId>,
        /// The file.
        sides: Sides,
        /// The line (0-based) of the new version, which is shown in any case.
        line: u32,
    },
    /// What it did to any file.
    Commit {
        /// The commit.
        commit: ObjectId,
        /// This one if it is among those that it changed.
        path: Arc<BString>,
    },
    /// What it did to another of its files.
    File(Sides),
}

/// The two versions of a file that are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sides {
    /// Commit and path of the old version; none where the file is new.
    pub old: Option<(ObjectId, Arc<BString>)>,
    /// The new version; none where the file is gone.
    pub new: Option<FileVersion>,
}

impl Sides {
    /// The versions of a file that a commit changed, compared with its parent.
    pub(crate) fn of(file: &FileChange, commit: &ObjectId, parent: Option<ObjectId>) -> Self {
        let old = file.old.as_ref().zip(parent);
        Sides {
            old: old.map(|((path, _), parent)| (parent, path.clone())),
            new: file.new.as_ref().map(|(path, _)| FileVersion::Commit {
                commit: *commit,
                path: path.clone(),
            }),
        }
    }
}

/// Something about what a commit did.
#[derive(Debug, Clone)]
pub struct Compared {
    /// The job's number.
    pub number: u64,
    /// What.
    pub news: ChangeNews,
}

/// What there is about what a commit did, in the order in which it comes.
#[derive(Debug, Clone)]
pub enum ChangeNews {
    /// The commit's words, where they were not known.
    Words(Result<CommitInfo, Failure>),
    /// The two versions that are compared, where that was not known.
    Sides(Sides),
    /// A file's diff, or why there is none.
    Diff(Result<Comparison, Failure>),
    /// The files of the commit.
    Files(Result<CommitChanges, Failure>),
}

/// Two versions of a file, and what differs.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The old version.
    pub old: Arc<Text>,
    /// The new version.
    pub new: Arc<Text>,
    /// The diff.
    pub rows: Vec<DiffRow>,
    /// For each row the one of the other side that may be the same line, rewritten.
    pub mates: Vec<Option<u32>>,
    /// The modes of both, where they are known.
    pub modes: (Option<u32>, Option<u32>),
    /// How alike they are, in percent, where their paths differ.
    pub alike: Option<u8>,
    /// The old one is still there beside the new one.
    pub copied: bool,
}

/// A row of a diff, by the numbers of its lines (0-based).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffRow {
    /// Lines were left out; those that follow begin here.
    Hunk {
        /// The next line of the old version.
        old: u32,
        /// The next line of the new version.
        new: u32,
    },
    /// A line of both versions.
    Context {
        /// Its number in the old one.
        old: u32,
        /// Its number in the new one.
        new: u32,
    },
    /// A line of the old version.
    Removed(u32),
    /// A line of the new version.
    Added(u32),
}

impl DiffRow {
    /// The line of the old version that the row shows or, between parts, that comes next.
    pub fn old_line(self) -> Option<u32> {
        match self {
            DiffRow::Hunk { old, .. } | DiffRow::Context { old, .. } | DiffRow::Removed(old) => {
                Some(old)
            }
            DiffRow::Added(_) => None,
        }
    }

    /// The line of the new version that the row shows or, between parts, that comes next.
    pub fn new_line(self) -> Option<u32> {
        match self {
            DiffRow::Hunk { new, .. } | DiffRow::Context { new, .. } | DiffRow::Added(new) => {
                Some(new)
            }
            DiffRow::Removed(_) => None,
        }
    }
}

/// Lines to be coloured.
#[derive(Debug, Clone)]
pub struct ColourJob {
    /// The number of the view, or of a side of a diff.
    pub view: u64,
    /// The text.
    pub text: Arc<Text>,
    /// The file's path, which decides the language.
    pub path: Arc<BString>,
    /// The lines on the screen (0-based, half-open), from top to bottom.
    pub wanted: Vec<Range<u32>>,
}

impl PartialEq for ColourJob {
    fn eq(&self, other: &Self) -> bool {
        (self.view, &self.wanted) == (other.view, &other.wanted)
    }
}

impl Eq for ColourJob {}

/// Coloured lines.
#[derive(Debug, Clone)]
pub struct Colours {
    /// The number of the view, or of a side of a diff.
    pub view: u64,
    /// The first of the lines (0-based).
    pub start: u32,
    /// The spans of each line.
    pub lines: Vec<Spans>,
    /// Why the file stays plain, if it does.
    pub plain: Option<String>,
    /// Nothing further will come unless other lines are asked for.
    pub last: bool,
}

/// Where each class begins in a line: byte offsets, ascending.
pub type Spans = Arc<[(u32, SyntaxClass)]>;

/// What a piece of code is, as far as its colour goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyntaxClass {
    Plain,
    Comment,
    String,
    Number,
    Keyword,
    Type,
    Function,
    Constant,
    Meta,
    Heading,
}

impl SyntaxClass {
    /// Every class.
    pub const ALL: [SyntaxClass; 10] = [
        SyntaxClass::Plain,
        SyntaxClass::Comment,
        SyntaxClass::String,
        SyntaxClass::Number,
        SyntaxClass::Keyword,
        SyntaxClass::Type,
        SyntaxClass::Function,
        SyntaxClass::Constant,
        SyntaxClass::Meta,
        SyntaxClass::Heading,
    ];
}
