//! The blames of the old sides of diffs.

use std::collections::VecDeque;

use crate::viewer::{
    app::blame::view::{LineAttribution, View},
    model::{background::old_lines::OldLinesQuery, diff::MAX_PARTS},
};

/// Most answers that are kept: for one diff of all files.
pub(super) const MAX_KEPT: usize = MAX_PARTS;

/// The answers, newest first, and whether they are to be shown.
#[derive(Debug, Default)]
pub(crate) struct OldLines {
    pub(super) is_shown: bool,
    pub(super) sides: VecDeque<BlamedOldSide>,
}

/// The answer about a version.
#[derive(Debug)]
pub(super) struct BlamedOldSide {
    /// The number of the query.
    pub(super) id: u64,
    pub(super) query: OldLinesQuery,
    /// A view of the version's text, for the attribution.
    pub(super) view: View,
}

/// What is known of a row of a diff that has an old line which matters.
#[derive(Debug, Clone, Copy)]
pub struct OldRow<'a> {
    /// The line is removed; otherwise it is beside an insertion.
    pub is_removed: bool,
    /// Who wrote it; `None` if that is not known, or not yet.
    pub written: Option<LineAttribution<'a>>,
}

/// The columns of the gutter, each with a blank after it. Where there is no room, they are 0 wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct OldColumns {
    pub(crate) id: u16,
    pub(crate) author: u16,
    pub(crate) date: u16,
}

impl OldColumns {
    /// Those for a screen of this width.
    pub(super) fn new(width: u16) -> OldColumns {
        let (id, author, date) = match width {
            120.. => (8, 16, 10),
            60.. => (0, 9, 4),
            40.. => (0, 0, 4),
            _ => (0, 0, 0),
        };
        OldColumns { id, author, date }
    }

    /// The columns of the screen that they need, with a margin, and the mark and a blank at the end.
    pub(crate) fn width(self) -> u16 {
        let all = [self.id, self.author, self.date];
        let columns = all.into_iter().filter(|&width| width > 0);
        let sum: u16 = columns.map(|width| width + 1).sum();
        sum + if sum > 0 { 3 } else { 0 }
    }
}
