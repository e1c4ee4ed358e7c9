//! The metadata task: reads commit contexts, file lists and stamps from the repository.

use std::{io, ops::ControlFlow};

use bstr::ByteSlice;
use tokio::sync::mpsc::Sender;

use crate::viewer::{
    model::source::{Failure, MetadataReader, Stamp},
    protocol::{Message, MetadataAnswer, MetadataQuery},
    tasks::task::{Handler, Task, TaskContext, TaskRequest},
};

impl TaskRequest for MetadataQuery {
    const KINDS: usize = 3;

    fn kind(&self) -> usize {
        match self {
            MetadataQuery::CommitContext(_) => 0,
            MetadataQuery::Files { .. } => 1,
            MetadataQuery::Stamp { .. } => 2,
        }
    }
}

/// The handler of the metadata task.
struct Metadata(Box<dyn MetadataReader>);

/// Starts the task.
///
/// # Errors
/// The system cannot create a thread.
pub fn spawn(
    reader: Box<dyn MetadataReader>,
    messages: Sender<Message>,
) -> io::Result<Task<MetadataQuery>> {
    Task::spawn(Metadata(reader), messages)
}

impl Handler for Metadata {
    type Request = MetadataQuery;

    fn handle(&mut self, query: &MetadataQuery, context: &TaskContext<'_>) {
        let answer = self.answer(query, context);
        if !context.is_cancelled() {
            // A break means that the event loop has ended.
            let _ = context.send(Message::Metadata(answer));
        }
    }

    fn panicked(&mut self, query: &MetadataQuery, _: &str, context: &TaskContext<'_>) {
        let failed = || Failure("internal error: the query failed".to_owned());
        let answer = match query {
            MetadataQuery::CommitContext(id) => MetadataAnswer::CommitContext(*id, Err(failed())),
            MetadataQuery::Files { number, .. } => MetadataAnswer::Listed(*number, Err(failed())),
            MetadataQuery::Stamp { view, .. } => MetadataAnswer::Stamp(*view, Stamp::default()),
        };
        if !context.is_cancelled() {
            let _ = context.send(Message::Metadata(answer));
        }
    }
}

impl Metadata {
    /// Runs a query. Sends all parts of the answer but the last, which is returned.
    fn answer(&mut self, query: &MetadataQuery, context: &TaskContext<'_>) -> MetadataAnswer {
        match query {
            MetadataQuery::CommitContext(id) => {
                let found = self.0.commit_context(id, &|| context.is_cancelled());
                MetadataAnswer::CommitContext(*id, found)
            }
            MetadataQuery::Stamp { view, path } => {
                MetadataAnswer::Stamp(*view, self.0.stamp(path.as_slice().as_bstr()))
            }
            MetadataQuery::Files { number, version } => {
                let mut send = |names| match context.is_cancelled() {
                    true => ControlFlow::Break(()),
                    false => context.send(Message::Metadata(MetadataAnswer::Files(*number, names))),
                };
                MetadataAnswer::Listed(*number, self.0.files(version, &mut send))
            }
        }
    }
}
