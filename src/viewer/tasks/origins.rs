//! The origins task: blames with `-w -M -C -C`, and compares lines with what they were where they were written.

use std::{io, ops::ControlFlow, sync::Arc, time::Instant};

use tokio::sync::mpsc::Sender;

use crate::{
    line_offsets::LineOffsets,
    viewer::{
        model::{
            origins::{LineMovement, LineMovements, OriginQuery, last_touch},
            source::{BlameReport, BlameSource, Failure, FileVersion},
        },
        protocol::{AttributedOrigin, BlameEventKind, Message, OriginEvent, OriginEventKind},
        tasks::{
            batches::Batches,
            blame,
            task::{Handler, Task, TaskContext, TaskRequest},
        },
    },
};

impl TaskRequest for OriginQuery {}

/// The handler of the origins task, with a source of its own if there can be one.
struct OriginFinder(Option<Box<dyn BlameSource>>);

/// Starts the task. Without a source it answers that nothing is known.
///
/// # Errors
/// The system cannot create a thread.
pub fn spawn(
    source: Option<Box<dyn BlameSource>>,
    messages: Sender<Message>,
) -> io::Result<Task<OriginQuery>> {
    Task::spawn(OriginFinder(source), messages)
}

impl Handler for OriginFinder {
    type Request = OriginQuery;

    fn handle(&mut self, query: &OriginQuery, context: &TaskContext<'_>) {
        let id = query.id;
        let send = |kind| context.send(Message::Origins(OriginEvent { id, kind }));
        let ended = self.blame(query, context);
        if !context.is_cancelled() {
            // A break means that the event loop has ended.
            let _ = send(OriginEventKind::Ended(ended));
            if let Some(source) = &mut self.0 {
                source.keep_blame();
            }
        }
    }

    fn panicked(&mut self, query: &OriginQuery, panic: &str, context: &TaskContext<'_>) {
        let failure = Failure(format!("internal error: {panic}"));
        let _ = context.send(Message::Origins(OriginEvent {
            id: query.id,
            kind: OriginEventKind::Ended(Err(failure)),
        }));
    }
}

impl OriginFinder {
    /// Blames the file and sends the batches. Returns how the lines moved that another commit touched last.
    fn blame(
        &mut self,
        query: &OriginQuery,
        context: &TaskContext<'_>,
    ) -> Result<(BlameReport, Vec<LineMovements>), Failure> {
        let started_at = Instant::now();
        let no_source = || Failure("there is no second blame here".to_owned());
        let source = self.0.as_deref_mut().ok_or_else(no_source)?;
        let contents = source.contents(&query.version)?;
        let mut origins: Vec<AttributedOrigin> = Vec::new();
        let mut send = |kind| match kind {
            BlameEventKind::Batch(batch) => {
                origins.extend(batch.origins.iter().cloned());
                context.send(Message::Origins(OriginEvent {
                    id: query.id,
                    kind: OriginEventKind::Found(batch),
                }))
            }
            _ => ControlFlow::Continue(()),
        };
        let mut sink = Batches::new(source.version_reader(), context, &mut send);
        let stats = source.blame(&query.version, &query.options, &mut sink)?;
        // A break means that the event loop has ended.
        let _ = sink.flush();
        let mut moved = Vec::new();
        for origin in origins {
            if context.is_cancelled() {
                break;
            }
            moved.extend(movements(source, query, &contents, &origin));
        }
        Ok((blame::report(stats, started_at), moved))
    }
}

/// How the lines of an origin moved that another commit touched last. Nothing if the origin's version cannot be read.
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
        let movement = match now.get(at) == then.get(of) {
            true => LineMovement::Moved,
            false => LineMovement::Reindented,
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
