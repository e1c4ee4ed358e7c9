//! Hints about texts that another switch would show better.

use crate::viewer::{
    app::state::App,
    model::{
        background::line_change::LineChangeQuery, diff::VersionPair, source::FileVersion,
        texts::encodings::Encoding,
    },
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

    /// The question whether the lines of an edited file, all of which differ from the last commit,
    /// differ in white space alone.
    pub(crate) fn whitespace_query(&self) -> Option<LineChangeQuery> {
        let (view, facts) = self.selected_attribution()?;
        let is_edited = matches!(
            view.version,
            FileVersion::WorkTree { .. } | FileVersion::CommandLine
        );
        let all_differ = view.commits().len() == 1
            && facts.commit.id.is_null()
            && view.text.line_count() >= MIN_LINES;
        let old = facts.origin.previous.clone()?;
        (is_edited && all_differ && !view.options.whitespace).then(|| LineChangeQuery {
            line: 0,
            versions: VersionPair {
                old: Some(old),
                new: Some(view.version.clone()),
            },
            whitespace: true,
        })
    }

    /// Says which key ignores white space, if nothing else differs.
    pub(crate) fn hint_at_whitespace(&mut self) {
        let query = self.whitespace_query();
        let change = query.and_then(|query| self.line_changes.of(&query));
        if change.is_some_and(|change| change.are_same) && self.status.message.is_none() {
            self.show_filled(
                "every line differs in white space or its end: {whitespace} ignores that",
            );
        }
    }
}
