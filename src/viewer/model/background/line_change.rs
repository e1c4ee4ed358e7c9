//! What a commit made of a line, and the functions of a file.

use std::{convert::Infallible, ops::Range};

use bstr::BString;

use crate::viewer::model::{
    background::{line_history::ChangedLine, query::Query},
    diff::{DiffRow, FunctionName, VersionPair},
    file_version::FileVersion,
    texts::{pattern::Pattern, syntax::Spans, text::SharedText, word_diff},
};

/// A question for the change of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChangeQuery {
    /// The line (0-based) of the new version.
    pub line: u32,
    /// The versions; both exist.
    pub versions: VersionPair,
    /// True if whitespace is ignored.
    pub whitespace: bool,
}

impl Query for LineChangeQuery {
    type Item = Infallible;
    type End = LineChangeRows;
}

/// The hunk that has a line, as rows: the removed ones, then the added ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineChangeRows {
    /// The rows, of which those far from the line may be left out.
    pub rows: Vec<ChangedLine>,
    /// The index of the line's own row; `None` if the versions do not differ in it.
    pub own: Option<usize>,
    /// The index of the row that it replaced, as far as one is like it.
    pub replaced: Option<usize>,
    /// How many lines the hunk removes and adds.
    pub counts: (u32, u32),
    /// True if no line of the new version is another one than in the old version.
    pub adds_none: bool,
}

impl LineChangeRows {
    /// True if the line has no word and replaced none without one, as a blank line or a bracket: those
    /// that the hunk removes say nothing about it.
    pub fn adds_wordless(&self) -> bool {
        let own = self.own.and_then(|own| self.rows.get(own));
        let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
        let is_wordless = |line: &ChangedLine| !line.text.iter().any(is_of_word);
        own.is_some_and(|own| {
            let replaced = self.replaced.and_then(|at| self.rows.get(at));
            is_wordless(own) && !replaced.is_some_and(is_wordless)
        })
    }

    /// The row with which a row is compared for the words that differ: that of the selected line with the
    /// one that it replaced if they have words in common, and others as in a diff.
    pub fn counterpart(&self, line: &ChangedLine) -> Option<&ChangedLine> {
        let row = |at: Option<usize>| self.rows.get(at?);
        let pair = row(self.own).zip(row(self.replaced));
        let pair = pair.filter(|(own, old)| word_diff::differing(&own.text, &old.text).is_some());
        let is_paired = |it: &ChangedLine| {
            pair.is_some_and(|(own, old)| std::ptr::eq(it, own) || std::ptr::eq(it, old))
        };
        match pair {
            Some((own, old)) if std::ptr::eq(line, own) => Some(old),
            Some((own, old)) if std::ptr::eq(line, old) => Some(own),
            _ => row(line.counterpart.map(|at| at as usize)).filter(|other| !is_paired(other)),
        }
    }

    /// The rows that stand for the change in so many rows of the screen: those of the line and of
    /// its counterpart, and those around them as far as there is room. In a single row, what the line
    /// was before.
    pub fn shown(&self, room: usize) -> Vec<&ChangedLine> {
        let is_removed = |line: &ChangedLine| matches!(line.row, DiffRow::Removed(_));
        let removed = self.rows.iter().take_while(|line| is_removed(line)).count();
        let (Some(own), true) = (self.own, removed > 0 && room > 0) else {
            return Vec::new();
        };
        if self.adds_wordless() {
            return Vec::new();
        }
        let counterpart = self.replaced.unwrap_or(0);
        let added = self.rows.len() - removed;
        // Half of the room for either side, and what one does not need for the other.
        let old = removed.min((room - added.min(room / 2)).max(1));
        let new = added.min(room - old);
        let old = window(0..removed, counterpart, old);
        let new = window(removed..self.rows.len(), own, new);
        self.rows[old].iter().chain(&self.rows[new]).collect()
    }
}

/// `count` of the rows, or all if they are fewer, with the row `around` near the middle.
fn window(rows: Range<usize>, around: usize, count: usize) -> Range<usize> {
    let first = around.saturating_sub(count.saturating_sub(1) / 2);
    let first = first.clamp(rows.start, rows.end - count.min(rows.len()));
    first..first + count
}

/// A question for the change from one version of a file to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionChangeQuery {
    /// The versions; without an old one, all lines are new.
    pub versions: VersionPair,
    /// True if whitespace is ignored.
    pub whitespace: bool,
    /// What comes before the first hunk that changes how often this matches is left out.
    pub pattern: Option<Pattern>,
}

impl Query for VersionChangeQuery {
    type Item = Infallible;
    /// The hunks as rows, with lines around them. Later ones may be left out.
    type End = Vec<ChangedLine>;
}

/// A question for the lines of a file that start functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionsQuery {
    /// The text.
    pub text: SharedText,
    /// The file, whose attributes tell the rule.
    pub place: FileVersion,
}

impl Query for FunctionsQuery {
    type Item = Infallible;
    /// The names of the functions, in the order of their lines.
    type End = Vec<FunctionName>;
}

/// A row of a line without its newline, cut at a length in bytes.
pub(crate) fn row_of(row: DiffRow, text: &[u8], counterpart: Option<usize>) -> ChangedLine {
    /// Longest line, in bytes; what follows is cut.
    const MAX_LINE_LEN: usize = 1 << 12;
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    ChangedLine {
        row,
        text: BString::from(&text[..text.len().min(MAX_LINE_LEN)]),
        counterpart: counterpart.and_then(|at| u32::try_from(at).ok()),
        spans: Spans::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(removed: u32, added: u32, own: u32, replaced: Option<u32>) -> LineChangeRows {
        let olds = (0..removed).map(|line| row_of(DiffRow::Removed(line), b"old\n", None));
        let news = (0..added).map(|line| row_of(DiffRow::Added(line), b"new\n", None));
        LineChangeRows {
            rows: olds.chain(news).collect(),
            own: Some((removed + own) as usize),
            replaced: replaced.map(|at| at as usize),
            counts: (removed, added),
            adds_none: false,
        }
    }

    fn shown(change: &LineChangeRows, room: usize) -> String {
        let words = change.shown(room).into_iter().map(|line| match line.row {
            DiffRow::Removed(line) => format!("-{line}"),
            DiffRow::Added(line) => format!("+{line}"),
            other => format!("{other:?}"),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_line_and_its_counterpart_are_always_shown() {
        let mut compared = 0;
        for (removed, added) in [(1, 1), (1, 9), (9, 1), (9, 9), (3, 2)] {
            for (own, old) in (0..added).flat_map(|own| (0..removed).map(move |old| (own, old))) {
                let change = change(removed, added, own, Some(old));
                assert_eq!(shown(&change, 1), format!("-{old}"));
                for room in 2..12 {
                    let words = shown(&change, room);
                    let rows: Vec<&str> = words.split(' ').collect();
                    assert!(rows.contains(&&*format!("-{old}")), "{words}");
                    assert!(rows.contains(&&*format!("+{own}")), "{words}");
                    let most = room.min((removed + added) as usize);
                    assert_eq!(rows.len(), most, "{words}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 500, "{compared}");
    }

    #[test]
    fn rows_are_paired_as_in_a_diff_but_for_the_line() {
        let mut change = change(2, 3, 0, Some(1));
        change.rows[1].text = "a new word".into();
        change.rows[2].text = "a word".into();
        for (old, new) in [(0, 2), (1, 3)] {
            change.rows[old].counterpart = u32::try_from(new).ok();
            change.rows[new].counterpart = u32::try_from(old).ok();
        }
        let pairs = |change: &LineChangeRows| {
            let other = |line| change.counterpart(line).map(|it| it.row);
            change.rows.iter().map(other).collect::<Vec<_>>()
        };
        let (old, new) = (Some(DiffRow::Removed(1)), Some(DiffRow::Added(0)));
        assert_eq!(pairs(&change), [None, new, old, None, None]);
        // Of lines without a word in common nothing can be shown.
        change.rows[2].text = "7".into();
        let first = [DiffRow::Added(0), DiffRow::Added(1)].map(Some);
        let last = [Some(DiffRow::Removed(0)), old, None];
        assert_eq!(pairs(&change), [&first[..], &last].concat());
    }

    #[test]
    fn a_blank_line_replaces_only_a_blank_one() {
        let mut change = change(2, 1, 0, Some(1));
        assert!(!change.adds_wordless());
        change.rows[2].text = " ".into();
        assert!(change.adds_wordless());
        assert_eq!(shown(&change, 3), "");
        change.rows[1].text = "\t".into();
        assert!(!change.adds_wordless());
        assert_eq!(shown(&change, 3), "-0 -1 +0");
    }

    #[test]
    fn lines_without_an_old_one_have_no_rows() {
        assert_eq!(shown(&change(0, 4, 1, None), 5), "");
        assert_eq!(shown(&LineChangeRows::default(), 5), "");
        assert_eq!(shown(&change(2, 1, 0, None), 3), "-0 -1 +0");
        assert_eq!(shown(&change(2, 1, 0, Some(1)), 0), "");
    }
}
