//! The deletions task: finds the lines that commits deleted.

use std::{io, ops::ControlFlow};

use tokio::sync::mpsc::Sender;

use crate::viewer::{
    model::{
        deletions::{DeletionQuery, DeletionReader, FoundDeletions},
        source::Failure,
    },
    protocol::{DeletionEvent, DeletionEventKind, Message},
    tasks::task::{Handler, Task, TaskContext, TaskRequest},
};

impl TaskRequest for DeletionQuery {}

/// The handler of the deletions task.
struct DeletionFinder(Box<dyn DeletionReader>);

/// Starts the task.
///
/// # Errors
/// The system cannot create a thread.
pub fn spawn(
    reader: Box<dyn DeletionReader>,
    messages: Sender<Message>,
) -> io::Result<Task<DeletionQuery>> {
    Task::spawn(DeletionFinder(reader), messages)
}

fn send(
    query: &DeletionQuery,
    kind: DeletionEventKind,
    context: &TaskContext<'_>,
) -> ControlFlow<()> {
    let id = query.id;
    context.send(Message::Deletions(DeletionEvent { id, kind }))
}

impl Handler for DeletionFinder {
    type Request = DeletionQuery;

    fn handle(&mut self, query: &DeletionQuery, context: &TaskContext<'_>) {
        let mut found = |found: FoundDeletions| match context.is_cancelled() {
            true => ControlFlow::Break(()),
            false => send(query, DeletionEventKind::Found(found), context),
        };
        let ended = self.0.deletions(query, &mut found);
        if !context.is_cancelled() {
            // A break means that the event loop has ended.
            let _ = send(query, DeletionEventKind::Ended(ended), context);
        }
    }

    fn panicked(&mut self, query: &DeletionQuery, _: &str, context: &TaskContext<'_>) {
        let failure = Failure("internal error: the search for deleted lines failed".to_owned());
        let _ = send(query, DeletionEventKind::Ended(Err(failure)), context);
    }
}
