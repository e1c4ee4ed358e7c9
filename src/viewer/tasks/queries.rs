//! The query task: reads commit contexts, file lists and stamps from the repository.

use std::{io, ops::ControlFlow, sync::Arc};

use bstr::ByteSlice;
use tokio::sync::mpsc::Sender;

use crate::viewer::{
    model::{
        source::{Failure, HistoryReader, Stamp},
        text::Text,
    },
    protocol::{Message, QueryAnswer, RepositoryQuery},
    tasks::task::{Handler, Task, TaskContext, TaskRequest},
};

impl TaskRequest for RepositoryQuery {
    const KINDS: usize = 7;

    fn kind(&self) -> usize {
        match self {
            RepositoryQuery::CommitContext(_) => 0,
            RepositoryQuery::Files { .. } => 1,
            RepositoryQuery::Stamp { .. } => 2,
            RepositoryQuery::NamedVersion { .. } => 3,
            RepositoryQuery::Completions { .. } => 4,
            RepositoryQuery::Unstaged { .. } => 5,
            RepositoryQuery::Beginning { .. } => 6,
        }
    }
}

/// The handler of the query task.
struct QueryHandler(Box<dyn HistoryReader>);

/// Starts the task.
///
/// # Errors
/// The system cannot create a thread.
pub fn spawn(
    reader: Box<dyn HistoryReader>,
    messages: Sender<Message>,
) -> io::Result<Task<RepositoryQuery>> {
    Task::spawn(QueryHandler(reader), messages)
}

impl Handler for QueryHandler {
    type Request = RepositoryQuery;

    fn handle(&mut self, query: &RepositoryQuery, context: &TaskContext<'_>) {
        let answer = self.answer(query, context);
        if !context.is_cancelled() {
            // A break means that the event loop has ended.
            let _ = context.send(Message::QueryAnswer(answer));
        }
    }

    fn panicked(&mut self, query: &RepositoryQuery, _: &str, context: &TaskContext<'_>) {
        let failed = || Failure("internal error: the query failed".to_owned());
        let answer = match query {
            RepositoryQuery::CommitContext(id) => QueryAnswer::CommitContext(*id, Err(failed())),
            RepositoryQuery::Files { id, .. } => QueryAnswer::Listed(*id, Err(failed())),
            RepositoryQuery::Stamp { id, .. } => QueryAnswer::Stamp(*id, Stamp::default()),
            RepositoryQuery::NamedVersion { id, .. } => {
                QueryAnswer::NamedVersion(*id, Err(failed()))
            }
            RepositoryQuery::Unstaged { view, .. } => QueryAnswer::Unstaged(*view, None),
            RepositoryQuery::Beginning { id, .. } => QueryAnswer::Beginning(*id, Err(failed())),
            RepositoryQuery::Completions { id, input, .. } => {
                QueryAnswer::Completions(*id, (input.clone(), Vec::new()))
            }
        };
        if !context.is_cancelled() {
            let _ = context.send(Message::QueryAnswer(answer));
        }
    }
}

impl QueryHandler {
    /// Runs a query. Sends all parts of the answer but the last, which is returned.
    fn answer(&mut self, query: &RepositoryQuery, context: &TaskContext<'_>) -> QueryAnswer {
        match query {
            RepositoryQuery::CommitContext(id) => {
                let found = self.0.commit_context(id, &|| context.is_cancelled());
                QueryAnswer::CommitContext(*id, found)
            }
            RepositoryQuery::Stamp { id, path } => {
                QueryAnswer::Stamp(*id, self.0.stamp(path.as_slice().as_bstr()))
            }
            RepositoryQuery::NamedVersion { id, query } => {
                QueryAnswer::NamedVersion(*id, self.0.place(query))
            }
            RepositoryQuery::Unstaged { view, path, text } => {
                let found = self.0.unstaged(path.as_bstr(), text.0.bytes());
                QueryAnswer::Unstaged(*view, found)
            }
            RepositoryQuery::Beginning { id, version } => {
                let beginning = self.0.beginning(version);
                let text = beginning.map(|bytes| Arc::new(Text::new(bytes)));
                QueryAnswer::Beginning(*id, text)
            }
            RepositoryQuery::Completions { id, version, input } => {
                let found = self.0.completions(version, input.as_bstr());
                QueryAnswer::Completions(*id, (input.clone(), found))
            }
            RepositoryQuery::Files { id, version } => {
                let mut send = |names| match context.is_cancelled() {
                    true => ControlFlow::Break(()),
                    false => context.send(Message::QueryAnswer(QueryAnswer::Files(*id, names))),
                };
                QueryAnswer::Listed(*id, self.0.files(version, &mut send))
            }
        }
    }
}
