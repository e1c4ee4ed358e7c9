//! The help page: the current key bindings.

use unicode_width::UnicodeWidthStr;

use crate::viewer::{
    app::{blame::search::Search, overlays::overlay::Overlay, pager::Unwrapped, state::App},
    model::{
        bindings::{BINDINGS, HelpSection},
        word_wrap,
    },
    pages::list::{Items, KeyHelp, LIST_KEYS, TYPED_LIST_KEYS},
};

/// Minimum width of a column of the page, in columns of the screen, for keys and help text side by side.
const MIN_SIDE_BY_SIDE: u16 = 60;

/// Minimum screen width for two columns of sections.
const MIN_TWO_COLUMNS: u16 = 100;

/// Width of the keys, in columns of the screen, in one column of sections and in one of two.
const KEY_COLUMN_WIDTHS: [usize; 2] = [20, 18];

/// A row of the help page, or of one of its columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HelpRow {
    /// The text is a section heading.
    pub heading: bool,
    /// The keys of a binding, on its first row.
    pub keys: String,
    /// The column at which the text starts (0-based).
    pub indent: u16,
    /// The help text, or one wrapped row of it.
    pub text: String,
}

/// The keys of the diff view.
const DIFF_KEYS: &[KeyHelp] = &[
    ("{next-group}", "next change"),
    ("{previous-group}", "previous change"),
    ("{next-of-commit}", "next file of the commit"),
    ("{previous-of-commit}", "previous file of the commit"),
    (
        "{commit-diff}",
        "all files of the commit in one scroll, or one file",
    ),
    ("{details}", "the whole message, or its start"),
    ("{blame-parent}", "blame the old side at this line"),
    ("{blame-commit}", "blame the new side at this line"),
    ("{diff}", "open the selected file, or close the diff"),
    ("{next-reference}", "select a reference in the message"),
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

impl App {
    /// Visible rows of the help page: all but the status line.
    pub fn help_height(&self) -> u16 {
        self.size.1.saturating_sub(1)
    }

    /// The columns of the page, each with its rows, wrapped to its width: one, or two on a wide screen.
    pub fn help_columns(&self) -> Vec<Vec<HelpRow>> {
        let count = if self.size.0 >= MIN_TWO_COLUMNS { 2 } else { 1 };
        let width = self.size.0 / count;
        let keys = KEY_COLUMN_WIDTHS[usize::from(count) - 1];
        let sections = self.help_sections(width, keys);
        if count == 1 {
            return vec![stack(&sections)];
        }
        // The sections stay in their order; the columns are about as high.
        let cut = (1..=sections.len()).min_by_key(|&cut| {
            let (left, right) = sections.split_at(cut);
            stack(left).len().max(stack(right).len())
        });
        let (left, right) = sections.split_at(cut.unwrap_or(sections.len()));
        vec![stack(left), stack(right)]
    }

    /// The sections for the topmost page that the help is about: a list, a diff or the blame.
    fn help_sections(&self, width: u16, keys: usize) -> Vec<Vec<HelpRow>> {
        for overlay in self.overlays.iter().rev() {
            if matches!(overlay, Overlay::Diff(_)) {
                return vec![self.page_section(("Diff", DIFF_KEYS), width, keys)];
            }
            let help = |items: &dyn Items| match items.is_typed() {
                true => [items.help(), ("List", TYPED_LIST_KEYS)],
                false => [items.help(), ("List", LIST_KEYS)],
            };
            if let Some(sections) = self.with_items(overlay, help) {
                return sections.map(|it| self.page_section(it, width, keys)).into();
            }
        }
        HelpSection::ALL
            .map(|it| self.section(it, width, keys))
            .into()
    }

    fn page_section(
        &self,
        (title, help): (&str, &[KeyHelp]),
        width: u16,
        keys: usize,
    ) -> Vec<HelpRow> {
        let mut rows = heading(title, width);
        for (bound, text) in help {
            let (bound, text) = (self.keymap.fill(bound), self.keymap.fill(text));
            binding_rows(vec![bound], &text, (width, keys), &mut rows);
        }
        rows
    }

    /// The number of rows of the page.
    fn help_len(&self) -> usize {
        let columns = self.help_columns();
        columns.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The number of rows below the window.
    pub fn help_rows_below(&self) -> usize {
        let top = self
            .overlays
            .help()
            .map_or(0, |page| page.pager.position.top);
        let seen = top as usize + usize::from(self.help_height());
        self.help_len().saturating_sub(seen)
    }

    fn section(&self, section: HelpSection, width: u16, keys: usize) -> Vec<HelpRow> {
        let mut rows = heading(&self.keymap.fill(section.title()), width);
        for binding in BINDINGS.iter().filter(|binding| binding.section == section) {
            let bound = self.keymap.keys(binding.action).map(|key| key.to_string());
            let bound: Vec<String> = bound.collect();
            if bound.is_empty() && binding.keys.is_empty() {
                // Only a preset or the configuration binds it.
                continue;
            }
            let help = self.keymap.fill(binding.help);
            binding_rows(bound, &help, (width, keys), &mut rows);
        }
        rows
    }

    pub(crate) fn scroll_help(&mut self, rows: i32) {
        if let Some(page) = self.overlays.help_mut() {
            page.pager.scroll_window(rows);
        }
    }

    /// Keeps the window within the rows of the help page.
    pub(crate) fn reveal_help(&mut self) {
        if self.overlays.help().is_none() {
            return;
        }
        let rows = Unwrapped(self.help_len());
        let height = self.help_height().into();
        if let Some(page) = self.overlays.help_mut() {
            page.pager.fill_window(&rows, height);
        }
    }

    /// Starts a search through the help page; without a pattern, repeats the last one.
    pub(crate) fn search_help(&mut self, pattern: &str) {
        let Some(page) = self.overlays.help_mut() else {
            return;
        };
        if !pattern.is_empty() {
            page.search = Search::new(pattern, 0);
        }
        self.next_help_match(true);
    }

    /// Scrolls to the next row that matches, or the previous one; from the end, to the first.
    pub(crate) fn next_help_match(&mut self, forward: bool) {
        let Some(page) = self.overlays.help() else {
            return;
        };
        let Some(search) = &page.search else {
            return self.show_filled("no pattern: {search} starts a search");
        };
        let from = page.selected_match.map(|row| row as usize);
        let columns = self.help_columns();
        let mut rows: Vec<usize> = Vec::new();
        for column in &columns {
            let matching = column.iter().enumerate().filter(|(_, row)| {
                let texts = [&row.text, &row.keys];
                texts
                    .iter()
                    .any(|text| !search.matches(text.as_bytes()).is_empty())
            });
            rows.extend(matching.map(|(at, _)| at));
        }
        rows.sort_unstable();
        rows.dedup();
        let next = match (from, forward) {
            (None, true) => rows.first(),
            (None, false) => rows.last(),
            (Some(from), true) => rows.iter().find(|&&at| at > from).or(rows.first()),
            (Some(from), false) => rows.iter().rev().find(|&&at| at < from).or(rows.last()),
        };
        let Some(&row) = next else {
            return self.show_message("nothing here matches");
        };
        let row = u32::try_from(row).unwrap_or(u32::MAX);
        let height = u32::from(self.help_height());
        if let Some(page) = self.overlays.help_mut() {
            page.selected_match = Some(row);
            let top = &mut page.pager.position.top;
            if !(*top..top.saturating_add(height)).contains(&row) {
                *top = row.saturating_sub(height / 3);
            }
        }
    }
}

/// Sections below each other, with a blank row between.
fn stack(sections: &[Vec<HelpRow>]) -> Vec<HelpRow> {
    sections.join(&HelpRow::default())
}

fn heading(title: &str, width: u16) -> Vec<HelpRow> {
    let columns = usize::from(width).saturating_sub(1);
    let lines = word_wrap::wrap(title.as_bytes(), columns).into_iter();
    let row = |text| HelpRow {
        heading: true,
        indent: 1,
        text,
        ..HelpRow::default()
    };
    lines.map(row).collect()
}

/// The rows of one binding in a column of some width, with this width for the keys.
fn binding_rows(
    keys: Vec<String>,
    help: &str,
    (width, key_width): (u16, usize),
    rows: &mut Vec<HelpRow>,
) {
    let keys = match keys.is_empty() {
        true => "no key".to_owned(),
        false => keys.join("  "),
    };
    let beside = width >= MIN_SIDE_BY_SIDE || key_width < KEY_COLUMN_WIDTHS[0];
    let indent = if beside { 3 + key_width as u16 } else { 5 };
    let columns = usize::from(width.saturating_sub(indent + 1));
    let mut text = word_wrap::wrap(help.as_bytes(), columns).into_iter();
    let first = match beside && keys.width() < key_width {
        true => text.next().unwrap_or_default(),
        false => String::new(),
    };
    rows.push(HelpRow {
        heading: false,
        keys,
        indent,
        text: first,
    });
    rows.extend(text.map(|text| HelpRow {
        indent,
        text,
        ..HelpRow::default()
    }));
}
