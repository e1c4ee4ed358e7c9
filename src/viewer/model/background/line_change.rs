//! What a commit made of a line, and the functions of a file.

use std::convert::Infallible;

use bstr::BString;

use crate::{
    sorting,
    viewer::model::{
        background::{line_history::ChangedLine, query::Query},
        diff::{DiffRow, FunctionName, VersionPair},
        file_version::FileVersion,
        texts::{pattern::Pattern, syntax::Spans, text::SharedText, word_diff},
    },
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
        let at = self.rows.iter().position(|it| std::ptr::eq(it, line))?;
        self.rows.get(self.counterpart_at(at)?)
    }

    /// As [`counterpart`](Self::counterpart), by index.
    fn counterpart_at(&self, at: usize) -> Option<usize> {
        let row = |at: usize| self.rows.get(at);
        let pair = self.own.zip(self.replaced).filter(|(own, old)| {
            let texts = row(*own).zip(row(*old));
            texts.is_some_and(|(own, old)| word_diff::differing(&own.text, &old.text).is_some())
        });
        match pair {
            Some((own, old)) if at == own => Some(old),
            Some((own, old)) if at == old => Some(own),
            _ => {
                let other = row(at)?.counterpart? as usize;
                let is_free = pair.is_none_or(|(own, old)| other != own && other != old);
                is_free.then_some(other)
            }
        }
    }

    /// The rows that stand for the change in so many rows of the screen: first those of the line, as it
    /// was above as it is, then its neighbours in such pairs, the nearest ones as far as there is room. In
    /// a single row, the line as it was if it replaced one like it: as it is, the blame shows it. Where all
    /// have room, the pairs stand as in the file.
    pub fn shown(&self, room: usize) -> Vec<&ChangedLine> {
        let is_removed = |line: &ChangedLine| matches!(line.row, DiffRow::Removed(_));
        let removed = self.rows.iter().take_while(|line| is_removed(line)).count();
        let (Some(own), true) = (self.own, removed > 0 && room > 0) else {
            return Vec::new();
        };
        if self.adds_wordless() {
            return Vec::new();
        }
        let old = self.replaced.or_else(|| self.counterpart_at(own));
        if room == 1 {
            return self.rows.get(old.unwrap_or(own)).into_iter().collect();
        }
        let old = old.unwrap_or(0);
        let news = (removed..self.rows.len())
            .filter(|at| *at != own)
            .map(|at| {
                let old = self.counterpart_at(at).filter(|other| *other != old);
                (at as isize - own as isize, old, Some(at))
            });
        let is_alone = |at: &usize| {
            let other = self.counterpart_at(*at).filter(|other| *other != own);
            *at != old && other.is_none()
        };
        let olds = (0..removed)
            .filter(is_alone)
            .map(|at| (at as isize - old as isize, Some(at), None));
        // By how far from the line they are, which is negative above it.
        let mut others: Vec<(isize, Option<usize>, Option<usize>)> = olds.chain(news).collect();
        sorting::sort_by_key(&mut others, |(away, ..)| (away.abs(), *away < 0));
        let mut left = room - 2;
        others.retain(|(_, old, new)| {
            let rows = usize::from(old.is_some()) + usize::from(new.is_some());
            let fits = rows <= left;
            left -= if fits { rows } else { 0 };
            fits
        });
        let pair = (0, Some(old), Some(own));
        // The order of the file where all of it is seen.
        let is_all = left + self.rows.len() == room;
        others.insert(0, pair);
        let first = usize::from(!is_all);
        sorting::sort_by_key(&mut others[first..], |(away, _, new)| {
            (*away, new.is_some())
        });
        let rows = others
            .into_iter()
            .flat_map(|(_, old, new)| [old, new])
            .flatten();
        rows.filter_map(|at| self.rows.get(at)).collect()
    }
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

/// A row of a line without its newline, cut at a length in bytes. A carriage return before the newline
/// remains, for [`hide_common_ends`].
pub(crate) fn row_of(row: DiffRow, text: &[u8], counterpart: Option<usize>) -> ChangedLine {
    /// Longest line, in bytes; what follows is cut.
    const MAX_LINE_LEN: usize = 1 << 12;
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    ChangedLine {
        row,
        text: BString::from(&text[..text.len().min(MAX_LINE_LEN)]),
        counterpart: counterpart.and_then(|at| u32::try_from(at).ok()),
        spans: Spans::default(),
    }
}

/// Removes the carriage returns at the ends of rows, but for those that their counterparts lack. One
/// `pair` of rows may be counterparts instead of what they are in a diff.
pub(crate) fn hide_common_ends(rows: &mut [ChangedLine], pair: Option<(usize, usize)>) {
    let is_hidden = |at: usize| {
        let other = match pair {
            Some((one, other)) if at == one => Some(other),
            Some((other, one)) if at == one => Some(other),
            _ => rows[at].counterpart.map(|at| at as usize),
        };
        let other = other.and_then(|at| rows.get(at));
        other.is_none_or(|other| other.text.ends_with(b"\r"))
    };
    let hidden: Vec<bool> = (0..rows.len()).map(is_hidden).collect();
    for (line, _) in rows.iter_mut().zip(hidden).filter(|(_, hidden)| *hidden) {
        if line.text.ends_with(b"\r") {
            line.text.pop();
        }
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
                    let is_all = room >= (removed + added) as usize;
                    let at = rows.iter().position(|row| *row == format!("-{old}"));
                    let at = at.expect("the line as it was");
                    assert!(is_all || at == 0, "{words}");
                    assert_eq!(rows[at + 1], format!("+{own}"), "{words}");
                    let most = room.min((removed + added) as usize);
                    assert_eq!(rows.len(), most, "{words}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 500, "{compared}");
    }

    #[test]
    fn neighbours_follow_in_whole_pairs() {
        let mut compared = 0;
        for (removed, added, own) in [(3, 3, 0), (3, 3, 1), (3, 3, 2), (2, 4, 1), (4, 2, 1)] {
            let mut change = change(removed, added, own, Some(own));
            for at in 0..removed.min(added) {
                let (old, new) = (at as usize, (removed + at) as usize);
                change.rows[old].counterpart = u32::try_from(new).ok();
                change.rows[new].counterpart = u32::try_from(old).ok();
            }
            for room in 2..9 {
                let words = shown(&change, room);
                let is_all = room >= (removed + added) as usize;
                let pair = words.find(&format!("-{own} +{own}"));
                assert!(pair.is_some_and(|at| is_all || at == 0), "{words}");
                for at in 0..removed.min(added) {
                    let (old, new) = (format!("-{at}"), format!("+{at}"));
                    let is_whole = words.contains(&format!("{old} {new}"));
                    let is_seen = words.contains(&old) || words.contains(&new);
                    assert_eq!(is_whole, is_seen, "{words}");
                    compared += usize::from(is_whole);
                }
            }
        }
        assert!(compared > 50, "{compared}");
        let mut change = change(3, 3, 1, Some(1));
        for (old, new) in [(0, 3), (1, 4), (2, 5)] {
            change.rows[old].counterpart = u32::try_from(new).ok();
            change.rows[new].counterpart = u32::try_from(old).ok();
        }
        for (room, rows) in [(3, "-1 +1"), (5, "-1 +1 -2 +2"), (6, "-0 +0 -1 +1 -2 +2")] {
            assert_eq!(shown(&change, room), rows);
        }
    }

    #[test]
    fn a_carriage_return_is_shown_where_only_one_side_has_it() {
        let row = |row, text: &[u8], counterpart| row_of(row, text, counterpart);
        let (removed, added) = (DiffRow::Removed, DiffRow::Added);
        let rows = || {
            vec![
                row(removed(0), b"a\n", Some(2)),
                row(removed(1), b"b\r\n", Some(3)),
                row(added(0), b"a\r\n", Some(0)),
                row(added(1), b"c\r\n", Some(1)),
                row(added(2), b"d\r\n", None),
            ]
        };
        let texts = |pair| {
            let mut rows = rows();
            hide_common_ends(&mut rows, pair);
            let texts = rows.iter().map(|row| row.text.to_string());
            texts.collect::<Vec<_>>()
        };
        assert_eq!(texts(None), ["a", "b", "a\r", "c", "d"]);
        assert_eq!(texts(Some((3, 0))), ["a", "b", "a\r", "c\r", "d"]);
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
        assert_eq!(shown(&change(2, 1, 0, None), 3), "-0 +0 -1");
        assert_eq!(shown(&change(2, 1, 0, Some(1)), 0), "");
    }
}
