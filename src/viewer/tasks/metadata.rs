//! The metadata task: asks the repository about commits and files beside the blame.

use std::{io, ops::ControlFlow};

use bstr::ByteSlice;
use tokio::sync::mpsc::Sender;

use crate::viewer::{
    model::source::{Failure, MetadataReader, Stamp},
    protocol::{Message, MetadataAnswer, MetadataQuery},
    tasks::task::{Context, Handler, Request, Task},
};

impl Request for MetadataQuery {
    const KINDS: usize = 3;

    fn kind(&self) -> usize {
        match self {
            MetadataQuery::CommitContext(_) => 0,
            MetadataQuery::Files { .. } => 1,
            MetadataQuery::Stamp { .. } => 2,
        }
    }
}

struct Metadata(Box<dyn MetadataReader>);

/// Starts the task.
///
/// # Errors
/// The system cannot create a thread.
pub fn spawn(
    archive: Box<dyn MetadataReader>,
    messages: Sender<Message>,
) -> io::Result<Task<MetadataQuery>> {
    Task::spawn(Metadata(archive), messages)
}

impl Handler for Metadata {
    type Request = MetadataQuery;

    fn handle(&mut self, question: &MetadataQuery, context: &Context<'_>) {
        let answer = self.answer(question, context);
        if !context.is_cancelled() {
            // A break means that the event loop has ended.
            let _ = context.send(Message::Metadata(answer));
        }
    }

    fn panicked(&mut self, question: &MetadataQuery, _: &str, context: &Context<'_>) {
        let failed = || Failure("internal error: the question failed".to_owned());
        let answer = match question {
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
    /// Answers a question. Returns the last part of the answer; the others are sent.
    fn answer(&mut self, question: &MetadataQuery, context: &Context<'_>) -> MetadataAnswer {
        match question {
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
