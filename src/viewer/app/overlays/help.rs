//! The help page: the current key bindings.

use unicode_width::UnicodeWidthStr;

use crate::viewer::{
    app::{pager::Unwrapped, state::App},
    model::{
        bindings::{BINDINGS, HelpSection},
        word_wrap,
    },
};

/// Minimum screen width, in columns, for keys and help text side by side.
const MIN_SIDE_BY_SIDE: u16 = 60;

/// Width of the key column, in columns of the screen.
const KEY_COLUMN_WIDTH: usize = 20;

/// A row of the help page.
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

impl App {
    /// Visible rows of the help page: all but the status line.
    pub fn help_height(&self) -> u16 {
        self.size.1.saturating_sub(1)
    }

    /// All rows of the page, wrapped to the screen's width.
    pub fn help_rows(&self) -> Vec<HelpRow> {
        let width = self.size.0;
        let mut rows = Vec::new();
        for section in HelpSection::ALL {
            if !rows.is_empty() {
                rows.push(HelpRow::default());
            }
            let title = self.keymap.fill(section.title());
            let columns = usize::from(width).saturating_sub(1);
            rows.extend(
                word_wrap::wrap(title.as_bytes(), columns)
                    .into_iter()
                    .map(|text| HelpRow {
                        heading: true,
                        indent: 1,
                        text,
                        ..HelpRow::default()
                    }),
            );
            for binding in BINDINGS.iter().filter(|binding| binding.section == section) {
                let keys = self.keymap.keys(binding.action).map(|key| key.to_string());
                let keys = keys.collect::<Vec<_>>().join("  ");
                if keys.is_empty() && binding.keys.is_empty() {
                    // Only a preset or the configuration binds it.
                    continue;
                }
                let keys = if keys.is_empty() {
                    "no key".to_owned()
                } else {
                    keys
                };
                binding_rows(keys, &self.keymap.fill(binding.help), width, &mut rows);
            }
        }
        rows
    }

    pub(crate) fn scroll_help(&mut self, rows: i32) {
        if let Some(pager) = self.overlays.help_mut() {
            pager.scroll_window(rows);
        }
    }

    /// Keeps the window within the rows of the help page.
    pub(crate) fn reveal_help(&mut self) {
        if self.overlays.help().is_none() {
            return;
        }
        let rows = Unwrapped(self.help_rows().len());
        let height = self.help_height().into();
        if let Some(pager) = self.overlays.help_mut() {
            pager.fill_window(&rows, height);
        }
    }
}

fn binding_rows(keys: String, help: &str, width: u16, rows: &mut Vec<HelpRow>) {
    let beside = width >= MIN_SIDE_BY_SIDE;
    let indent = if beside {
        3 + KEY_COLUMN_WIDTH as u16
    } else {
        5
    };
    let columns = usize::from(width.saturating_sub(indent));
    let mut text = word_wrap::wrap(help.as_bytes(), columns).into_iter();
    let first = match beside && keys.width() < KEY_COLUMN_WIDTH {
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
