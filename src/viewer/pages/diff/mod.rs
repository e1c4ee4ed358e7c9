//! The page of a diff. The diffs belong to the state beside the stack of pages: the details, the
//! header and the search are about the topmost one.

mod actions;
pub(crate) mod draw;
mod header;
mod old_side;
mod parents;
mod refusals;
mod requests;

use ratatui::buffer::Buffer;
use unicode_width::UnicodeWidthStr;

use crate::{
    sanitize,
    viewer::{
        app::{
            blame::{motion::side_action, search::Direction},
            diff_view::DiffView,
            display::layout::Area,
            state::App,
        },
        model::{abbreviation::short, keys::bindings::Action},
        pages::{
            list::KeyHelp,
            offers::offers,
            page::{Handled, Page, PageKind, WhenLeft},
        },
        protocol::{Gesture, Mouse},
        theme::styles::Theme,
        ui::{footer::Footer, paint::RowWriter},
    },
};

/// Maximum number of diffs kept below the topmost one.
const MAX_DIFFS_BELOW: usize = 20;

/// Stands between the facts in the title.
const SEPARATOR: &str = " · ";

/// Keys in the status line.
const HINTS: &[(Action, &str)] = &[
    (Action::Close, "close"),
    (Action::BlameParent, "blame the old side"),
    (Action::BlameCommit, "the new side"),
    (Action::NextGroup, "next change"),
    (Action::NextOfCommit, "next file"),
    (Action::Help, "keys"),
    (Action::Search, "search"),
    (Action::CommitDiff, "all files or one"),
    (Action::Wrap, "wrap"),
    (Action::Origins, "who wrote it"),
];

/// All keys.
const HELP: &[KeyHelp] = &[
    ("{next-group}", "next change"),
    ("{previous-group}", "previous change"),
    ("{next-of-commit}", "next file of the commit"),
    ("{previous-of-commit}", "previous file of the commit"),
    (
        "{commit-diff}",
        "all files of the commit in one scroll, or one file",
    ),
    ("{next-parent}", "of a merge: compare with its next parent"),
    ("{details}", "the whole message, or its start"),
    ("{blame-parent}", "blame the old side at this line"),
    ("{blame-commit}", "blame the new side at this line"),
    ("{diff}", "open the selected file, or close the diff"),
    ("{next-reference}", "select a reference in the message"),
    (
        "{origins}",
        "who wrote the lines that are removed, or beside insertions, on or off",
    ),
    ("{whitespace}", "ignore whitespace, on or off"),
    ("{wrap}", "wrap long lines, on or off"),
    ("{search}", "search the diff"),
    ("{next-match}  {previous-match}", "next and previous match"),
    ("{down}  {up}", "down and up"),
    ("{page-down}  {page-up}", "a page down and up"),
    (
        "{top}  {bottom}",
        "first and last row; with a count, that line of the new side",
    ),
    ("{left}  {right}", "scroll left and right"),
    (
        "{copy-id}  {copy-link}",
        "copy the commit's id, and a link to this line",
    ),
    ("{browse}", "open the commit in the browser"),
    ("{close}  {quit}  {back}", "close the diff"),
];

/// An open diff. The one of the topmost page is the last one of the state.
#[derive(Debug)]
struct DiffPage;

impl Page<App> for DiffPage {
    fn kind(&self) -> PageKind {
        PageKind::Diff
    }

    fn covers(&self) -> bool {
        true
    }

    fn when_left(&self) -> WhenLeft {
        WhenLeft::Returns
    }

    fn action(&mut self, action: Action, count: Option<u32>, app: &mut App) -> Handled {
        app.diff_action(action, count)
    }

    fn mouse(&mut self, mouse: Mouse, app: &mut App) -> Handled {
        match mouse.gesture {
            Gesture::Press => {
                app.clear_message();
                app.press_diff(mouse.at);
            }
            Gesture::Wheel(rows) => app.page_diff_rows(rows.into()),
            Gesture::SideWheel(by) => return self.action(side_action(by), None, app),
            _ => return Handled::Pass,
        }
        Handled::Yes
    }

    fn search(&mut self, pattern: &str, direction: Direction, app: &mut App) -> Handled {
        app.search_diff(pattern, direction);
        Handled::Yes
    }

    fn draw(&self, app: &App, theme: &Theme, body: Area, buffer: &mut Buffer) {
        if let Some(diff) = app.diff() {
            draw::screen(app, diff, theme, body, buffer);
        }
    }

    /// The commit and what of it is shown, then who, when and why.
    fn header(&self, app: &App, theme: &Theme, row: &mut RowWriter<'_>) -> bool {
        let Some(diff) = app.diff() else {
            return false;
        };
        let width = row.remaining();
        let (bar, strong) = (theme.bar(), theme.bar_emphasis());
        if width >= 40 && !app.shows_whole_diff(diff) {
            let last = i64::try_from(diff.rows().len()).unwrap_or(1).max(2) - 1;
            let at = diff.selected_row().map_or(0, |row| row as i64);
            let percent = at.clamp(0, last) * 100 / last;
            row.put_right(&format!("{percent:>3}% "), bar);
        }
        if let Some(words) = diff.place_among_files(width.into()) {
            row.put_right(&words, bar);
        }
        let commit = diff.commit.as_ref();
        let commit = commit.map_or("work tree".to_owned(), |id| short(id));
        row.put(" diff ", bar);
        let page = diff.commit.as_ref().and_then(|id| app.page_of_commit(id));
        row.put_linked(&commit, strong, page);
        let title = diff.title();
        let mut parts = app.titled_facts(diff);
        // The subject is in the first line, unless that is scrolled away.
        let metadata = diff.commit_metadata().filter(|_| diff.pager.top().0 > 0);
        parts.extend(metadata.map(|metadata| sanitize::line(&metadata.summary())));
        row.put("  ", bar);
        let room = usize::from(row.remaining()).saturating_sub(1);
        row.put(&sanitize::clip_left(&title, room), strong);
        for part in parts {
            let room = usize::from(row.remaining()).saturating_sub(1);
            if room < 3 + 8.min(part.width()) {
                break;
            }
            let part = sanitize::clip(part.as_bytes(), room - 3);
            row.put(&format!("{SEPARATOR}{part}"), bar);
        }
        true
    }

    fn hints(&self, app: &App, footer: &mut Footer<'_>) -> bool {
        let acts = |(action, _): &&(Action, &str)| offers(self, *action, app);
        let hints: Vec<_> = HINTS.iter().filter(acts).copied().collect();
        footer.actions(&hints);
        true
    }

    fn refusal(&self, action: Action, app: &App) -> Option<String> {
        app.diff_refusal(action)
    }

    fn is_idle(&self, action: Action, app: &App) -> bool {
        app.is_diff_idle(action)
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        Some(("Diff", HELP))
    }
}

impl App {
    /// Opens a diff. Beyond [`MAX_DIFFS_BELOW`], the oldest one is closed.
    pub(crate) fn push_diff(&mut self, diff: DiffView) {
        self.pages.diffs.push(diff);
        self.pages.open(DiffPage);
        if self.pages.diffs.len() > MAX_DIFFS_BELOW + 1 {
            self.pages.diffs.remove(0);
            self.pages.close_lowest(PageKind::Diff);
        }
    }
}
