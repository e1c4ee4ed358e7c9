//! The enlarged details pane. The layout makes room for it.

use crate::viewer::{
    app::{actions::scrolled_rows, commit::detail_line::Link, state::App},
    model::keys::bindings::Action,
    pages::{
        list::KeyHelp,
        page::{Handled, Page, PageKind},
    },
    protocol::{Gesture, Mouse},
    ui::footer::Footer,
};

/// Keys in the status line.
const HINTS: &[(Action, &str)] = &[
    (Action::Close, "close"),
    (Action::Down, "down"),
    (Action::Up, "up"),
    (Action::Diff, "diff"),
    (Action::NextReference, "references"),
    (Action::Help, "keys"),
];

/// The keys of the page.
const KEYS: &[KeyHelp] = &[
    ("{close}  {details}", "close the message"),
    ("{down}  {up}", "scroll it by a row"),
    ("{page-down}  {page-up}", "scroll it by a page"),
    ("{top}  {bottom}", "its beginning and its end"),
    (
        "{next-reference}",
        "select what it refers to: the next reference",
    ),
    ("{diff}", "show the commit's diff at the selected line"),
    ("{commit-diff}", "show the diff of all files of the commit"),
    (
        "{blame-parent}  {blame-commit}",
        "blame before the commit, or at it",
    ),
    ("{line-history}", "the history of the selected line"),
    ("{copy-id}", "copy the commit's id"),
    ("{browse}", "open the commit in the browser"),
    (
        "{search}  {goto}",
        "close the message, and search or go elsewhere",
    ),
];

/// The keys while a reference of the message is selected.
pub(super) const REFERENCE_KEYS: &[KeyHelp] = &[
    ("{next-reference}", "the next reference"),
    ("{diff}", "go to the commit that it names"),
    ("{browse}", "open its page in the browser"),
    ("{close}", "end: no reference is selected"),
];

/// The pane; what it shows and its window are those of the small one.
#[derive(Debug)]
struct DetailsPage;

impl Page<App> for DetailsPage {
    fn kind(&self) -> PageKind {
        PageKind::Details
    }

    fn action(&mut self, action: Action, count: Option<u32>, app: &mut App) -> Handled {
        match action {
            Action::Quit | Action::Close | Action::Details => close(app),
            // What is typed next is meant for a prompt, and not for keys.
            Action::Search | Action::SearchBackward | Action::Goto | Action::OpenFile => {
                close(app);
                return Handled::Pass;
            }
            _ => match scrolled_rows(action, count.unwrap_or(1), app.layout().details.height) {
                Some(rows) => app.scroll_details(rows),
                None if is_for_text(action) => app.nothing_here(),
                None => return Handled::Pass,
            },
        }
        Handled::Yes
    }

    fn mouse(&mut self, mouse: Mouse, app: &mut App) -> Handled {
        match mouse.gesture {
            Gesture::Wheel(rows) => {
                app.scroll_details(rows);
                Handled::Yes
            }
            _ => Handled::Pass,
        }
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        Some(("Message", KEYS))
    }

    /// Those that do something with what is shown.
    fn hints(&self, app: &App, footer: &mut Footer<'_>) -> bool {
        let lines = app.detail_lines();
        let is_scrolled = lines.len() > usize::from(app.layout().details.height);
        let mut links = lines.iter().flat_map(|line| &line.links);
        let has_references = links.any(|(_, link)| matches!(link, Link::Reference(_)));
        let is_usable = |(action, _): &&(Action, &str)| match action {
            Action::Down | Action::Up => is_scrolled,
            Action::NextReference => has_references,
            _ => true,
        };
        let hints: Vec<_> = HINTS.iter().filter(is_usable).copied().collect();
        footer.actions(&hints);
        true
    }
}

/// True if an action is about a place in a text, which the details do not have. All others are for
/// the blame.
fn is_for_text(action: Action) -> bool {
    matches!(
        action,
        Action::SearchWord
            | Action::SearchWordBackward
            | Action::NextMatch
            | Action::PreviousMatch
            | Action::Encoding
            | Action::Wrap
            | Action::SelectLines
            | Action::Mark
            | Action::GoToMark
            | Action::GoToPercent
            | Action::ScreenTop
            | Action::ScreenMiddle
            | Action::ScreenBottom
            | Action::LineToTop
            | Action::LineToMiddle
            | Action::LineToBottom
            | Action::Left
            | Action::Right
            | Action::LineStart
            | Action::LineEnd
            | Action::NextGroup
            | Action::PreviousGroup
            | Action::NextOfCommit
            | Action::PreviousOfCommit
    )
}

fn close(app: &mut App) {
    app.pages.close_acting();
    app.details.pager.rewind();
}

impl App {
    /// Enlarges the details pane.
    pub(crate) fn enlarge_details(&mut self) {
        if !self.pages.has(PageKind::Details) {
            self.pages.open(DetailsPage);
        }
        self.details.pager.rewind();
    }
}
