//! Maps a line of one version of a file to another version.

use std::{cmp::Reverse, ops::Range};

use crate::{
    diff::{self, ComparedText, DiffError, Differ, Hunk, LineInterner, Token},
    engine::{Bigrams, MAX_COMPARED_LEN, MIN_SIMILARITY, proportional},
};

/// Most old lines of a hunk that are compared with the line.
const MAX_CANDIDATES: u32 = 1000;

/// Most equal lines in the hunks that are considered as the origin of a moved line.
const MAX_MOVE_CANDIDATES: usize = 1000;

/// Most neighbours of a moved line that are compared, in either direction.
const MAX_NEIGHBOURS: u32 = 100;

/// Fewest letters and digits of a moved block.
const MIN_MOVED_LEN: u32 = 8;

/// Fewest letters and digits of a moved line that is unique on both sides.
const MIN_UNIQUE_LEN: u32 = 3;

/// Fewest letters and digits of a block that is considered as moved although the hunk has a line of
/// [`CLOSE_SIMILARITY`].
const MIN_SURE_LEN: u32 = 20;

/// Most comparisons of lines to find a neighbour that has a counterpart.
const MAX_NEIGHBOUR_COMPARISONS: usize = 20_000;

/// Similarity in percent of lines that are probably versions of each other.
const CLOSE_SIMILARITY: u8 = 90;

/// The counterpart of a line in another version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MappedLine {
    /// The line (0-based).
    pub line: u32,
    /// How it was found.
    pub quality: MappingQuality,
}

/// How a line was mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MappingQuality {
    /// The line is outside of all hunks.
    Exact,
    /// The same line, which was removed at another place.
    Moved,
    /// The most similar line of a hunk, with the similarity in percent.
    Similar(u8),
    /// No line of the hunk is similar; this is the one beside the counterpart of the nearest line that
    /// has one.
    Replaced,
    /// The line has no counterpart. Its place is before this line (0-based), which is the number of
    /// lines at the end.
    NoCounterpart(u32),
}

/// The places of a text that differ from another one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedPlaces {
    /// The lines that the other text does not have (0-based), sorted.
    pub lines: Vec<Range<u32>>,
    /// The lines (0-based) before which only the other text has lines, sorted.
    pub gaps: Vec<u32>,
}

impl ChangedPlaces {
    /// True if the other text does not have a line.
    pub fn has(&self, line: u32) -> bool {
        let next = self.lines.partition_point(|range| range.end <= line);
        self.lines
            .get(next)
            .is_some_and(|range| range.start <= line)
    }

    /// True if a place is at one of some lines.
    pub fn touches(&self, lines: &Range<u32>) -> bool {
        let next = self.lines.partition_point(|range| range.end <= lines.start);
        let gap = self.gaps.partition_point(|gap| *gap < lines.start);
        let is_inside = |start: &u32| *start < lines.end;
        self.lines
            .get(next)
            .is_some_and(|range| is_inside(&range.start))
            || self.gaps.get(gap).is_some_and(is_inside)
    }

    /// True if only the other text has lines before a line.
    pub fn has_gap_before(&self, line: u32) -> bool {
        self.gaps.binary_search(&line).is_ok()
    }
}

/// Maps `line` of the text `from` to a line of the text `to` (both 0-based).
///
/// Outside of hunks the result is exact. In a hunk it is the same line where another place lost it,
/// preferably with the same neighbours, or the most similar line that the hunk has in `to`.
///
/// # Errors
/// If the texts are too large for the diff.
pub fn map(
    line: u32,
    from: &[u8],
    to: &[u8],
    options: &diff::DiffOptions,
) -> Result<MappedLine, DiffError> {
    map_with_changes(line, from, to, options).map(|(line, _)| line)
}

/// As [`map`], with what differs in `to`.
///
/// # Errors
/// If the texts are too large for the diff.
pub fn map_with_changes(
    line: u32,
    from: &[u8],
    to: &[u8],
    options: &diff::DiffOptions,
) -> Result<(MappedLine, ChangedPlaces), DiffError> {
    let versions = ComparedVersions::new(from, to, options)?;
    let mut changes = ChangedPlaces::default();
    for hunk in &versions.hunks {
        if hunk.old.is_empty() {
            changes.gaps.push(hunk.old.start)
        } else {
            changes.lines.push(hunk.old.clone())
        }
    }
    Ok((versions.map(line), changes))
}

/// The lines of the text `to` (0-based) that are changed or new compared with the text `from`.
///
/// # Errors
/// If the texts are too large for the diff.
pub fn changed_lines(from: &[u8], to: &[u8]) -> Result<Vec<Range<u32>>, DiffError> {
    let hunks = ComparedText::new(from, &diff::DiffOptions::default())?.hunks_to(to)?;
    let changed = hunks.into_iter().map(|hunk| hunk.new);
    Ok(changed.filter(|lines| !lines.is_empty()).collect())
}

fn exact(line: u32) -> MappedLine {
    MappedLine {
        line,
        quality: MappingQuality::Exact,
    }
}

fn similar_line(percent: u8, line: u32) -> MappedLine {
    MappedLine {
        line,
        quality: MappingQuality::Similar(percent),
    }
}

/// Two versions of a file that have been compared.
pub struct ComparedVersions {
    lines: LineInterner,
    from: Vec<Token>,
    to: Vec<Token>,
    /// They have `to` as the old side.
    hunks: Vec<Hunk>,
}

/// An equal line that was removed elsewhere.
struct MovedLine {
    line: u32,
    /// Letters and digits of the block of equal lines around it.
    weight: u32,
    is_same_hunk: bool,
    /// True if not even the indentation differs.
    is_identical: bool,
}

impl ComparedVersions {
    /// Compares two versions.
    ///
    /// # Errors
    /// If the texts are too large for the diff.
    pub fn new(from: &[u8], to: &[u8], options: &diff::DiffOptions) -> Result<Self, DiffError> {
        let mut lines = LineInterner::new(options.ignore_whitespace);
        let (mut to_tokens, mut from_tokens) = (Vec::new(), Vec::new());
        lines.tokenize(to, &mut to_tokens)?;
        lines.tokenize(from, &mut from_tokens)?;
        let mut hunks = Vec::new();
        Differ::default().hunks(&lines, &to_tokens, &from_tokens, options, &mut hunks)?;
        Ok(ComparedVersions {
            lines,
            from: from_tokens,
            to: to_tokens,
            hunks,
        })
    }

    /// The hunk that has a line (0-based) of `from`: its lines in `to` are the old ones.
    pub fn hunk_of(&self, line: u32) -> Option<&Hunk> {
        let next = self.hunks.partition_point(|hunk| hunk.new.end <= line);
        self.hunks.get(next).filter(|hunk| hunk.new.contains(&line))
    }

    /// The hunks: `to` is their old side.
    pub fn hunks(&self) -> &[Hunk] {
        &self.hunks
    }

    /// The number of lines of `from`.
    pub fn line_count(&self) -> u32 {
        self.from.len() as u32
    }

    /// A line (0-based) of `from`, with its newline.
    pub fn line_of_from(&self, line: u32) -> &[u8] {
        self.text(&self.from, line)
    }

    /// A line (0-based) of `to`, with its newline.
    pub fn line_of_to(&self, line: u32) -> &[u8] {
        self.text(&self.to, line)
    }

    /// The counterpart of a line (0-based) of `from`, as [`map`] finds it.
    pub fn map(&self, line: u32) -> MappedLine {
        let hunks = &self.hunks;
        // The last hunk that starts at or before the line.
        let before = hunks.partition_point(|hunk| hunk.new.start <= line);
        let Some(at) = before.checked_sub(1) else {
            return exact(line);
        };
        let hunk = &hunks[at];
        if line >= hunk.new.end {
            return exact(hunk.old.end + (line - hunk.new.end));
        }
        let similar = self.most_similar(line, hunk);
        let moved = self.moved_from(line, at);
        match (moved, similar) {
            (Some(moved), Some((percent, _)))
                if !moved.is_identical && moved.is_same_hunk && percent < 100 =>
            {
                similar_line(percent, moved.line)
            }
            (Some(moved), _) if !moved.is_identical && moved.is_same_hunk => {
                similar_line(100, moved.line)
            }
            (Some(moved), similar)
                if moved.is_same_hunk
                    || moved.weight >= MIN_SURE_LEN
                    || similar.is_none_or(|(percent, _)| percent < CLOSE_SIMILARITY) =>
            {
                MappedLine {
                    line: moved.line,
                    quality: MappingQuality::Moved,
                }
            }
            (_, Some((percent, line))) if percent >= MIN_SIMILARITY => similar_line(percent, line),
            (_, Some(_)) => MappedLine {
                line: self.beside(line, hunk),
                quality: MappingQuality::Replaced,
            },
            (_, None) => {
                let last = (self.to.len() as u32).saturating_sub(1);
                MappedLine {
                    line: hunk.old.start.min(last),
                    quality: MappingQuality::NoCounterpart(hunk.old.start),
                }
            }
        }
    }

    fn text(&self, tokens: &[Token], line: u32) -> &[u8] {
        let token = tokens.get(line as usize);
        token
            .map(|&token| self.lines.bytes(token))
            .unwrap_or_default()
    }

    /// Similarity in percent and number of the line of the hunk in `to` that is most similar;
    /// `None` if it has no lines there.
    fn most_similar(&self, line: u32, hunk: &Hunk) -> Option<(u8, u32)> {
        if hunk.old.is_empty() {
            return None;
        }
        let wanted = Bigrams::new(self.text(&self.from, line));
        let middle = proportional(line, &hunk.new, &hunk.old);
        let first = middle.saturating_sub(MAX_CANDIDATES / 2);
        let first = hunk.old.start.max(first);
        let candidates = first..hunk.old.end.min(first.saturating_add(MAX_CANDIDATES));
        let scored = candidates.map(|candidate| {
            let percent = wanted.similarity(&Bigrams::new(self.text(&self.to, candidate)));
            (percent, Reverse(candidate.abs_diff(middle)), candidate)
        });
        scored.max().map(|(percent, _, line)| (percent, line))
    }

    /// The line of the hunk in `to` beside the counterpart of the nearest line that has one: another line
    /// of the hunk, or those before and after it. Of as many lines, the n-th stands for the n-th.
    fn beside(&self, line: u32, hunk: &Hunk) -> u32 {
        if hunk.new.len() == hunk.old.len() {
            return hunk.old.start + (line - hunk.new.start);
        }
        let last = hunk.old.end - 1;
        let candidates = hunk.old.len().clamp(1, MAX_CANDIDATES as usize);
        let most = (MAX_NEIGHBOUR_COMPARISONS / candidates / 2) as u32;
        let counterpart = |neighbour: u32| {
            let text = self.text(&self.from, neighbour);
            let found = (word_len(text) >= MIN_UNIQUE_LEN)
                .then(|| self.most_similar(neighbour, hunk))??;
            (found.0 >= MIN_SIMILARITY).then_some(found.1)
        };
        // The lines around the hunk have one.
        let (above, below) = (line - hunk.new.start + 1, hunk.new.end - line);
        for by in 1..above.min(below).min(most) {
            if let Some(found) = counterpart(line - by) {
                return (found + 1).min(last);
            }
            if let Some(found) = counterpart(line + by) {
                return found.saturating_sub(1).max(hunk.old.start);
            }
        }
        if above <= below { hunk.old.start } else { last }
    }

    /// The equal line in the `to` side of all hunks whose neighbours agree best, if these are
    /// enough to tell it from a coincidence. `own` is the index of the hunk with the line.
    fn moved_from(&self, line: u32, own: usize) -> Option<MovedLine> {
        let hunks = &self.hunks;
        let wanted = self.text(&self.from, line);
        let trimmed = wanted.trim_ascii();
        let is_equal =
            |tokens: &[Token], line: u32| self.text(tokens, line).trim_ascii() == trimmed;
        let removed = hunks.iter().enumerate().flat_map(|(at, hunk)| {
            let lines = hunk.old.clone().filter(|&old| is_equal(&self.to, old));
            lines.map(move |old| (at, old))
        });
        let removed: Vec<(usize, u32)> = removed.take(MAX_MOVE_CANDIDATES).collect();
        let middle = proportional(line, &hunks[own].new, &hunks[own].old);
        let scored = removed.iter().map(|&(at, old)| {
            let weight = self.common_len((line, &hunks[own].new), (old, &hunks[at].old));
            let same = at == own;
            (weight, same, Reverse(old.abs_diff(middle)), old)
        });
        let (weight, is_same_hunk, _, old) = scored.max()?;
        let is_unique = || {
            let added = hunks.iter().flat_map(|hunk| hunk.new.clone());
            let mut added = added.filter(|&new| is_equal(&self.from, new));
            removed.len() == 1 && added.nth(1).is_none()
        };
        let enough = weight >= MIN_MOVED_LEN || word_len(trimmed) >= MIN_UNIQUE_LEN && is_unique();
        enough.then(|| MovedLine {
            line: old,
            weight,
            is_same_hunk,
            is_identical: self.text(&self.to, old) == wanted,
        })
    }

    /// Letters and digits of the equal lines around two equal lines, within their hunks.
    fn common_len(&self, (new, news): (u32, &Range<u32>), (old, olds): (u32, &Range<u32>)) -> u32 {
        let len = |new: u32, old: u32| {
            let text = self.text(&self.from, new).trim_ascii();
            (text == self.text(&self.to, old).trim_ascii()).then(|| word_len(text))
        };
        let before = (new - news.start).min(old - olds.start).min(MAX_NEIGHBOURS);
        let after = (news.end - new).min(olds.end - old).min(MAX_NEIGHBOURS);
        let before = (1..=before).map_while(|by| len(new - by, old - by));
        let after = (0..after).map_while(|by| len(new + by, old + by));
        before.chain(after).sum()
    }
}

/// Number of letters and digits of a line, as far as lines are compared.
fn word_len(line: &[u8]) -> u32 {
    let bytes = line.iter().take(MAX_COMPARED_LEN);
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    bytes.filter(is_word).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn land(old: &str, new: &str, line: u32) -> (u32, MappingQuality) {
        let options = diff::DiffOptions::default();
        let mapped_line = map(line, new.as_bytes(), old.as_bytes(), &options).expect("small texts");
        (mapped_line.line, mapped_line.quality)
    }

    #[test]
    fn outside_of_hunks_the_map_is_exact() {
        assert_eq!(
            land("a\nb\nc\n", "x\na\nb\nc\n", 2),
            (1, MappingQuality::Exact)
        );
        assert_eq!(land("a\nb\nc\n", "a\nc\n", 1), (2, MappingQuality::Exact));
        assert_eq!(land("a\n", "a\n", 0), (0, MappingQuality::Exact));
    }

    #[test]
    fn an_added_line_maps_to_the_line_after_it() {
        let no = MappingQuality::NoCounterpart;
        assert_eq!(land("a\nb\n", "a\nnew\nb\n", 1), (1, no(1)));
        assert_eq!(land("a\n", "a\nnew\n", 1), (0, no(1)));
        assert_eq!(land("", "new\n", 0), (0, no(0)));
    }

    #[test]
    fn a_moved_line_maps_to_where_it_was_removed() {
        let block = "fn words() {\n    split();\n}\n\n";
        let (head, foot) = ("use a;\nuse b;\n\n", "fn main() {\n    run();\n}\n");
        let rest = "fn one() {\n}\n\nfn two() {\n}\n\n";
        let old = format!("{head}{block}{rest}{foot}");
        let new = format!("{head}{rest}{block}{foot}");
        let moved = (0..4).map(|line| land(&old, &new, 9 + line));
        let expected = (0..4).map(|line| (3 + line, MappingQuality::Moved));
        assert!(moved.eq(expected));
        // The block whose neighbours agree is preferred, wherever it is.
        let old = "x\n  same();\ny\nleft();\n  same();\nright();\na\nb\nc\nd\ne\nf\n";
        let new = "a\nb\nc\nd\ne\nf\nleft();\n  same();\nright();\n";
        assert_eq!(land(old, new, 7), (4, MappingQuality::Moved));
        // A closing brace says nothing.
        let (old, new) = ("}\nkeep\nend\n", "keep\n}\nend\n");
        assert_eq!(land(old, new, 1), (2, MappingQuality::NoCounterpart(2)));
        // What is only indented was not moved.
        let (old, new) = ("a\nfirst();\nb\n", "a\nif c\n  first();\nb\n");
        assert_eq!(land(old, new, 2), (1, MappingQuality::Similar(100)));
        // A close version in the same hunk is better than a coincidence elsewhere.
        let old = "return first_value;\nkeep\nreturn  first_values;\nend\n";
        let new = "keep\nreturn first_value;\nend\n";
        assert_eq!(land(old, new, 1), (2, MappingQuality::Similar(91)));
    }

    #[test]
    fn in_a_hunk_the_most_similar_line_is_taken() {
        let old = "head\nlet count = lines.len();\nprint(count);\nfoot\n";
        let new = "head\nshow(total);\nlet total = lines.len();\nfoot\n";
        assert_eq!(land(old, new, 2), (1, MappingQuality::Similar(70)));
        assert_eq!(
            land("a\n  x\nb\n", "a\nx\nb\n", 1),
            (1, MappingQuality::Similar(100))
        );
        // Nothing is alike: the place is kept.
        assert_eq!(
            land("a\n1\n2\n3\n4\nb\n", "a\nv\nw\nx\ny\nb\n", 3),
            (3, MappingQuality::Replaced)
        );
    }

    #[test]
    fn a_line_without_a_counterpart_lands_beside_the_nearest_line_that_has_one() {
        let old: Vec<String> = (0..12).map(|at| format!("({at}|{at})")).collect();
        let mut old = ["head".to_owned()]
            .into_iter()
            .chain(old)
            .collect::<Vec<_>>();
        old.push("let counted_lines = lines.len();".to_owned());
        old.extend((0..3).map(|at| format!("<{at}>")));
        old.push("foot".to_owned());
        let new = [
            "head",
            "red",
            "tea",
            "let counted_lines = all.lines.len();",
            "cup",
            "sky",
            "oak",
            "foot",
        ];
        let (old, new) = (old.join("\n") + "\n", new.join("\n") + "\n");
        // Its neighbours are the line before the hunk, the similar one, and the line after the hunk.
        for (line, place) in [(1, 1), (2, 12), (4, 14), (5, 16), (6, 16)] {
            assert_eq!(
                land(&old, &new, line),
                (place, MappingQuality::Replaced),
                "{line}"
            );
        }
    }
}
