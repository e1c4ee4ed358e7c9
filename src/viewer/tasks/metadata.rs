//! The metadata task: asks the repository about commits and files beside the blame.

use std::{io, ops::ControlFlow};

use bstr::ByteSlice;
use tokio::sync::mpsc::Sender;

use crate::viewer::{
    model::source::{Failure, MetadataReader, Stamp},
    protocol::{Answer, Message, Question},
    tasks::task::{Context, Handler, Request, Task},
};

impl Request for Question {
    const KINDS: usize = 3;

    fn kind(&self) -> usize {
        match self {
            Question::CommitContext(_) => 0,
            Question::Files { .. } => 1,
            Question::Stamp { .. } => 2,
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
) -> io::Result<Task<Question>> {
    Task::spawn(Metadata(archive), messages)
}

impl Handler for Metadata {
    type Request = Question;

    fn handle(&mut self, question: &Question, context: &Context<'_>) {
        let answer = self.answer(question, context);
        if !context.is_cancelled() {
            // A break means that the event loop has ended.
            let _ = context.send(Message::Answer(answer));
        }
    }

    fn panicked(&mut self, question: &Question, _: &str, context: &Context<'_>) {
        let failed = || Failure("internal error: the question failed".to_owned());
        let answer = match question {
            Question::CommitContext(id) => Answer::CommitContext(*id, Err(failed())),
            Question::Files { number, .. } => Answer::Listed(*number, Err(failed())),
            Question::Stamp { view, .. } => Answer::Stamp(*view, Stamp::default()),
        };
        if !context.is_cancelled() {
            let _ = context.send(Message::Answer(answer));
        }
    }
}

impl Metadata {
    /// Answers a question. Returns the last part of the answer; the others are sent.
    fn answer(&mut self, question: &Question, context: &Context<'_>) -> Answer {
        match question {
            Question::CommitContext(id) => {
                let found = self.0.commit_context(id, &|| context.is_cancelled());
                Answer::CommitContext(*id, found)
            }
            Question::Stamp { view, path } => {
                Answer::Stamp(*view, self.0.stamp(path.as_slice().as_bstr()))
            }
            Question::Files { number, version } => {
                let mut send = |names| match context.is_cancelled() {
                    true => ControlFlow::Break(()),
                    false => context.send(Message::Answer(Answer::Files(*number, names))),
                };
                Answer::Listed(*number, self.0.files(version, &mut send))
            }
        }
    }
}
