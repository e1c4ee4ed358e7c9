//! Hints about texts that another switch would show better.

use crate::viewer::{
    app::state::App,
    model::{source::FileVersion, texts::encodings::Encoding},
};

/// How much of a file is looked at, in bytes.
const MAX_LOOKED_AT: usize = 1 << 20;

/// A file with fewer lines may well have been written anew.
const MIN_LINES: u32 = 5;

impl App {
    /// Says which key chooses the encoding, if the text is in none that is known: its bytes are not
    /// UTF-8, and nothing declares another encoding.
    pub(crate) fn hint_at_encoding(&mut self) {
        let Some(view) = self.view().filter(|_| self.status.message.is_none()) else {
            return;
        };
        let is_known = self.display.encoding.or(view.declared_encoding).is_some();
        if is_known || view.raw.is_binary() || Encoding::detect(&view.raw) != Encoding::Utf8 {
            return;
        }
        let bytes = view.raw.bytes();
        let start = &bytes[..bytes.len().min(MAX_LOOKED_AT)];
        let is_utf8 = match std::str::from_utf8(start) {
            Ok(_) => true,
            // A character may be cut at the end.
            Err(error) => error.error_len().is_none() && bytes.len() > start.len(),
        };
        if !is_utf8 {
            self.show_filled("the text is not UTF-8: {encoding} chooses another encoding");
        }
    }

    /// Says which key ignores white space, if all lines of a file differ from the last commit.
    pub(crate) fn hint_at_whitespace(&mut self) {
        let Some(view) = self.view().filter(|_| self.status.message.is_none()) else {
            return;
        };
        let is_edited = matches!(
            view.version,
            FileVersion::WorkTree { .. } | FileVersion::CommandLine
        );
        let all_uncommitted = || {
            let facts = view.selected()?;
            let is_only = view.commits().len() == 1 && facts.commit.id.is_null();
            facts.origin.previous.as_ref().filter(|_| is_only)
        };
        if is_edited
            && !view.options.whitespace
            && view.text.line_count() >= MIN_LINES
            && all_uncommitted().is_some()
        {
            self.show_filled("every line differs from the last commit: {whitespace} ignores white space and line ends");
        }
    }
}
