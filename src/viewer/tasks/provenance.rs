//! The provenance task: finds the releases, merges and requests of commits.

use std::io;

use tokio::sync::mpsc::Sender;

use crate::viewer::{
    model::provenance::{FoundProvenance, ProvenanceQuery, ProvenanceReader},
    protocol::Message,
    tasks::task::{Handler, Task, TaskContext, TaskRequest},
};

impl TaskRequest for ProvenanceQuery {}

/// The handler of the provenance task.
struct ProvenanceHandler(Box<dyn ProvenanceReader>);

/// Starts the task.
///
/// # Errors
/// The system cannot create a thread.
pub fn spawn(
    reader: Box<dyn ProvenanceReader>,
    messages: Sender<Message>,
) -> io::Result<Task<ProvenanceQuery>> {
    Task::spawn(ProvenanceHandler(reader), messages)
}

impl Handler for ProvenanceHandler {
    type Request = ProvenanceQuery;

    fn handle(&mut self, query: &ProvenanceQuery, context: &TaskContext<'_>) {
        let found = self.0.provenance(query, &|| context.is_cancelled());
        if !context.is_cancelled() {
            // A break means that the event loop has ended.
            let _ = context.send(Message::Provenance(query.reading, found));
        }
    }

    fn panicked(&mut self, query: &ProvenanceQuery, _: &str, context: &TaskContext<'_>) {
        let nothing = FoundProvenance::default();
        let _ = context.send(Message::Provenance(query.reading, nothing));
    }
}
