//! The provenance task: finds the releases, merges and requests of commits.

use std::{io, time::Duration};

use tokio::sync::mpsc::Sender;

use crate::viewer::{
    model::provenance::{FoundProvenance, ProvenanceQuery, ProvenanceReader},
    protocol::Message,
    tasks::task::{Handler, Task, TaskContext, TaskRequest},
};

impl TaskRequest for ProvenanceQuery {}

/// How long the first query of a reading waits. It reads all references and many commits, which would delay the frames of the
/// complete blame and the keys that come right after them.
const READ_AFTER: Duration = Duration::from_millis(100);

/// The handler of the provenance task.
struct ProvenanceHandler {
    reader: Box<dyn ProvenanceReader>,
    /// The number of the last reading of references.
    reading: Option<u64>,
}

/// Starts the task.
///
/// # Errors
/// The system cannot create a thread.
pub fn spawn(
    reader: Box<dyn ProvenanceReader>,
    messages: Sender<Message>,
) -> io::Result<Task<ProvenanceQuery>> {
    let handler = ProvenanceHandler {
        reader,
        reading: None,
    };
    Task::spawn(handler, messages)
}

impl Handler for ProvenanceHandler {
    type Request = ProvenanceQuery;

    fn handle(&mut self, query: &ProvenanceQuery, context: &TaskContext<'_>) {
        if self.reading != Some(query.reading) {
            if context.wait(READ_AFTER).is_break() {
                return;
            }
            self.reading = Some(query.reading);
        }
        let found = self.reader.provenance(query, &|| context.is_cancelled());
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
