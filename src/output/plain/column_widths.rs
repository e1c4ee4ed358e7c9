//! Column widths of the human-readable formats.

use bstr::{BStr, ByteSlice};
use rustc_hash::FxHashSet;

use crate::{
    engine::Blame,
    output::{
        abbreviation,
        commit_provider::CommitProvider,
        display_width::display_width,
        error::OutputError,
        plain::{marked_entry::MarkedEntry, options::PlainOptions},
    },
    text::{decimal::digits, line_offsets::LineOffsets},
};

/// Column widths, determined by all shown lines.
pub(super) struct ColumnWidths {
    pub(super) id: usize,
    /// Display width of the widest author.
    pub(super) author: usize,
    pub(super) date: usize,
    /// Length in bytes of the longest path, if paths are shown.
    pub(super) name: Option<usize>,
    pub(super) original: usize,
    pub(super) line: usize,
    pub(super) score: usize,
    /// git's reference count of each origin, for `--score-debug`.
    pub(super) references: Vec<u32>,
}

impl ColumnWidths {
    pub(super) fn new(
        entries: &[MarkedEntry<'_>],
        blame: &Blame,
        path: &BStr,
        lines: &LineOffsets<'_>,
        commits: &mut dyn CommitProvider,
        options: &PlainOptions,
    ) -> Result<Self, OutputError> {
        let mut ids = FxHashSet::default();
        let mut author = 0;
        for marked in entries {
            if ids.insert(marked.origin.commit) {
                let text = commits
                    .text(&marked.origin.commit)
                    .map_err(OutputError::Commit)?;
                author = author.max(display_width(options.author(&text)));
            }
        }
        let most_marks = entries.iter().map(|marked| marked.marks.len()).max();
        let whole = entries
            .first()
            .map_or(0, |marked| marked.origin.commit.as_slice().len() * 2);
        let id = if options.long {
            whole
        } else {
            abbreviation::id_column_width(
                options.abbrev,
                options.mark_columns,
                most_marks.unwrap_or(0),
                whole,
                ids.iter(),
                commits,
            )?
        };
        let renamed = entries
            .iter()
            .any(|marked| marked.origin.path.as_bstr() != path);
        let widest =
            |value: &dyn Fn(&MarkedEntry<'_>) -> u64| entries.iter().map(value).max().unwrap_or(0);
        let last_original = |marked: &MarkedEntry<'_>| {
            u64::from(marked.entry.source_start) + u64::from(marked.line_count())
        };
        let score = if options.score {
            digits(widest(&|marked| marked.score(lines)))
        } else {
            0
        };
        Ok(ColumnWidths {
            id,
            author,
            date: options.date.width(&options.clock),
            name: (options.name || renamed)
                .then(|| widest(&|marked| marked.origin.path.len() as u64) as usize),
            original: digits(widest(&last_original)),
            line: digits(widest(&|marked| marked.entry.lines.end.into())),
            score,
            references: if options.score {
                references(entries, blame)
            } else {
                Vec::new()
            },
        })
    }
}

/// git's reference counts: one for each entry, and one from each live origin to its `previous`.
fn references(entries: &[MarkedEntry<'_>], blame: &Blame) -> Vec<u32> {
    let mut count = vec![0u32; blame.origins.len()];
    let mut live = Vec::new();
    let mut reference = |at: u32, live: &mut Vec<u32>| {
        if let Some(count) = count.get_mut(at as usize) {
            *count += 1;
            if *count == 1 {
                live.push(at);
            }
        }
    };
    for marked in entries {
        reference(marked.entry.origin.0, &mut live);
    }
    while let Some(at) = live.pop() {
        if let Some(previous) = blame.origins[at as usize].previous {
            reference(previous.0, &mut live);
        }
    }
    count
}
