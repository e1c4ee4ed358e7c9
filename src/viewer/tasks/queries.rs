//! The query tasks: answer the background queries, on a thread for those that share a reader.

use std::{io, thread::JoinHandle};

use tokio::sync::mpsc::Sender;

use crate::viewer::{
    model::{
        background::queries::{QueryKind, QueryReader, QueryReaders, QueryRequest},
        source::Failure,
    },
    protocol::Message,
    tasks::task::{Handler, Task, TaskContext, TaskRequest},
};

/// A query and its number.
#[derive(Debug)]
pub struct NumberedQuery(u64, QueryRequest);

impl TaskRequest for NumberedQuery {
    const KINDS: usize = QueryKind::COUNT;

    fn kind(&self) -> usize {
        self.1.kind() as usize
    }
}

impl Handler for Box<dyn QueryReader> {
    type Request = NumberedQuery;

    fn handle(&mut self, NumberedQuery(id, request): &NumberedQuery, context: &TaskContext<'_>) {
        let mut send = |event| context.send(Message::Query(*id, event));
        self.answer(request, &mut send, &|| context.is_cancelled());
    }

    fn panicked(
        &mut self,
        NumberedQuery(id, request): &NumberedQuery,
        panic: &str,
        context: &TaskContext<'_>,
    ) {
        let failure = Failure::new(format!("internal error: {panic}"));
        let _ = context.send(Message::Query(*id, request.failed(failure)));
    }
}

/// The threads that answer queries.
#[derive(Debug)]
pub struct QueryTasks(Vec<Task<NumberedQuery>>);

impl QueryTasks {
    /// Starts a thread for each reader.
    ///
    /// # Errors
    /// The system cannot create a thread.
    pub fn spawn(readers: QueryReaders, messages: &Sender<Message>) -> io::Result<QueryTasks> {
        let readers = readers.0.into_iter();
        let tasks = readers.map(|reader| Task::spawn(reader, messages.clone()));
        Ok(QueryTasks(tasks.collect::<io::Result<_>>()?))
    }

    /// Starts a query, which cancels the older ones of its kind. The number is repeated in what
    /// comes back.
    pub fn start(&mut self, id: u64, request: QueryRequest) {
        let thread = request.kind().thread();
        self.0[thread].start(NumberedQuery(id, request));
    }

    /// Cancels the queries of a kind.
    pub fn cancel(&self, kind: QueryKind) {
        self.0[kind.thread()].cancel_kind(kind as usize);
    }

    /// Cancels all queries, as [`Task::end`].
    pub fn end(self) -> impl Iterator<Item = JoinHandle<()>> {
        self.0.into_iter().map(Task::end)
    }
}
