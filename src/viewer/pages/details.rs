//! The enlarged details pane. The layout makes room for it.

use crate::viewer::{
    app::{actions::scrolled_rows, state::App},
    model::keys::bindings::Action,
    pages::page::{Handled, Page, PageKind},
    protocol::{Gesture, Mouse},
    ui::footer::Footer,
};

/// Keys in the status line.
const HINTS: &[(Action, &str)] = &[
    (Action::Close, "close"),
    (Action::Down, "down"),
    (Action::Up, "up"),
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

    fn hints(&self, _: &App, footer: &mut Footer<'_>) -> bool {
        footer.actions(HINTS);
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
