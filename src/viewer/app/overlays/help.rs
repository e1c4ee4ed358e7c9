//! The page of keys, as they are bound.

use unicode_width::UnicodeWidthStr;

use crate::viewer::{
    app::{commit::word_wrap, pager::Unwrapped, state::App},
    model::keymap::{BINDINGS, Section},
};

/// Columns of the screen from which on keys and text stand side by side.
const WIDE: u16 = 60;

/// Columns that the keys have there.
const KEYS: usize = 20;

/// A row of the page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HelpRow {
    /// The text are a chapter's heading.
    pub heading: bool,
    /// The keys, if they begin here.
    pub keys: String,
    /// The column of the text.
    pub indent: u16,
    /// What the keys do, or a part of it.
    pub text: String,
}

impl App {
    /// Rows that the page has on the screen: all but the last.
    pub fn help_height(&self) -> u16 {
        self.size.1.saturating_sub(1)
    }

    /// The whole page for the screen's width.
    pub fn help_rows(&self) -> Vec<HelpRow> {
        let width = self.size.0;
        let mut rows = Vec::new();
        for section in Section::ALL {
            if !rows.is_empty() {
                rows.push(HelpRow::default());
            }
            let title = self.keymap.fill(section.title());
            let room = usize::from(width).saturating_sub(1);
            rows.extend(
                word_wrap::wrap(title.as_bytes(), room)
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

    /// Keeps the window of the help inside of its rows.
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
    let beside = width >= WIDE;
    let indent = if beside { 3 + KEYS as u16 } else { 5 };
    let room = usize::from(width.saturating_sub(indent));
    let mut text = word_wrap::wrap(help.as_bytes(), room).into_iter();
    let first = match beside && keys.width() < KEYS {
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
