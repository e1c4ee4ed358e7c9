//! A page, which opens above the blame.
//!
//! `Cx` is the state beside the pages: [`App`](crate::viewer::app::state::App), which is a parameter
//! here because its file imports this one.

use std::fmt;

use ratatui::buffer::Buffer;

use crate::{
    objects::ObjectId,
    viewer::{
        app::{
            blame::search::{Direction, Search},
            display::layout::Area,
        },
        model::{
            background::queries::{Freshness, PageAnswer},
            file_version::FileVersion,
            hyperlink::Hyperlink,
            keys::{bindings::Action, key::Key},
            line_filter::LineFilter,
        },
        pages::list::{ItemList, KeyHelp, ListRow},
        protocol::Mouse,
        theme::styles::Theme,
        ui::{footer::Footer, paint::RowWriter},
    },
};

/// The answer of a page to a key, an action, a mouse event or a search that it was offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Handled {
    /// The page handled it.
    Yes,
    /// The page leaves it to what is below.
    #[default]
    Pass,
}

/// The kind of a page, for the code outside of it that looks for one. Most pages are not looked
/// for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageKind {
    /// An answer above a list, which leaves nothing selected there.
    Answer,
    /// The enlarged details pane.
    Details,
    /// The diff of a commit.
    Diff,
    /// What is counted of a directory.
    Directory,
    /// The versions of a file.
    FileHistory,
    /// The help page.
    Help,
    /// The history of lines.
    LineHistory,
    /// The places that were read.
    Places,
    /// The prompt of a search.
    SearchPrompt,
    /// Any other prompt.
    Prompt,
    /// A question that is answered with yes or no.
    Question,
    /// Any other page.
    Other,
}

/// What becomes of a page when the visible view is left for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenLeft {
    /// It stays open.
    Stays,
    /// It is closed.
    Closes,
    /// It is closed, and opened again when a step back returns to the view.
    Returns,
}

/// The columns of most lists in the corner.
pub(crate) const CORNER_WIDTH: u16 = 34;

/// Where the list of a page stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListPlace {
    /// In an area.
    Part(Area),
    /// In the upper right corner, with at most so many columns.
    Corner(u16),
    /// In at most so many rows above the status line.
    Foot(u16),
}

/// A page above the blame. Everything has a default: a page says what it does otherwise.
pub trait Page<Cx>: fmt::Debug {
    /// Its kind.
    fn kind(&self) -> PageKind {
        PageKind::Other
    }

    /// True if it hides what is below it.
    fn covers(&self) -> bool {
        false
    }

    /// What becomes of it when the visible view is left for another one.
    fn when_left(&self) -> WhenLeft {
        WhenLeft::Stays
    }

    /// Handles a key in place of the action that is bound to it.
    fn key(&mut self, _key: Key, _cx: &mut Cx) -> Handled {
        Handled::Pass
    }

    /// Performs an action that the page has for itself. Those of all lists are performed on its
    /// list afterwards.
    fn action(&mut self, _action: Action, _count: Option<u32>, _cx: &mut Cx) -> Handled {
        Handled::Pass
    }

    /// Handles a mouse event that is not for its list.
    fn mouse(&mut self, _mouse: Mouse, _cx: &mut Cx) -> Handled {
        Handled::Pass
    }

    /// Handles a line of pasted text.
    fn paste(&mut self, _text: &str, _cx: &mut Cx) {}

    /// Searches the page for what was typed. An empty pattern repeats the last search.
    fn search(&mut self, _pattern: &str, _direction: Direction, _cx: &mut Cx) -> Handled {
        Handled::Pass
    }

    /// How many of its rows match, if it has no list and can be searched.
    fn count_matches(&self, _search: &Search, _cx: &Cx) -> Option<usize> {
        None
    }

    /// Takes a filter that was typed.
    fn filter(&mut self, _filter: &LineFilter, _cx: &mut Cx) -> Handled {
        Handled::Pass
    }

    /// Goes where the input of the prompt says.
    fn go_to(&mut self, _input: &str, _cx: &mut Cx) -> Handled {
        Handled::Pass
    }

    /// The version in which the prompt looks for names, if that is not the blame's.
    fn version(&self) -> Option<FileVersion> {
        None
    }

    /// The number of the reading of the directory that it shows, and what is known of changes since.
    fn reading(&self) -> Option<(u64, &Freshness)> {
        None
    }

    /// As [`reading`](Page::reading).
    fn reading_mut(&mut self) -> Option<(u64, &mut Freshness)> {
        None
    }

    /// The commit that it shows facts of, which are asked for then.
    fn commit(&self, _cx: &Cx) -> Option<ObjectId> {
        None
    }

    /// True if the query of this number is its own. Once it has been closed, the query is cancelled.
    fn awaits(&self, _id: u64) -> bool {
        false
    }

    /// Takes what came back for a query of its own.
    fn on_answer(&mut self, _answer: PageAnswer, _cx: &mut Cx) {}

    /// Follows a change of the state, after every message and before its list is laid out.
    fn refresh(&mut self, _cx: &mut Cx) {}

    /// True if it has work left that is done between messages.
    fn has_work(&self) -> bool {
        false
    }

    /// Does a part of this work, short enough for keys to be handled soon.
    fn work(&mut self) {}

    /// About how many bytes it has in memory that it can drop.
    fn memory_len(&self) -> usize {
        0
    }

    /// Drops them, while the page is left for another view.
    fn drop_contents(&mut self) {}

    /// Gives up what need not go on while the page is left for another view. A page that leaves by
    /// itself is not told.
    fn on_left(&mut self) {}

    /// Asks again for what was dropped or is not complete, when the page is returned to.
    fn on_reopened(&mut self, _cx: &mut Cx) {}

    /// Its list.
    fn list(&self) -> Option<&ItemList> {
        None
    }

    /// As [`list`](Page::list).
    fn list_mut(&mut self) -> Option<&mut ItemList> {
        None
    }

    /// The number of items of its list.
    fn count(&self, _cx: &Cx) -> usize {
        0
    }

    /// How many rows an item has, at least 1.
    fn item_rows(&self) -> u16 {
        1
    }

    /// True if items of its list are still to come, or what their rows say.
    fn is_reading(&self, _cx: &Cx) -> bool {
        false
    }

    /// The rows of an item (0-based), for `width` columns including that of the mark.
    fn rows(&self, _at: usize, _width: usize, _cx: &Cx) -> Vec<ListRow> {
        Vec::new()
    }

    /// The line above the items.
    fn title(&self, _cx: &Cx) -> Option<String> {
        None
    }

    /// The line below the last item: how the list ends, or that more is looked for. Without items,
    /// why there are none.
    fn ending(&self, _cx: &Cx) -> String {
        String::new()
    }

    /// True if the list is below a typed input.
    fn is_typed(&self) -> bool {
        false
    }

    /// Where the list stands in the body of the screen.
    fn list_place(&self, body: Area) -> ListPlace {
        ListPlace::Part(body)
    }

    /// Does what Enter and a double click do to the selected item.
    fn open_item(&mut self, _cx: &mut Cx) {}

    /// Follows the list after a motion, which may have left the selection where it was.
    fn list_used(&mut self, _is_moved: bool, _cx: &mut Cx) {}

    /// Draws what is beside its list, above an empty body if it covers that.
    fn draw(&self, _cx: &Cx, _theme: &Theme, _body: Area, _buffer: &mut Buffer) {}

    /// The links in what it draws beside its list.
    fn hyperlinks(&self, _cx: &Cx) -> Vec<Hyperlink> {
        Vec::new()
    }

    /// Draws the header. False if that is what is below it.
    fn header(&self, _cx: &Cx, _theme: &Theme, _row: &mut RowWriter<'_>) -> bool {
        false
    }

    /// Draws an input in place of the whole status line. False if it has none.
    fn input(&self, _cx: &Cx, _footer: &mut Footer<'_>) -> bool {
        false
    }

    /// Draws the few keys that matter here into the status line. False if they are those of its help,
    /// for a list, or else of what is below it.
    fn hints(&self, _cx: &Cx, _footer: &mut Footer<'_>) -> bool {
        false
    }

    /// Why an action cannot act on what is selected, in the words that are shown for it; `None` if it
    /// can, or if that turns out only when it tries. Footers do not offer what is refused.
    fn refusal(&self, _action: Action, _cx: &Cx) -> Option<String> {
        None
    }

    /// True if keys of its help that are bound to no action act on what is selected.
    fn has_key(&self, _keys: &str, _cx: &Cx) -> bool {
        true
    }

    /// True if an action that is not refused would change nothing, as a motion at the end. Footers do
    /// not offer it.
    fn is_idle(&self, _action: Action, _cx: &Cx) -> bool {
        false
    }

    /// True if a step forward leads to what it has left by itself.
    fn has_later_step(&self) -> bool {
        false
    }

    /// The heading of its help and its keys, for a list without those of all lists and the most
    /// important ones first: the words before a colon stand in the status line.
    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        None
    }
}
