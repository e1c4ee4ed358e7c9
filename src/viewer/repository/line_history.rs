//! Answers [`LineHistoryQuery`] with a git repository.

use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    engine::{LineChange, LineHistorySink, MoveDetection, PreviousLines},
    objects::ObjectId,
    viewer::{
        model::{
            background::{
                line_history::{FoundHistory, HistoryChange, LineHistoryQuery},
                query::{AnswerTaker, Answers},
            },
            source::{Failure, VersionReader},
        },
        repository::{line_changes::rows_of, walks::GitWalks},
    },
};

/// The time between two reports of how far the walk has come.
const FRONTIER_INTERVAL: Duration = Duration::from_millis(40);
/// The rows of all changes of a history have at most this many bytes; later changes are listed
/// without rows.
const MAX_TEXT_LEN: usize = 32 << 20;

impl Answers<LineHistoryQuery> for GitWalks {
    fn run(
        &mut self,
        query: &LineHistoryQuery,
        AnswerTaker { found, .. }: AnswerTaker<'_, LineHistoryQuery>,
    ) -> Result<bool, Failure> {
        let mut request = (self.request)(&query.version)?;
        request.ranges = Some(vec![query.lines.clone()]);
        request.diff.ignore_whitespace = query.whitespace;
        let given = request.movement;
        request.movement = MoveDetection {
            moves: query
                .moves
                .then(|| given.moves.unwrap_or(MoveDetection::MOVES)),
            copies: (query.copies > 0).then(|| given.copies.unwrap_or(MoveDetection::COPIES)),
            copy_level: query.copies,
        };
        let (engine, commits) = self.parts();
        let mut sink = Changes {
            commits,
            found,
            reported: Instant::now(),
            text_len: 0,
        };
        let end = engine.line_history(&request, &mut sink);
        engine.release_versions();
        Ok(!end.map_err(Failure::new)?.limited)
    }
}

/// Passes changes on with their commits.
struct Changes<'a> {
    commits: &'a mut dyn VersionReader,
    found: &'a mut dyn FnMut(FoundHistory) -> ControlFlow<()>,
    /// When the date was last reported.
    reported: Instant,
    text_len: usize,
}

impl LineHistorySink for Changes<'_> {
    fn change(&mut self, change: &LineChange<'_>) -> ControlFlow<()> {
        let (mut rows, counts) = rows_of(change);
        self.text_len += rows.iter().map(|line| line.text.len() + 64).sum::<usize>();
        if self.text_len > MAX_TEXT_LEN {
            rows = Vec::new();
        }
        let previous = |previous: &PreviousLines<'_>| -> (ObjectId, _, _) {
            (
                previous.commit,
                Arc::clone(previous.path),
                previous.lines.to_vec(),
            )
        };
        let own_before = change.previous.as_ref().map(|it| it.own_lines.to_vec());
        let change = HistoryChange {
            commit: change.commit,
            metadata: self.commits.commit(&change.commit).map(Arc::new),
            path: Arc::clone(change.path),
            lines: change.lines.to_vec(),
            previous: change.previous.as_ref().map(previous),
            is_birth: change.is_birth(),
            is_merge: change.is_merge,
            is_inferred: change.is_inferred,
            own_lines: change.own_lines.to_vec(),
            old_own_lines: own_before.unwrap_or_default(),
            own_change: change.own_change,
            counts,
            rows,
        };
        (self.found)(FoundHistory::Change(Box::new(change)))
    }

    fn progress(&mut self, frontier: i64) -> ControlFlow<()> {
        if self.reported.elapsed() < FRONTIER_INTERVAL {
            return ControlFlow::Continue(());
        }
        self.reported = Instant::now();
        (self.found)(FoundHistory::Frontier(frontier))
    }
}
