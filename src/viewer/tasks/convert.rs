//! The conversion task: decodes large files from their encoding for display.

use std::io;

use tokio::sync::mpsc::Sender;

use crate::viewer::{
    model::encodings::Encoding,
    protocol::{Message, SharedText},
    tasks::task::{Handler, Task, TaskContext, TaskRequest},
};

/// A request to decode a file.
#[derive(Debug)]
pub struct ConvertRequest {
    /// The number of the view of the file.
    pub view: u64,
    /// The encoding of the bytes.
    pub encoding: Encoding,
    /// The bytes.
    pub file: SharedText,
}

impl TaskRequest for ConvertRequest {}

struct Converter;

/// Starts the task.
///
/// # Errors
/// The system cannot create a thread.
pub fn spawn(messages: Sender<Message>) -> io::Result<Task<ConvertRequest>> {
    Task::spawn(Converter, messages)
}

impl Handler for Converter {
    type Request = ConvertRequest;

    fn handle(&mut self, request: &ConvertRequest, context: &TaskContext<'_>) {
        let (view, encoding) = (request.view, request.encoding);
        let text = encoding.convert(&request.file.0);
        // A break means that the event loop has ended.
        let _ = context.send(Message::Converted {
            view,
            encoding,
            text,
        });
    }

    fn panicked(&mut self, _: &ConvertRequest, panic: &str, context: &TaskContext<'_>) {
        let _ = context.send(Message::ShowStatus(format!("internal error: {panic}")));
    }
}
