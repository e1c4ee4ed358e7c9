//! Answers [`LineChangeQuery`] and [`FunctionsQuery`]: what a commit made of a line, and which lines
//! of a file start functions.

use std::ops::Range;

use crate::{
    diff,
    ranges::FunctionRule,
    viewer::model::{
        background::{
            line_change::{FunctionsQuery, LineChangeQuery, LineChangeRows, row_of},
            query::{Answers, Found, Stop},
        },
        diff::{DiffRow, FunctionName, VersionPair},
        source::{Failure, FileVersion, VersionReader},
        texts::{
            function_names,
            line_map::{ComparedVersions, MappingQuality},
        },
    },
};

/// Most rows of either side of a change.
const MAX_ROWS: u32 = 40;

/// How many lines are looked at between two looks whether the answer is still wanted.
const LINES_BETWEEN_STOPS: u32 = 512;

/// Compares versions, and keeps the comparison for the next line of the same commit.
pub struct LineComparer {
    texts: Box<dyn VersionReader>,
    last: Option<(VersionPair, bool, ComparedVersions)>,
}

impl LineComparer {
    /// Compares what a reader reads, which is used for nothing else.
    pub fn new(texts: Box<dyn VersionReader>) -> LineComparer {
        LineComparer { texts, last: None }
    }

    fn compare(&mut self, query: &LineChangeQuery) -> Result<&ComparedVersions, Failure> {
        let is_same = |(versions, whitespace, _): &(VersionPair, bool, _)| {
            *whitespace == query.whitespace && *versions == query.versions
        };
        let last = match self.last.take().filter(is_same) {
            Some(last) => last,
            None => {
                let (Some((commit, path)), Some(new)) = (&query.versions.old, &query.versions.new)
                else {
                    return Err(Failure("there is nothing to compare".to_owned()));
                };
                let old = FileVersion::Commit {
                    commit: *commit,
                    path: path.clone(),
                };
                let (old, new) = (self.texts.contents(&old)?, self.texts.contents(new)?);
                let options = diff::DiffOptions {
                    ignore_whitespace: query.whitespace,
                    ..self.texts.diff_options()
                };
                let compared = ComparedVersions::new(&new, &old, &options).map_err(Failure::new)?;
                (query.versions.clone(), query.whitespace, compared)
            }
        };
        Ok(&self.last.insert(last).2)
    }
}

impl Answers<LineChangeQuery> for LineComparer {
    fn run(
        &mut self,
        query: &LineChangeQuery,
        _: Found<'_, LineChangeQuery>,
        _: Stop<'_>,
    ) -> Result<LineChangeRows, Failure> {
        let (compared, line) = (self.compare(query)?, query.line);
        let Some(hunk) = compared.hunk_of(line) else {
            return Ok(LineChangeRows::default());
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
        Ok(LineChangeRows {
            rows: removed.chain(added).collect(),
            own: Some(own),
            counts: (hunk.old.len() as u32, hunk.new.len() as u32),
        })
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
        let functions = rule
            .compile(true)
            .map_err(|error| Failure(error.to_string()))?;
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
