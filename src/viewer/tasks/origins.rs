//! Answers [`OriginQuery`]: blames with `-w -C -C`, and compares lines with what they were where
//! they were written.

use std::{ops::ControlFlow, sync::Arc, time::Instant};

use crate::{
    text::line_offsets::LineOffsets,
    viewer::{
        model::{
            background::{
                origins::{LineMovement, LineMovements, OriginQuery, last_touch},
                query::{AnswerTaker, Answers},
            },
            source::{BlameReport, BlameSource, Failure, FileVersion},
        },
        protocol::{AttributedOrigin, BlameEventKind},
        tasks::batches::Batches,
    },
};

/// Finds where lines were written, with a source of its own.
pub struct OriginFinder(Box<dyn BlameSource>);

impl OriginFinder {
    /// Blames with a source that is used for nothing else.
    pub fn new(source: Box<dyn BlameSource>) -> OriginFinder {
        OriginFinder(source)
    }
}

impl Answers<OriginQuery> for OriginFinder {
    fn run(
        &mut self,
        query: &OriginQuery,
        AnswerTaker { found, stop }: AnswerTaker<'_, OriginQuery>,
    ) -> Result<(BlameReport, Vec<LineMovements>), Failure> {
        let started_at = Instant::now();
        let source = self.0.as_mut();
        let contents = source.contents(&query.version)?;
        let mut origins: Vec<AttributedOrigin> = Vec::new();
        let mut send = |kind| match kind {
            BlameEventKind::Batch(batch) => {
                origins.extend(batch.origins.iter().cloned());
                found(batch)
            }
            _ => ControlFlow::Continue(()),
        };
        let mut sink = Batches::new(source.version_reader(), stop, &mut send);
        let stats = source.blame(&query.version, &query.options, &mut sink)?;
        // A break means that the answer is no longer wanted.
        let _ = sink.flush();
        let report = BlameReport::new(stats, started_at);
        let mut moved = Vec::new();
        for origin in origins {
            if stop() {
                break;
            }
            moved.extend(movements(source, query, &contents, &origin));
        }
        if !stop() {
            source.keep_blame();
        }
        Ok((report, moved))
    }
}

/// How the lines of an origin moved that another commit touched last. Nothing if the origin's
/// version cannot be read.
fn movements(
    source: &mut dyn BlameSource,
    query: &OriginQuery,
    contents: &Arc<[u8]>,
    origin: &AttributedOrigin,
) -> Vec<LineMovements> {
    let is_moved = |line: u32| last_touch(&query.last, line).is_some_and(|id| id != origin.commit);
    let lines = origin.entries.iter().flat_map(|entry| {
        let numbers = entry.source_start..;
        entry.lines.clone().zip(numbers)
    });
    let lines: Vec<(u32, u32)> = lines.filter(|(line, _)| is_moved(*line)).collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let version = FileVersion::Commit {
        commit: origin.commit,
        path: origin.path.clone(),
    };
    let Ok(written) = source.contents(&version) else {
        return Vec::new();
    };
    let (now, then) = (LineOffsets::new(contents), LineOffsets::new(&written));
    let mut moved: Vec<LineMovements> = Vec::new();
    for (line, number) in lines {
        let (at, of) = (line as usize, number as usize);
        if at >= now.count() || of >= then.count() {
            continue;
        }
        let movement = if now.get(at) == then.get(of) {
            LineMovement::Moved
        } else {
            LineMovement::Reindented
        };
        match moved.last_mut() {
            Some(last) if last.lines.end == line && last.movement == movement => {
                last.lines.end = line + 1;
            }
            _ => moved.push(LineMovements {
                lines: line..line + 1,
                movement,
            }),
        }
    }
    moved
}
