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

/// So few uncommitted lines are seen at a glance.
const MIN_LINES: u32 = 3;

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

    /// The question what is changed in an edited file where white space does not count.
    pub(crate) fn whitespace_query(&self) -> Option<LineChangeQuery> {
        let view = self.view()?;
        let is_edited = matches!(
            view.version,
            FileVersion::WorkTree { .. } | FileVersion::CommandLine
        );
        let mut commits = view.commits().iter();
        let uncommitted = commits.position(|commit| commit.id.is_null())?;
        let uncommitted = u32::try_from(uncommitted).ok()?;
        let has_many = view.attribution.tally(uncommitted).lines >= MIN_LINES;
        let first = view.attribution.first_of(uncommitted)?;
        let old = view.attribution_of(first)?.origin.previous.clone()?;
        (is_edited && has_many && !view.options.whitespace).then(|| LineChangeQuery {
            line: 0,
            versions: VersionPair {
                old: Some(old),
                new: Some(view.version.clone()),
            },
            whitespace: true,
        })
    }

    /// Says which key ignores white space, if the uncommitted lines differ in nothing else.
    pub(crate) fn hint_at_whitespace(&mut self) {
        let query = self.whitespace_query();
        let change = query.and_then(|query| self.line_changes.of(&query));
        if change.is_some_and(|change| change.adds_none) && self.status.message.is_none() {
            self.show_filled(
                "all uncommitted lines differ in white space or line ends only: {whitespace} ignores that",
            );
        }
    }
}
