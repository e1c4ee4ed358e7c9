//! Answers [`LineChangeQuery`], [`VersionChangeQuery`], [`MovedNamesQuery`] and [`FunctionsQuery`]:
//! what a commit made of a line and of a file, where it moved files, and which lines of a file start
//! functions.

use std::{collections::HashMap, ops::Range, sync::Arc};

use bstr::BString;

use crate::{
    diff::{self, Hunk},
    ranges::FunctionRule,
    viewer::model::{
        background::{
            directory_history::MovedNamesQuery,
            line_change::{
                FunctionsQuery, LineChangeQuery, LineChangeRows, VersionChangeQuery, row_of,
            },
            line_history::ChangedLine,
            query::{Answers, Found, Stop},
        },
        diff::{DiffRow, FunctionName, VersionPair, counterparts},
        source::{Failure, FileVersion, VersionReader},
        texts::{
            function_names,
            line_map::{ComparedVersions, MappingQuality},
            pattern::Pattern,
        },
    },
};

/// Most rows of either side of a change.
const MAX_ROWS: u32 = 40;

/// Unchanged lines before and after a hunk.
const CONTEXT: u32 = 3;

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
        _: Found<'_, VersionChangeQuery>,
        _: Stop<'_>,
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
        _: Found<'_, MovedNamesQuery>,
        stop: Stop<'_>,
    ) -> Result<HashMap<BString, BString>, Failure> {
        let changes = self
            .texts
            .changes(&query.commit, Some(query.parent), stop)?;
        let paths = query.paths.iter();
        let moved = paths.filter_map(|path| Some((path.clone(), changes.moved_to(path)?)));
        Ok(moved.collect())
    }
}

/// The hunks as rows, from the first that has a match on, with lines around them.
fn preview_rows(compared: &ComparedVersions, pattern: Option<&Pattern>) -> Vec<ChangedLine> {
    let has_match = |hunk: &&Hunk| {
        let Some(pattern) = pattern else {
            return true;
        };
        let mut old = hunk.old.clone().map(|line| compared.line_of_to(line));
        let mut new = hunk.new.clone().map(|line| compared.line_of_from(line));
        let is_in = |line: &[u8]| pattern.is_match(line);
        old.any(is_in) || new.any(is_in)
    };
    // All of them if it is nowhere, as in files that are compared without whitespace.
    let first = compared
        .hunks()
        .iter()
        .position(|hunk| has_match(&hunk))
        .unwrap_or(0);
    let mut rows = Vec::new();
    let mut next = 0;
    for hunk in &compared.hunks()[first..] {
        if rows.len() > MAX_PREVIEW_ROWS {
            break;
        }
        let before = hunk.new.start.saturating_sub(CONTEXT).max(next);
        let old_of = |new: u32| hunk.old.start.saturating_sub(hunk.new.start - new);
        if before > next && !rows.is_empty() {
            rows.push(DiffRow::HunkHeader {
                old: old_of(before),
                new: before,
                function: None,
            });
        }
        let context = |lines: Range<u32>, old: u32| {
            let lines = lines.zip(old..);
            lines.map(|(new, old)| DiffRow::Context { old, new })
        };
        rows.extend(context(before..hunk.new.start, old_of(before)));
        rows.extend(
            hunk.old
                .clone()
                .take(MAX_PREVIEW_ROWS)
                .map(DiffRow::Removed),
        );
        rows.extend(hunk.new.clone().take(MAX_PREVIEW_ROWS).map(DiffRow::Added));
        // The lines after it, up to the next hunk.
        let following = compared
            .hunks()
            .iter()
            .find(|it| it.new.start > hunk.new.start);
        let limit = following.map_or(compared.line_count(), |next| next.new.start);
        next = hunk
            .new
            .end
            .saturating_add(CONTEXT)
            .min(limit)
            .max(hunk.new.end);
        rows.extend(context(hunk.new.end..next, hunk.old.end));
    }
    rows.truncate(MAX_PREVIEW_ROWS);
    let pairs = counterparts(&rows);
    let lines = rows.iter().zip(pairs).map(|(row, pair)| {
        let text = match *row {
            DiffRow::Removed(old) => compared.line_of_to(old),
            DiffRow::Added(new) | DiffRow::Context { new, .. } => compared.line_of_from(new),
            _ => &[],
        };
        row_of(*row, text, pair.map(|at| at as usize))
    });
    lines.collect()
}

impl Answers<LineChangeQuery> for LineComparer {
    fn run(
        &mut self,
        query: &LineChangeQuery,
        _: Found<'_, LineChangeQuery>,
        _: Stop<'_>,
    ) -> Result<LineChangeRows, Failure> {
        self.answer(&query.versions, query.whitespace, |compared| {
            rows_of_line(compared, query.line)
        })
    }
}

/// The hunk that has a line of the new version, as rows.
fn rows_of_line(compared: &ComparedVersions, line: u32) -> LineChangeRows {
    let Some(hunk) = compared.hunk_of(line) else {
        return LineChangeRows {
            are_same: compared.hunks().is_empty(),
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
    // The pair stands for each other; the other rows have no counterparts.
    let place_of_old = (middle - old.start) as usize;
    let own = old.len() + (line - new.start) as usize;
    let counterpart = has_counterpart.then_some(place_of_old);
    let removed = old.clone().map(|at| {
        let other = (has_counterpart && at == middle).then_some(own);
        row_of(DiffRow::Removed(at), compared.line_of_to(at), other)
    });
    let added = new.clone().map(|at| {
        let other = counterpart.filter(|_| at == line);
        row_of(DiffRow::Added(at), compared.line_of_from(at), other)
    });
    LineChangeRows {
        rows: removed.chain(added).collect(),
        own: Some(own),
        counts: (hunk.old.len() as u32, hunk.new.len() as u32),
        are_same: false,
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
        _: Found<'_, FunctionsQuery>,
        stop: Stop<'_>,
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
