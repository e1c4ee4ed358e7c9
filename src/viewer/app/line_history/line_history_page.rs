//! The state of the page with the history of lines: a list of commits, and the change of the selected one.

use std::sync::Arc;

use bstr::BString;

use crate::viewer::{
    app::display::layout::Area,
    model::{
        line_history::{HistoryChange, LineHistoryQuery},
        source::Failure,
    },
};

/// Screen columns from which on the change is beside the list.
const WIDE: u16 = 120;
/// Rows of a commit in the list.
pub const ITEM_ROWS: u16 = 2;

/// How far the history is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryProgress {
    /// What is still to come is about as old as the date, once known, or older.
    Running(Option<i64>),
    /// Everything was found; false if a limit of the range ended the search.
    Finished(bool),
    /// It failed.
    Failed(Failure),
}

/// What the page is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryTopic {
    /// The commits that changed the lines.
    Changes,
    /// Lines that were deleted at the line: above or below it, or around it.
    Deleted(&'static str),
}

/// The page with the history of lines.
#[derive(Debug, Clone)]
pub struct LineHistoryPage {
    /// What it is about.
    pub topic: HistoryTopic,
    /// What was asked.
    pub query: LineHistoryQuery,
    /// The file's path.
    pub path: Arc<BString>,
    /// The commits found so far, newest first.
    pub changes: Vec<HistoryChange>,
    /// The selected commit (index).
    pub selected: usize,
    /// The first commit of the list on the screen (index).
    pub top: usize,
    /// The first row of the change on the screen.
    pub scroll: usize,
    /// How far the history is known.
    pub progress: HistoryProgress,
    /// What was found was dropped, and is found again when the page is opened.
    pub(crate) is_dropped: bool,
}

/// The parts of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLayout {
    /// The list.
    pub list: Area,
    /// The title of the change.
    pub title: Area,
    /// The change.
    pub change: Area,
}

impl PageLayout {
    /// Divides the body of the screen: beside each other where it is wide, else one above the other.
    pub fn new(body: Area) -> PageLayout {
        if body.width >= WIDE {
            let width = body.width * 9 / 20;
            let right = Area {
                x: body.x + width + 1,
                width: body.width - width - 1,
                ..body
            };
            let title = u16::from(body.height > 0);
            return PageLayout {
                list: Area { width, ..body },
                title: Area {
                    height: title,
                    ..right
                },
                change: Area {
                    y: right.y + title,
                    height: right.height - title,
                    ..right
                },
            };
        }
        let list = match body.height {
            0..6 => body.height,
            height => (height / 2).next_multiple_of(ITEM_ROWS).min(height - 3),
        };
        let title = u16::from(body.height > list);
        PageLayout {
            list: Area {
                height: list,
                ..body
            },
            title: Area {
                y: body.y + list,
                height: title,
                ..body
            },
            change: Area {
                y: body.y + list + title,
                height: body.height - list - title,
                ..body
            },
        }
    }

    /// The number of commits that the list shows at once.
    pub fn items(&self) -> usize {
        usize::from((self.list.height / ITEM_ROWS).max(1))
    }
}

impl LineHistoryPage {
    pub(crate) fn new(query: LineHistoryQuery, path: Arc<BString>) -> LineHistoryPage {
        LineHistoryPage {
            topic: HistoryTopic::Changes,
            query,
            path,
            changes: Vec::new(),
            selected: 0,
            top: 0,
            scroll: 0,
            progress: HistoryProgress::Running(None),
            is_dropped: false,
        }
    }

    /// About how many bytes it has in memory.
    pub(crate) fn memory_len(&self) -> usize {
        let rows = self.changes.iter().flat_map(|change| &change.rows);
        rows.map(|row| size_of_val(row) + row.text.len()).sum()
    }

    /// Drops what was found, if it can be found again.
    pub(crate) fn drop_contents(&mut self) {
        if self.topic == HistoryTopic::Changes {
            self.changes = Vec::new();
            self.progress = HistoryProgress::Running(None);
            self.is_dropped = true;
        }
    }

    /// The selected commit.
    pub fn change(&self) -> Option<&HistoryChange> {
        self.changes.get(self.selected)
    }

    /// Whether there may be more commits.
    pub fn is_running(&self) -> bool {
        matches!(self.progress, HistoryProgress::Running(_))
    }

    /// The lines in words: `line 12`, `lines 10–20`.
    pub fn lines_in_words(&self) -> String {
        let lines = &self.query.lines;
        match lines.end.saturating_sub(lines.start) {
            0 | 1 => format!("line {}", lines.start + 1),
            _ => format!("lines {}–{}", lines.start + 1, lines.end),
        }
    }

    /// Selects another commit, and shows its change from the start.
    pub(crate) fn select(&mut self, at: usize) {
        let at = at.min(self.changes.len().saturating_sub(1));
        if at != self.selected {
            self.selected = at;
            self.scroll = 0;
        }
    }

    /// Keeps the selected commit on the screen, and the change within its window.
    pub(crate) fn reveal(&mut self, layout: &PageLayout) {
        let items = layout.items();
        // The row after the last commit says how the history ends.
        let last_top = (self.changes.len() + 1).saturating_sub(items);
        self.top = self.top.min(self.selected).min(last_top);
        if self.selected >= self.top + items {
            self.top = self.selected + 1 - items;
        }
        if self.selected + 1 == self.changes.len() && items > 1 {
            self.top = self.top.max(last_top);
        }
        let rows = self.change().map_or(0, |change| change.rows.len());
        let window = usize::from(layout.change.height);
        self.scroll = self.scroll.min(rows.saturating_sub(window));
    }
}
