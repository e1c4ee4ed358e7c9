//! The state of the page with the history of lines, and the rows of its list.

use std::sync::Arc;

use bstr::BString;

use crate::{
    engine::OwnChange,
    sanitize::{self, Glyph, GlyphKind, Glyphs},
    viewer::{
        app::display::pager::Pager,
        model::{
            background::line_history::{HistoryChange, LineHistoryQuery},
            diff::DiffRow,
        },
        pages::{
            commit_row::{
                BROWSE_HELP, COPY_ID_HELP, SCROLL_HALF_HELP, SCROLL_HELP, WHOLE_COMMIT_HELP,
                author_columns_of, author_within, unreadable,
            },
            list::{ItemList, KeyHelp, ListRow, Tone},
            preview::PreviewedCommit,
            resumed::ResumedItems,
        },
        theme::roles::{DiffSide, Foreground},
        ui::{changed_lines::differing_words, header::thousands},
    },
};

/// Rows of a commit in the list.
pub(super) const ITEM_ROWS: u16 = 2;

/// The keys of the page.
pub(super) const KEYS: &[KeyHelp] = &[
    ("{close}  {line-history}", "close"),
    ("{down}", "older"),
    ("{up}", "newer"),
    (
        "{diff}  {blame-commit}",
        "blame: the version of this commit, at the lines; {back} returns",
    ),
    (
        "{blame-parent}",
        "before: blame the version before this commit",
    ),
    WHOLE_COMMIT_HELP,
    ("{help}", "keys"),
    SCROLL_HELP,
    SCROLL_HALF_HELP,
    COPY_ID_HELP,
    BROWSE_HELP,
    ("“born”", "in this commit the lines were added"),
    ("“nearby”", "this commit changed only lines around them"),
    (
        "“▌”",
        "the lines whose history this is: among those around them",
    ),
];

/// The keys of the page of lines that were deleted at a place.
pub(super) const DELETED_KEYS: &[KeyHelp] = &[
    ("{close}", "close"),
    ("{down}", "older"),
    ("{up}", "newer"),
    (
        "{diff}  {blame-commit}",
        "blame: the version without the lines, at their place; {back} returns",
    ),
    (
        "{blame-parent}",
        "before: blame the version that still has the lines",
    ),
    WHOLE_COMMIT_HELP,
    ("{help}", "keys"),
    SCROLL_HELP,
    SCROLL_HALF_HELP,
    COPY_ID_HELP,
    BROWSE_HELP,
    (
        "“▌”",
        "the lines that were deleted there: among those around them",
    ),
];

/// The topic of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HistoryTopic {
    /// The commits that changed the lines.
    Changes,
    /// Lines that were deleted at the line: above or below it, or around it.
    Deleted(&'static str),
}

/// The page.
#[derive(Debug)]
pub(super) struct LineHistoryPage {
    pub(super) topic: HistoryTopic,
    pub(super) query: LineHistoryQuery,
    /// The file's path.
    pub(super) path: Arc<BString>,
    /// The commits found so far, newest first.
    pub(super) found: ResumedItems<HistoryChange>,
    /// The width of the longest name of their authors.
    pub(super) longest_author: usize,
    pub(super) list: ItemList,
    /// Scrolls the change.
    pub(super) pager: Pager,
    /// The commit at whose lines the change was scrolled to.
    pub(super) scrolled_to: Option<usize>,
}

impl LineHistoryPage {
    pub(super) fn new(query: LineHistoryQuery, path: Arc<BString>) -> LineHistoryPage {
        LineHistoryPage {
            topic: HistoryTopic::Changes,
            query,
            path,
            found: ResumedItems::new(),
            longest_author: 0,
            list: ItemList::default(),
            pager: Pager::default(),
            scrolled_to: None,
        }
    }

    /// The selected commit.
    pub(super) fn change(&self) -> Option<&HistoryChange> {
        self.found.items.get(self.list.selected)
    }

    /// What is shown of the selected commit.
    pub(super) fn previewed(&self) -> Option<PreviewedCommit<'_>> {
        let change = self.change()?;
        Some(PreviewedCommit {
            id: &change.commit,
            metadata: change.metadata.as_deref().ok(),
            rows: Some(&change.rows),
        })
    }

    /// The lines in words: `line 12`, `lines 10–20`.
    pub(super) fn lines_in_words(&self) -> String {
        let lines = &self.query.lines;
        match lines.end.saturating_sub(lines.start) {
            0 | 1 => format!("line {}", thousands(lines.start + 1)),
            _ => format!(
                "lines {}–{}",
                thousands(lines.start + 1),
                thousands(lines.end)
            ),
        }
    }
}

/// Date, author and summary of a commit, of whose authors the longest name has a width, in a row of a
/// width.
pub(super) fn commit_row(change: &HistoryChange, longest: usize, width: usize) -> ListRow {
    let row = ListRow::new(" ");
    let metadata = match &change.metadata {
        Ok(metadata) => metadata,
        Err(failure) => return unreadable(row, &change.commit, failure),
    };
    // What happened around the lines stays behind what happened to them.
    let (text, summary) = match change.own_change {
        OwnChange::None => (Foreground::Faint, Tone::Text(Foreground::Faint)),
        _ => (Foreground::Author, Tone::Strong(Foreground::Text)),
    };
    let commit = (&change.commit, &**metadata);
    let columns = author_columns_of(longest, width);
    let mut row = author_within(row, commit, text, columns).put(" ", text);
    if change.is_inferred {
        row = row.put("moved? ", Foreground::Mark);
    }
    if change.is_merge {
        row = row.put("merge ", Foreground::Mark);
    }
    row = match change.own_change {
        OwnChange::Wrote => row.put("born ", Foreground::Mark),
        OwnChange::Changed(_) => match change.own_change.doubtful() {
            Some(alike) => row.put(format!("{alike}% alike "), Foreground::Mark),
            None => row,
        },
        OwnChange::None => row.put("nearby ", Foreground::Faint),
    };
    row.put_as(sanitize::line(&metadata.summary()), summary)
}

/// The text as it was then: the first line that changed, with the words that changed, cut at the
/// width.
pub(super) fn headline(change: &HistoryChange, width: usize) -> ListRow {
    let row = ListRow::new(" ").right(match change.counts {
        (1, 0 | 1) => String::new(),
        (added, removed) => format!(" +{} -{} ", thousands(added), thousands(removed)),
    });
    let Some(line) = change.headline() else {
        let words = if change.rows.is_empty() {
            "  (not shown)"
        } else {
            "  (blank lines)"
        };
        return row.put(words, Foreground::Faint);
    };
    let (sign, foreground, side) = match line.row {
        DiffRow::Removed(_) => ("- ", Foreground::Removed, DiffSide::Removed),
        _ => ("+ ", Foreground::Added, DiffSide::Added),
    };
    let plain = match change.own_change {
        OwnChange::None => Foreground::Faint,
        _ => Foreground::Text,
    };
    let differing = differing_words(line, change.counterpart(line));
    let indent = line.text.len() - line.text.trim_ascii_start().len();
    let mut row = row.put(sign, foreground);
    let room = width.saturating_sub(3 + sanitize::width(row.right.as_bytes()));
    let glyphs = Glyphs::new(&line.text[indent..]);
    let glyphs: Vec<_> = glyphs.take_while(|glyph| glyph.column <= room).collect();
    let fits = |glyph: &Glyph<'_>, room| glyph.column + glyph.columns <= room;
    let is_cut = glyphs.last().is_some_and(|last| !fits(last, room));
    let room = room.saturating_sub(usize::from(is_cut));
    for glyph in glyphs.into_iter().take_while(|glyph| fits(glyph, room)) {
        let tone = match glyph.kind {
            _ if differing
                .iter()
                .any(|it| it.contains(&(glyph.start + indent))) =>
            {
                Tone::Words(side)
            }
            GlyphKind::Escape => Tone::Text(Foreground::Mark),
            GlyphKind::Text => Tone::Text(plain),
        };
        row.extend_as(&glyph.text, tone);
    }
    if is_cut { row.put("›", plain) } else { row }
}
