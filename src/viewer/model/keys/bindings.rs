//! Actions, their default key bindings and their help texts.

use std::{collections::HashMap, sync::LazyLock};

/// An action that can be bound to keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    Down,
    Up,
    HalfDown,
    HalfUp,
    PageDown,
    PageUp,
    ScrollDown,
    ScrollUp,
    Top,
    Bottom,
    GoToPercent,
    ScreenTop,
    ScreenMiddle,
    ScreenBottom,
    LineToTop,
    LineToMiddle,
    LineToBottom,
    Goto,
    Left,
    Right,
    LineStart,
    LineEnd,
    Wrap,
    Mark,
    GoToMark,
    NextGroup,
    PreviousGroup,
    NextOfCommit,
    PreviousOfCommit,
    Search,
    SearchBackward,
    NextMatch,
    PreviousMatch,
    SearchWord,
    SearchWordBackward,
    Filter,
    ChooseDates,
    NextFiltered,
    PreviousFiltered,
    OpenFile,
    BlameParent,
    BlameCommit,
    NextParent,
    Reload,
    Stop,
    Back,
    Forward,
    LineHistory,
    SelectLines,
    FileHistory,
    OlderVersion,
    NewerVersion,
    NextChange,
    Deletions,
    Whitespace,
    DetectMoves,
    DetectCopies,
    Ignore,
    SaveIgnored,
    IgnoreRevsFile,
    Peel,
    PutBack,
    Origins,
    Diff,
    CommitDiff,
    CopyLink,
    Browse,
    Edit,
    RunCommand,
    Details,
    NextReference,
    ToggleDetails,
    GrowDetails,
    ShrinkDetails,
    CopyId,
    Colors,
    Encoding,
    Columns,
    Theme,
    People,
    Dates,
    Tour,
    EndTour,
    Help,
    Close,
    Redraw,
    Suspend,
    Quit,
    QuitAll,
}

impl Action {
    /// The name in the configuration: the variant in kebab case.
    pub fn name(self) -> String {
        let mut name = String::new();
        for c in format!("{self:?}").chars() {
            if c.is_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(c.to_ascii_lowercase());
        }
        name
    }

    /// The action of this name.
    pub fn named(name: &str) -> Option<Action> {
        // Texts of every frame name actions.
        static ACTIONS: LazyLock<HashMap<String, Action>> = LazyLock::new(|| {
            let actions = BINDINGS.iter().map(|binding| binding.action);
            actions.map(|action| (action.name(), action)).collect()
        });
        ACTIONS.get(name).copied()
    }
}

/// A section of the help page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelpSection {
    /// Moving in the file.
    Move,
    /// Moving between groups.
    Groups,
    /// Moving in history.
    History,
    /// Blame options.
    BlameOptions,
    /// Searching.
    Find,
    /// The selected commit.
    Commit,
    /// Clipboard and external programs.
    External,
    /// The program itself.
    Program,
}

impl HelpSection {
    /// The sections in the order of the help page.
    pub const ALL: [HelpSection; 8] = [
        HelpSection::History,
        HelpSection::BlameOptions,
        HelpSection::Commit,
        HelpSection::Move,
        HelpSection::Groups,
        HelpSection::Find,
        HelpSection::External,
        HelpSection::Program,
    ];

    /// The heading, a template for
    /// [`Keymap::fill`](crate::viewer::model::keys::keymap::Keymap::fill).
    pub fn title(self) -> &'static str {
        match self {
            HelpSection::Move => "Move",
            HelpSection::Groups => "Groups",
            HelpSection::History => "History",
            HelpSection::BlameOptions => "Blame options ({back} undoes)",
            HelpSection::Find => "Find",
            HelpSection::Commit => "Commit",
            HelpSection::External => "External",
            HelpSection::Program => "tblame",
        }
    }
}

/// An action with its default keys and help text.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// The action.
    pub action: Action,
    /// Names of the default keys; the first is the one shown in hints.
    pub keys: &'static [&'static str],
    /// The help text, a template for
    /// [`Keymap::fill`](crate::viewer::model::keys::keymap::Keymap::fill).
    pub help: &'static str,
    /// Its section of the help page.
    pub section: HelpSection,
}

const fn bind(
    section: HelpSection,
    action: Action,
    keys: &'static [&'static str],
    help: &'static str,
) -> Binding {
    Binding {
        action,
        keys,
        help,
        section,
    }
}

/// The default key bindings.
pub const BINDINGS: &[Binding] = {
    use Action as A;
    use HelpSection as S;
    &[
        bind(
            S::History,
            A::BlameParent,
            &[",", "~", "-"],
            "blame before this line's commit",
        ),
        bind(
            S::History,
            A::BlameCommit,
            &["b"],
            "blame at this line's commit",
        ),
        bind(
            S::History,
            A::NextParent,
            &["P"],
            "before a merge, and in its diff: the next parent",
        ),
        bind(
            S::History,
            A::Back,
            &["<", "Backspace", "^O"],
            "back to where you were",
        ),
        bind(S::History, A::Forward, &[">"], "forward again"),
        bind(
            S::History,
            A::LineHistory,
            &["L"],
            "the history of this line, or of the selected lines",
        ),
        bind(
            S::History,
            A::SelectLines,
            &["v"],
            "select several lines, for {line-history} and {copy-id}",
        ),
        bind(
            S::History,
            A::FileHistory,
            &["F"],
            "the versions of this file",
        ),
        bind(
            S::History,
            A::OlderVersion,
            &["("],
            "time-lapse: the version of this file before this one",
        ),
        bind(
            S::History,
            A::NewerVersion,
            &[")"],
            "time-lapse: the version after this one",
        ),
        bind(
            S::History,
            A::NextChange,
            &["."],
            "what became of this line: its next change",
        ),
        bind(
            S::History,
            A::Deletions,
            &["D"],
            "mark where lines were deleted; {diff} there shows them",
        ),
        bind(
            S::History,
            A::Reload,
            &["^R", "F5"],
            "reload when the file or HEAD has changed",
        ),
        bind(S::History, A::Stop, &[], "stop the blame, or continue it"),
        bind(
            S::BlameOptions,
            A::Whitespace,
            &["w"],
            "ignore whitespace (-w), on or off",
        ),
        bind(
            S::BlameOptions,
            A::DetectMoves,
            &["M"],
            "detect lines moved in the file (-M), on or off",
        ),
        bind(
            S::BlameOptions,
            A::DetectCopies,
            &["C"],
            "detect copied lines (-C), up to 3 times",
        ),
        bind(
            S::BlameOptions,
            A::Ignore,
            &["i"],
            "ignore this line's commit",
        ),
        bind(
            S::BlameOptions,
            A::SaveIgnored,
            &["I"],
            "save what is ignored, or else this line's commit, to the ignore-revs file",
        ),
        bind(
            S::BlameOptions,
            A::IgnoreRevsFile,
            &[],
            "use .git-blame-ignore-revs, on or off",
        ),
        bind(
            S::BlameOptions,
            A::Peel,
            &["x"],
            "peel: who had this group before its commit; the other lines stay",
        ),
        bind(
            S::BlameOptions,
            A::PutBack,
            &["X"],
            "put back what was peeled last at this line",
        ),
        bind(
            S::BlameOptions,
            A::Origins,
            &["O"],
            "who wrote lines that were moved or reindented; again: let that count; again: off",
        ),
        bind(
            S::Commit,
            A::Diff,
            &["Enter"],
            "show the commit's diff at this line",
        ),
        bind(
            S::Commit,
            A::CommitDiff,
            &["a"],
            "show the diff of all files of the commit",
        ),
        bind(
            S::Commit,
            A::Details,
            &["Tab"],
            "read the commit's message; again to return",
        ),
        bind(
            S::Commit,
            A::NextReference,
            &["r"],
            "select a reference in its message, for {browse} and {diff}",
        ),
        bind(
            S::Commit,
            A::ToggleDetails,
            &[],
            "hide or show the details pane",
        ),
        bind(S::Commit, A::GrowDetails, &[], "enlarge the details pane"),
        bind(S::Commit, A::ShrinkDetails, &[], "shrink the details pane"),
        bind(
            S::External,
            A::CopyId,
            &["y"],
            "copy the commit's id, or the selected lines",
        ),
        bind(S::External, A::CopyLink, &["Y"], "copy a link to this line"),
        bind(
            S::External,
            A::Browse,
            &["o"],
            "open the commit in the browser",
        ),
        bind(S::External, A::Edit, &["e"], "edit the file at this line"),
        bind(
            S::External,
            A::RunCommand,
            &["!"],
            "run the configured command on this line",
        ),
        bind(
            S::Move,
            A::Down,
            &["j", "Down", "^N"],
            "down (a count before a motion repeats it)",
        ),
        bind(S::Move, A::Up, &["k", "Up", "^P"], "up"),
        bind(S::Move, A::ScrollDown, &["^E"], "scroll down by a line"),
        bind(S::Move, A::ScrollUp, &["^Y"], "scroll up by a line"),
        bind(S::Move, A::HalfDown, &["^D"], "half a page down"),
        bind(S::Move, A::HalfUp, &["^U"], "half a page up"),
        bind(
            S::Move,
            A::PageDown,
            &["Space", "PgDn", "^F"],
            "a page down",
        ),
        bind(S::Move, A::PageUp, &["PgUp", "^B"], "a page up"),
        bind(S::Move, A::Top, &["g", "Home"], "first line"),
        bind(
            S::Move,
            A::Bottom,
            &["G", "End"],
            "last line; with a count, that line",
        ),
        bind(
            S::Move,
            A::GoToPercent,
            &["%"],
            "with a count, that percentage of the file: 50{go-to-percent}",
        ),
        bind(
            S::Move,
            A::LineToTop,
            &["zt"],
            "scroll this line to the top of the screen",
        ),
        bind(S::Move, A::LineToMiddle, &["zz"], "scroll it to the middle"),
        bind(S::Move, A::LineToBottom, &["zb"], "scroll it to the bottom"),
        bind(
            S::Move,
            A::ScreenTop,
            &[],
            "select the line at the top of the screen",
        ),
        bind(
            S::Move,
            A::ScreenMiddle,
            &[],
            "select the line in its middle",
        ),
        bind(
            S::Move,
            A::ScreenBottom,
            &[],
            "select the line at its bottom",
        ),
        bind(
            S::Move,
            A::Goto,
            &[":"],
            "go to a line, a percentage, a revision, a date or a file: {goto}120  {goto}50%  {goto}HEAD~20  {goto}2015-06-01  {goto}REV:FILE",
        ),
        bind(S::Move, A::Left, &["h", "Left"], "scroll left"),
        bind(S::Move, A::Right, &["l", "Right"], "scroll right"),
        bind(S::Move, A::LineStart, &["0"], "scroll to the lines' start"),
        bind(S::Move, A::LineEnd, &["$"], "scroll to this line's end"),
        bind(
            S::Move,
            A::Wrap,
            &["W"],
            "wrap long lines, on or off; with a count, the width of tabs: 4{wrap}",
        ),
        bind(
            S::Move,
            A::Mark,
            &["m"],
            "mark this line with the letter that follows",
        ),
        bind(
            S::Move,
            A::GoToMark,
            &["'"],
            "go to the mark of that letter; {go-to-mark}' goes back",
        ),
        bind(S::Groups, A::NextGroup, &["]"], "next group"),
        bind(S::Groups, A::PreviousGroup, &["["], "previous group"),
        bind(
            S::Groups,
            A::NextOfCommit,
            &["}"],
            "next group of the same commit",
        ),
        bind(
            S::Groups,
            A::PreviousOfCommit,
            &["{"],
            "previous group of the same commit",
        ),
        bind(
            S::Find,
            A::Search,
            &["/"],
            "search code, authors, summaries, ids for a regular expression; any case unless it has capitals",
        ),
        bind(
            S::Find,
            A::SearchBackward,
            &[],
            "the same, towards the start of the file",
        ),
        bind(S::Find, A::NextMatch, &["n"], "next match"),
        bind(S::Find, A::PreviousMatch, &["N"], "previous match"),
        bind(
            S::Find,
            A::SearchWord,
            &["*"],
            "search the first name in this line; its commit's id if there is none",
        ),
        bind(
            S::Find,
            A::SearchWordBackward,
            &["#"],
            "the same, towards the start of the file",
        ),
        bind(
            S::Find,
            A::Filter,
            &["&"],
            "let lines stand out: of an author, dates, a request, a release, an agent, a text in the summary: {filter}2019..2021  {filter}#12  {filter}agent:  {filter}/fix",
        ),
        bind(
            S::Find,
            A::ChooseDates,
            &["H"],
            "let lines of a span of dates stand out, chosen in the histogram of ages",
        ),
        bind(
            S::Find,
            A::NextFiltered,
            &["J"],
            "the next of these lines; without a filter, of the marks of {deletions} or {origins}, or of what a step or an option changed",
        ),
        bind(S::Find, A::PreviousFiltered, &["K"], "the previous of them"),
        bind(
            S::Find,
            A::OpenFile,
            &["f"],
            "open another file of this version",
        ),
        bind(
            S::Program,
            A::Colors,
            &["c"],
            "colors: age, author, commit, request or agent",
        ),
        bind(
            S::Program,
            A::Columns,
            &["|"],
            "choose columns and switches: dates, details and others",
        ),
        bind(
            S::Program,
            A::Theme,
            &["s"],
            "choose a theme, with a preview",
        ),
        bind(S::Program, A::Dates, &[], "change the format of dates"),
        bind(
            S::Program,
            A::People,
            &["A"],
            "people: their lines, share, years",
        ),
        bind(
            S::Program,
            A::Encoding,
            &["E"],
            "choose the encoding of files",
        ),
        bind(
            S::Program,
            A::Tour,
            &["T"],
            "a tour of the keys; again: its next step",
        ),
        bind(S::Program, A::EndTour, &["^T"], "end the tour"),
        bind(
            S::Program,
            A::Help,
            &["?", "F1"],
            "the most important keys of this page; again: all",
        ),
        bind(
            S::Program,
            A::Close,
            &["Esc"],
            "close, cancel, clear the search, then the filter",
        ),
        bind(S::Program, A::Redraw, &["^L"], "redraw the screen"),
        bind(S::Program, A::Suspend, &["^Z"], "suspend"),
        bind(S::Program, A::Quit, &["q", "ZZ", "ZQ"], "close, or quit"),
        bind(S::Program, A::QuitAll, &["^C"], "quit from any page"),
    ]
};
