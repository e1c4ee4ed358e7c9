//! The state of the page that lists the versions of a file.

use crate::viewer::model::file_history::RevisionList;

/// The page. The list itself is that of the known versions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileHistoryPage {
    /// The selected row (0-based).
    pub selected: usize,
    /// The first row on the screen.
    pub top: usize,
    /// Whether the rows are the versions that a search found, not all versions.
    pub is_search: bool,
}

impl FileHistoryPage {
    /// The number of rows.
    pub fn row_count(&self, list: &RevisionList) -> usize {
        match self.is_search {
            true => list.found().len(),
            false => list.revisions().len(),
        }
    }

    /// The position of the version in a row.
    pub fn version_in(&self, row: usize, list: &RevisionList) -> Option<usize> {
        match self.is_search {
            true => list.found().get(row).copied(),
            false => (row < list.revisions().len()).then_some(row),
        }
    }

    /// Keeps the selected one of `count` versions on a screen of `rows` rows. The row after the last version says how the
    /// list ends.
    pub(crate) fn reveal(&mut self, count: usize, rows: usize) {
        let rows = rows.max(1);
        self.selected = self.selected.min(count.saturating_sub(1));
        let last_top = (count + 1).saturating_sub(rows);
        self.top = self.top.min(self.selected).min(last_top);
        if self.selected >= self.top + rows {
            self.top = self.selected + 1 - rows;
        }
        if self.selected + 1 == count && rows > 1 {
            self.top = self.top.max(last_top);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn top(selected: usize, top: usize, count: usize, rows: usize) -> usize {
        let mut page = FileHistoryPage {
            selected,
            top,
            is_search: false,
        };
        page.reveal(count, rows);
        page.top
    }

    #[test]
    fn the_selected_version_stays_on_the_screen() {
        assert_eq!(top(0, 0, 0, 10), 0);
        assert_eq!(top(12, 0, 100, 10), 3);
        assert_eq!(top(2, 5, 100, 10), 2);
        assert_eq!(top(5, 9, 6, 10), 0);
        // With the last version, the end of the list is seen.
        assert_eq!(top(99, 0, 100, 10), 91);
        assert_eq!(top(99, 0, 100, 1), 99);
    }
}
