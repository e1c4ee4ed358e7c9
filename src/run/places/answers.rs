//! What is known of a file's lines.

use std::{ops::Range, sync::Arc};

use bstr::BString;

use crate::{engine::Blame, objects::ObjectId, sorting};

/// The answer for some lines of a file, or for all.
#[derive(Debug, Clone, Default)]
pub(super) struct FileAnswer {
    /// The number of lines of the file.
    pub(super) line_count: u32,
    /// Lines (0-based, half-open) and who wrote the first of them, in order.
    entries: Vec<(Range<u32>, LineCommit)>,
}

/// Who wrote a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineCommit {
    pub(super) commit: ObjectId,
    /// The file's path in it.
    pub(super) path: Arc<BString>,
    /// The line there (0-based).
    pub(super) line: u32,
    /// The commit is a boundary of the blame: the line may be older.
    pub(super) boundary: bool,
    /// Of a line that is not committed: the commit and the path of the file's version before, if there
    /// is one.
    pub(super) before: Option<Box<(ObjectId, Arc<BString>)>>,
}

impl FileAnswer {
    /// Of a file with so many lines, of which none was blamed.
    pub(super) fn without_lines(line_count: u32) -> FileAnswer {
        FileAnswer {
            line_count,
            entries: Vec::new(),
        }
    }

    pub(super) fn new(line_count: u32, blame: &Blame) -> FileAnswer {
        let entries = blame.entries.iter().filter_map(|entry| {
            let origin = blame.origins.get(entry.origin.0 as usize)?;
            let before = origin.previous.filter(|_| origin.commit.is_null());
            let before = before.and_then(|before| {
                let before = blame.origins.get(before.0 as usize)?;
                Some(Box::new((before.commit, Arc::clone(&before.path))))
            });
            let attribution = LineCommit {
                before,
                commit: origin.commit,
                path: Arc::clone(&origin.path),
                line: entry.source_start,
                boundary: blame.boundaries.contains(&origin.commit),
            };
            Some((entry.lines.clone(), attribution))
        });
        FileAnswer {
            line_count,
            entries: entries.collect(),
        }
    }

    /// Adds what is known of other lines, or of all.
    pub(super) fn add(&mut self, other: FileAnswer) {
        self.line_count = other.line_count;
        self.entries.extend(other.entries);
        sorting::sort_by_key(&mut self.entries, |(lines, _)| (lines.start, lines.end));
        let mut end: u32 = 0;
        self.entries.retain_mut(|(lines, first)| {
            first.line += end.saturating_sub(lines.start);
            lines.start = lines.start.max(end);
            end = end.max(lines.end);
            lines.start < lines.end
        });
    }

    /// Who wrote a line (0-based); `None` if it was not blamed.
    pub(super) fn attribution(&self, line: u32) -> Option<LineCommit> {
        let at = self.entries.partition_point(|(lines, _)| lines.end <= line);
        let (lines, first) = self.entries.get(at)?;
        lines.contains(&line).then(|| LineCommit {
            line: first.line + (line - lines.start),
            ..first.clone()
        })
    }
}
