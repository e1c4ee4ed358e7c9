//! The file history task: finds the versions of files.

use std::{io, ops::ControlFlow};

use tokio::sync::mpsc::Sender;

use crate::viewer::{
    model::{
        file_history::{FileHistoryQuery, FileHistoryReader, FoundRevisions},
        source::Failure,
    },
    protocol::{FileHistoryEvent, FileHistoryEventKind, Message},
    tasks::task::{Handler, Task, TaskContext, TaskRequest},
};

impl TaskRequest for FileHistoryQuery {}

/// The handler of the file history task.
struct FileFollower(Box<dyn FileHistoryReader>);

/// Starts the task.
///
/// # Errors
/// The system cannot create a thread.
pub fn spawn(
    reader: Box<dyn FileHistoryReader>,
    messages: Sender<Message>,
) -> io::Result<Task<FileHistoryQuery>> {
    Task::spawn(FileFollower(reader), messages)
}

fn send(
    query: &FileHistoryQuery,
    kind: FileHistoryEventKind,
    context: &TaskContext<'_>,
) -> ControlFlow<()> {
    let id = query.id;
    context.send(Message::FileHistory(FileHistoryEvent { id, kind }))
}

impl Handler for FileFollower {
    type Request = FileHistoryQuery;

    fn handle(&mut self, query: &FileHistoryQuery, context: &TaskContext<'_>) {
        let mut found = |found: FoundRevisions| match context.is_cancelled() {
            true => ControlFlow::Break(()),
            false => send(query, FileHistoryEventKind::Found(found), context),
        };
        let ended = self.0.file_history(query, &mut found);
        if !context.is_cancelled() {
            // A break means that the event loop has ended.
            let _ = send(query, FileHistoryEventKind::Ended(ended), context);
        }
    }

    fn panicked(&mut self, query: &FileHistoryQuery, _: &str, context: &TaskContext<'_>) {
        let failure = Failure("internal error: the history of the file failed".to_owned());
        let _ = send(query, FileHistoryEventKind::Ended(Err(failure)), context);
    }
}
