//! Answers [`LineChangeQuery`], [`VersionChangeQuery`], [`MovedNamesQuery`] and [`FunctionsQuery`]:
//! what a commit made of a line and of a file, where it moved files, and which lines of a file start
//! functions.

use std::{collections::HashMap, ops::Range, sync::Arc};

use bstr::BString;

use crate::{
    diff,
    ranges::FunctionRule,
    viewer::{
        model::{
            background::{
                directory_history::MovedNamesQuery,
                line_change::{
                    FunctionsQuery, LineChangeQuery, LineChangeRows, VersionChangeQuery,
                    hide_common_ends, row_of,
                },
                line_history::ChangedLine,
                query::{AnswerTaker, Answers},
            },
            diff::{DiffRow, FunctionName, VersionPair, counterparts},
            source::{Failure, FileVersion, VersionReader},
            texts::{
                function_names,
                line_map::{ComparedVersions, MappingQuality},
                pattern::Pattern,
            },
        },
        tasks::{
            diff::{CONTEXT, rows},
            highlight::guessed_lines,
        },
    },
};

/// Most rows of either side of a change.
const MAX_ROWS: u32 = 40;

/// Most rows of the change from one version to the next.
const MAX_PREVIEW_ROWS: usize = 400;

/// Most bytes of two versions whose comparison is kept for the next question.
const MAX_KEPT_LEN: usize = 1 << 25;

/// How many lines are looked at between two looks whether the answer is still wanted.
const LINES_BETWEEN_STOPS: u32 = 512;

/// Compares versions, and keeps the comparison for the next line of the same commit.
pub struct LineComparer {
    texts: Box<dyn VersionReader>,
    last: Option<(VersionPair, bool, ComparedVersions)>,
    /// The last versions are too large to be kept.
    is_large: bool,
}

impl LineComparer {
    /// Compares what a reader reads, which is used for nothing else.
    pub fn new(texts: Box<dyn VersionReader>) -> LineComparer {
        LineComparer {
            texts,
            last: None,
            is_large: false,
        }
    }

    fn compare(
        &mut self,
        versions: &VersionPair,
        whitespace: bool,
    ) -> Result<&ComparedVersions, Failure> {
        let is_same =
            |(known, with, _): &(VersionPair, bool, _)| *with == whitespace && known == versions;
        let last = match self.last.take().filter(is_same) {
            Some(last) => last,
            None => {
                let old = versions.old.as_ref();
                let old = old.map(|(commit, path)| FileVersion::Commit {
                    commit: *commit,
                    path: path.clone(),
                });
                let mut side = |version: Option<&FileVersion>| match version {
                    Some(version) => self.texts.contents(version),
                    None => Ok(Arc::from([])),
                };
                let (old, new) = (side(old.as_ref())?, side(versions.new.as_ref())?);
                self.is_large = old.len() + new.len() > MAX_KEPT_LEN;
                let options = diff::DiffOptions {
                    ignore_whitespace: whitespace,
                    ..self.texts.diff_options()
                };
                let compared = ComparedVersions::new(&new, &old, &options).map_err(Failure::new)?;
                (versions.clone(), whitespace, compared)
            }
        };
        Ok(&self.last.insert(last).2)
    }
}

impl LineComparer {
    /// Compares versions for an answer, and keeps the comparison unless that is too large.
    fn answer<T>(
        &mut self,
        versions: &VersionPair,
        whitespace: bool,
        answer: impl FnOnce(&ComparedVersions) -> T,
    ) -> Result<T, Failure> {
        let answer = answer(self.compare(versions, whitespace)?);
        if self.is_large {
            self.last = None;
        }
        Ok(answer)
    }
}

impl Answers<VersionChangeQuery> for LineComparer {
    fn run(
        &mut self,
        query: &VersionChangeQuery,
        _: AnswerTaker<'_, VersionChangeQuery>,
    ) -> Result<Vec<ChangedLine>, Failure> {
        self.answer(&query.versions, query.whitespace, |compared| {
            preview_rows(compared, query.pattern.as_ref())
        })
    }
}

impl Answers<MovedNamesQuery> for LineComparer {
    fn run(
        &mut self,
        query: &MovedNamesQuery,
        AnswerTaker { stop, .. }: AnswerTaker<'_, MovedNamesQuery>,
    ) -> Result<HashMap<BString, BString>, Failure> {
        let changes = self
            .texts
            .changes(&query.commit, Some(query.parent), stop)?;
        let paths = query.paths.iter();
        let moved = paths.filter_map(|path| Some((path.clone(), changes.moved_to(path)?)));
        Ok(moved.collect())
    }
}

/// The first hunk in which the number of matches changes, or else the first that has one.
fn first_hunk_with(compared: &ComparedVersions, pattern: &Pattern) -> Option<usize> {
    let matches = |line: &[u8]| {
        let found = pattern.regex().find_iter(line);
        found.filter(|found| !found.is_empty()).count()
    };
    let mut first = None;
    for (at, hunk) in compared.hunks().iter().enumerate() {
        let old = hunk
            .old
            .clone()
            .map(|line| matches(compared.line_of_to(line)));
        let new = hunk
            .new
            .clone()
            .map(|line| matches(compared.line_of_from(line)));
        let sides: [usize; 2] = [old.sum(), new.sum()];
        if sides[0] != sides[1] {
            return Some(at);
        }
        if sides[0] > 0 {
            first = first.or(Some(at));
        }
    }
    first
}

/// The hunks as rows, from [the one with matches](first_hunk_with) on, with lines around them.
fn preview_rows(compared: &ComparedVersions, pattern: Option<&Pattern>) -> Vec<ChangedLine> {
    // All of them if it is nowhere, as in files that are compared without whitespace.
    let first = pattern.and_then(|pattern| first_hunk_with(compared, pattern));
    let hunks = &compared.hunks()[first.unwrap_or(0)..];
    let Some(hunk) = hunks.first() else {
        return Vec::new();
    };
    let new = hunk.new.start.saturating_sub(CONTEXT);
    let old = hunk.old.start.saturating_sub(hunk.new.start - new);
    let count = compared.line_count();
    let mut rows = rows(hunks, (old, new), count, None, MAX_PREVIEW_ROWS);
    // The header above the first rows is not shown.
    rows.remove(0);
    rows.truncate(MAX_PREVIEW_ROWS);
    paired(compared, &rows, None)
}

/// Rows with their texts, each with its counterpart. One `pair` may be counterparts instead of what they
/// are in a diff.
fn paired(
    compared: &ComparedVersions,
    rows: &[DiffRow],
    pair: Option<(usize, usize)>,
) -> Vec<ChangedLine> {
    let text = |row: &DiffRow| match *row {
        DiffRow::Removed(old) => compared.line_of_to(old),
        DiffRow::Added(new) | DiffRow::Context { new, .. } => compared.line_of_from(new),
        _ => &[],
    };
    let pairs = counterparts(rows, |at| text(&rows[at]));
    let lines = rows.iter().zip(pairs);
    let lines = lines.map(|(row, pair)| row_of(*row, text(row), pair.map(|at| at as usize)));
    let mut lines: Vec<ChangedLine> = lines.collect();
    hide_common_ends(&mut lines, pair);
    lines
}

impl Answers<LineChangeQuery> for LineComparer {
    fn run(
        &mut self,
        query: &LineChangeQuery,
        _: AnswerTaker<'_, LineChangeQuery>,
    ) -> Result<LineChangeRows, Failure> {
        let versions = &query.versions;
        self.answer(versions, query.whitespace, |compared| {
            let mut change = rows_of_line(compared, query.line);
            color(&mut change.rows, compared, versions);
            change
        })
    }
}

/// The hunk that has a line of the new version, as rows.
fn rows_of_line(compared: &ComparedVersions, line: u32) -> LineChangeRows {
    let Some(hunk) = compared.hunk_of(line) else {
        return LineChangeRows {
            adds_none: compared.hunks().iter().all(|hunk| hunk.new.is_empty()),
            ..LineChangeRows::default()
        };
    };
    let mapped = compared.map(line);
    let has_counterpart = !matches!(mapped.quality, MappingQuality::NoCounterpart(_))
        && hunk.old.contains(&mapped.line);
    let middle = if has_counterpart {
        mapped.line
    } else {
        hunk.old.start
    };
    let (old, new) = (around(middle, &hunk.old), around(line, &hunk.new));
    let replaced = has_counterpart.then(|| (middle - old.start) as usize);
    let own = old.len() + (line - new.start) as usize;
    let rows = old.map(DiffRow::Removed).chain(new.map(DiffRow::Added));
    let rows: Vec<DiffRow> = rows.collect();
    LineChangeRows {
        rows: paired(compared, &rows, replaced.map(|old| (own, old))),
        own: Some(own),
        replaced,
        counts: (hunk.old.len() as u32, hunk.new.len() as u32),
        adds_none: false,
    }
}

/// Adds their syntax classes to removed rows and the added ones after them.
fn color(rows: &mut [ChangedLine], compared: &ComparedVersions, versions: &VersionPair) {
    let removed = rows
        .iter()
        .take_while(|line| matches!(line.row, DiffRow::Removed(_)))
        .count();
    let (olds, news) = rows.split_at_mut(removed);
    let old_path = versions.old.as_ref().map(|(_, path)| path);
    let path = match &versions.new {
        Some(FileVersion::Commit { path, .. } | FileVersion::WorkTree { path }) => Some(path),
        Some(FileVersion::Reloaded { path, .. }) => Some(path),
        Some(FileVersion::CommandLine) | None => old_path,
    };
    let classes = |rows: &[ChangedLine]| match rows.first()?.row {
        DiffRow::Removed(first) => {
            let lines = first..first.saturating_add(rows.len() as u32);
            Some(guessed_lines(old_path?, lines, |line| {
                compared.line_of_to(line)
            }))
        }
        DiffRow::Added(first) => {
            let lines = first..first.saturating_add(rows.len() as u32);
            Some(guessed_lines(path?, lines, |line| {
                compared.line_of_from(line)
            }))
        }
        _ => None,
    };
    for side in [olds, news] {
        let spans = classes(side).unwrap_or_default();
        for (line, spans) in side.iter_mut().zip(spans) {
            line.spans = spans;
        }
    }
}

/// The lines around one of them, at most [`MAX_ROWS`].
fn around(line: u32, lines: &Range<u32>) -> Range<u32> {
    let first = line.saturating_sub(MAX_ROWS / 2).max(lines.start);
    first..lines.end.min(first.saturating_add(MAX_ROWS))
}

impl Answers<FunctionsQuery> for LineComparer {
    fn run(
        &mut self,
        query: &FunctionsQuery,
        AnswerTaker { stop, .. }: AnswerTaker<'_, FunctionsQuery>,
    ) -> Result<Vec<FunctionName>, Failure> {
        let rule = self.texts.function_rule(&query.place);
        let functions = rule.compile(true).map_err(Failure::new)?;
        let text = &query.text.0;
        let mut names = Vec::new();
        for line in 0..text.line_count() {
            if line % LINES_BETWEEN_STOPS == 0 && stop() {
                break;
            }
            let bytes = text.line(line);
            if rule == FunctionRule::Default && !function_names::can_be_heading(bytes) {
                continue;
            }
            let Some(name) = functions.function_name(bytes) else {
                continue;
            };
            let place = u32::try_from(name.start)
                .ok()
                .zip(u32::try_from(name.end).ok());
            names.extend(place.map(|(start, end)| FunctionName { line, start, end }));
        }
        Ok(names)
    }
}
