//! The file history task: finds the versions of files, and what became of their lines.

use std::{io, ops::ControlFlow};

use tokio::sync::mpsc::Sender;

use crate::viewer::{
    model::{
        file_history::{FileHistoryQuery, FileHistoryReader, FoundRevisions},
        line_outcome::LineOutcomeQuery,
        source::Failure,
    },
    protocol::{FileHistoryEvent, FileHistoryEventKind, Message},
    tasks::task::{Handler, Task, TaskContext, TaskRequest},
};

/// A request to the file history task.
#[derive(Debug)]
pub enum FileHistoryRequest {
    /// Find the versions of a file.
    Versions(FileHistoryQuery),
    /// Find what became of a line.
    LineOutcome(LineOutcomeQuery),
}

impl FileHistoryRequest {
    /// The kind of the requests for the versions of a file.
    pub const VERSIONS: usize = 0;
    /// The kind of the requests for what became of a line.
    pub const LINE_OUTCOME: usize = 1;
}

impl TaskRequest for FileHistoryRequest {
    const KINDS: usize = 2;

    fn kind(&self) -> usize {
        match self {
            FileHistoryRequest::Versions(_) => Self::VERSIONS,
            FileHistoryRequest::LineOutcome(_) => Self::LINE_OUTCOME,
        }
    }
}

/// The handler of the file history task.
struct FileFollower(Box<dyn FileHistoryReader>);

/// Starts the task.
///
/// # Errors
/// The system cannot create a thread.
pub fn spawn(
    reader: Box<dyn FileHistoryReader>,
    messages: Sender<Message>,
) -> io::Result<Task<FileHistoryRequest>> {
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

impl FileFollower {
    fn find_versions(&mut self, query: &FileHistoryQuery, context: &TaskContext<'_>) {
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

    fn find_outcome(&mut self, query: &LineOutcomeQuery, context: &TaskContext<'_>) {
        let mut go_on = || match context.is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let outcome = self.0.line_outcome(query, &mut go_on);
        if !context.is_cancelled() {
            // A break means that the event loop has ended.
            let _ = context.send(Message::LineOutcome(query.id, outcome));
        }
    }
}

impl Handler for FileFollower {
    type Request = FileHistoryRequest;

    fn handle(&mut self, request: &FileHistoryRequest, context: &TaskContext<'_>) {
        match request {
            FileHistoryRequest::Versions(query) => self.find_versions(query, context),
            FileHistoryRequest::LineOutcome(query) => self.find_outcome(query, context),
        }
    }

    fn panicked(&mut self, request: &FileHistoryRequest, _: &str, context: &TaskContext<'_>) {
        let failure = Failure("internal error: the history of the file failed".to_owned());
        // A break means that the event loop has ended.
        let _ = match request {
            FileHistoryRequest::Versions(query) => {
                send(query, FileHistoryEventKind::Ended(Err(failure)), context)
            }
            FileHistoryRequest::LineOutcome(query) => {
                context.send(Message::LineOutcome(query.id, Err(failure)))
            }
        };
    }
}
