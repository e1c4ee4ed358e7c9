//! The line history task: finds the commits that changed lines.

use std::{io, ops::ControlFlow};

use tokio::sync::mpsc::Sender;

use crate::viewer::{
    model::{
        line_history::{FoundHistory, LineHistoryQuery, LineHistoryReader},
        source::Failure,
    },
    protocol::{LineHistoryEvent, LineHistoryEventKind, Message},
    tasks::task::{Handler, Task, TaskContext, TaskRequest},
};

impl TaskRequest for LineHistoryQuery {}

/// The handler of the line history task.
struct LineFollower(Box<dyn LineHistoryReader>);

/// Starts the task.
///
/// # Errors
/// The system cannot create a thread.
pub fn spawn(
    reader: Box<dyn LineHistoryReader>,
    messages: Sender<Message>,
) -> io::Result<Task<LineHistoryQuery>> {
    Task::spawn(LineFollower(reader), messages)
}

fn send(
    query: &LineHistoryQuery,
    kind: LineHistoryEventKind,
    context: &TaskContext<'_>,
) -> ControlFlow<()> {
    let id = query.id;
    context.send(Message::LineHistory(LineHistoryEvent { id, kind }))
}

impl Handler for LineFollower {
    type Request = LineHistoryQuery;

    fn handle(&mut self, query: &LineHistoryQuery, context: &TaskContext<'_>) {
        let mut found = |found: FoundHistory| match context.is_cancelled() {
            true => ControlFlow::Break(()),
            false => send(query, LineHistoryEventKind::Found(found), context),
        };
        let ended = self.0.line_history(query, &mut found);
        if !context.is_cancelled() {
            // A break means that the event loop has ended.
            let _ = send(query, LineHistoryEventKind::Ended(ended), context);
        }
    }

    fn panicked(&mut self, query: &LineHistoryQuery, _: &str, context: &TaskContext<'_>) {
        let failure = Failure("internal error: the history of lines failed".to_owned());
        let _ = send(query, LineHistoryEventKind::Ended(Err(failure)), context);
    }
}
