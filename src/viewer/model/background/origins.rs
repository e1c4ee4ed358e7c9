//! Where lines were written, beside which commit touched them last.

use std::ops::Range;

use crate::{
    objects::ObjectId,
    viewer::model::{
        background::query::Query,
        blame_results::{BlameBatch, BlameReport},
        file_version::FileVersion,
        toggled_options::ToggledOptions,
    },
};

/// A request for where the lines of a file were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginQuery {
    /// The version of the file.
    pub version: FileVersion,
    /// The options that find it: `-w -C -C` and what else is on.
    pub options: ToggledOptions,
    /// The commits that touched lines (0-based) last, in the order of the lines.
    pub last: Vec<(Range<u32>, ObjectId)>,
}

impl Query for OriginQuery {
    type Item = BlameBatch;
    /// A report, and what was done to the lines that another commit touched last.
    type End = (BlameReport, Vec<LineMovements>);
}

/// The commit that touched a line last; `None` if the line is not attributed.
pub fn last_touch(last: &[(Range<u32>, ObjectId)], line: u32) -> Option<ObjectId> {
    let at = last.partition_point(|(lines, _)| lines.end <= line);
    let (lines, id) = last.get(at)?;
    lines.contains(&line).then_some(*id)
}

/// A change of a line after it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineMovement {
    /// It has the same bytes: it stood elsewhere, or was something else in between.
    Moved,
    /// Its white space differs.
    Reindented,
}

/// Adjoining lines that one commit wrote and another touched last, with what was done to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineMovements {
    /// The lines (0-based) of the file.
    pub lines: Range<u32>,
    /// Their change.
    pub movement: LineMovement,
}

impl ToggledOptions {
    /// These options with those that find where lines were written.
    pub fn for_origins(&self) -> ToggledOptions {
        ToggledOptions {
            whitespace: true,
            moves: true,
            copies: self.copies.max(2),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_touch_of_a_line_is_that_of_its_run() {
        let [one, two] = [b"11", b"22"].map(|hex| {
            let hex: Vec<u8> = hex.iter().cycle().take(40).copied().collect();
            ObjectId::from_hex(&hex).unwrap()
        });
        let last = [(0..2, one), (2..3, two), (5..6, one)];
        let found: Vec<_> = (0..7).map(|line| last_touch(&last, line)).collect();
        let [one, two] = [Some(one), Some(two)];
        assert_eq!(found, [one, one, two, None, None, one, None]);
    }
}
