//! Deletions that are held back until it is certain that they come in order.

use std::{ops::ControlFlow, sync::Arc};

use bstr::BString;

use crate::{
    diff::{LineInterner, Token},
    engine::api::{
        deletions::{Deletion, DeletionSink},
        line_history::VersionLines,
    },
    objects::ObjectId,
};

/// Most lines that are held back: 16 MiB of tokens.
const MAX_LINES: usize = 4 << 20;

/// Holds deletions back.
pub(crate) struct KeptDeletions<'s> {
    sink: &'s mut dyn DeletionSink,
    kept: Vec<KeptDeletion>,
    lines: usize,
    /// The sink has stopped the walk.
    pub(crate) is_stopped: bool,
}

/// A deletion with its lines.
struct KeptDeletion {
    commit: ObjectId,
    time: i64,
    path: Arc<BString>,
    is_merge: bool,
    parent: ObjectId,
    parent_path: Arc<BString>,
    first_line: u32,
    lines: Vec<Token>,
    place: u32,
    before: Option<u32>,
    after: Option<u32>,
}

impl<'s> KeptDeletions<'s> {
    pub(crate) fn new(sink: &'s mut dyn DeletionSink) -> Self {
        KeptDeletions {
            sink,
            kept: Vec::new(),
            lines: 0,
            is_stopped: false,
        }
    }

    /// Passes all on. `interned` has their lines.
    pub(crate) fn pass_on(self, interned: &LineInterner) -> ControlFlow<()> {
        for it in &self.kept {
            // As many as the range that it comes from.
            let last_line = it.first_line + it.lines.len() as u32;
            self.sink.deletion(&Deletion {
                commit: it.commit,
                time: it.time,
                path: &it.path,
                is_merge: it.is_merge,
                parent: it.parent,
                parent_path: &it.parent_path,
                lines: it.first_line..last_line,
                version: VersionLines::of_part(it.first_line, &it.lines, interned),
                place: it.place,
                before: it.before,
                after: it.after,
            })?;
        }
        ControlFlow::Continue(())
    }
}

impl DeletionSink for KeptDeletions<'_> {
    fn deletion(&mut self, deletion: &Deletion<'_>) -> ControlFlow<()> {
        let lines = deletion.version.tokens(deletion.lines.clone()).to_vec();
        self.lines += lines.len();
        self.kept.push(KeptDeletion {
            commit: deletion.commit,
            time: deletion.time,
            path: Arc::clone(deletion.path),
            is_merge: deletion.is_merge,
            parent: deletion.parent,
            parent_path: Arc::clone(deletion.parent_path),
            first_line: deletion.lines.start,
            lines,
            place: deletion.place,
            before: deletion.before,
            after: deletion.after,
        });
        if self.lines > MAX_LINES {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn progress(&mut self, frontier: i64) -> ControlFlow<()> {
        let flow = self.sink.progress(frontier);
        self.is_stopped |= flow.is_break();
        flow
    }
}
