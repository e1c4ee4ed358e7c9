//! The background tasks of the viewer, and the channel from them to the event loop.

use std::{
    io, thread,
    time::{Duration, Instant},
};

use tokio::sync::mpsc::{Receiver, channel};

use crate::viewer::{
    model::{
        deletions::DeletionQuery, line_history::LineHistoryQuery, origins::OriginQuery,
        provenance::ProvenanceQuery, source::BlameSource,
    },
    protocol::{DiffJob, HighlightJob, Message, RepositoryQuery},
    tasks::{
        blame::{self, BlameRequest},
        convert::{self, ConvertRequest},
        deletions, diff,
        file_history::{self, FileHistoryRequest},
        highlight, line_history, origins, provenance, queries,
        task::{CAPACITY, Task},
    },
};

/// How long the end of the viewer waits for the threads.
const END_TIMEOUT: Duration = Duration::from_millis(5);

/// Time between looks whether they have ended.
const END_INTERVAL: Duration = Duration::from_micros(500);

/// All background tasks. Each has a thread; all send to one channel.
#[derive(Debug)]
pub struct TaskSet {
    /// Blames files.
    pub blame: Task<BlameRequest>,
    /// Diffs versions of files.
    pub diff: Task<DiffJob>,
    /// Answers queries about commits and files.
    pub queries: Task<RepositoryQuery>,
    /// Finds the history of lines.
    pub line_history: Task<LineHistoryQuery>,
    /// Finds the versions of files, and what became of their lines.
    pub file_history: Task<FileHistoryRequest>,
    /// Finds the lines that commits deleted.
    pub deletions: Task<DeletionQuery>,
    /// Finds where lines were written.
    pub origins: Task<OriginQuery>,
    /// Finds the releases, merges and requests of commits.
    pub provenance: Task<ProvenanceQuery>,
    /// Highlights code.
    pub highlight: Task<Vec<HighlightJob>>,
    /// Converts files to other encodings.
    pub convert: Task<ConvertRequest>,
}

impl TaskSet {
    /// Starts the threads. Also returns the receiver of their channel.
    ///
    /// # Errors
    /// The system cannot create a thread.
    pub fn spawn(source: Box<dyn BlameSource>) -> io::Result<(TaskSet, Receiver<Message>)> {
        let (sender, messages) = channel(CAPACITY);
        let fetches = sender.clone();
        source.observe_fetches(Box::new(move |event| {
            // An error means that the event loop has ended.
            fetches.blocking_send(Message::Fetch(event)).ok();
        }));
        let tasks = TaskSet {
            diff: diff::spawn(source.version_reader(), sender.clone())?,
            queries: queries::spawn(source.history_reader(), sender.clone())?,
            line_history: line_history::spawn(source.line_history_reader(), sender.clone())?,
            file_history: file_history::spawn(source.file_history_reader(), sender.clone())?,
            deletions: deletions::spawn(source.deletion_reader(), sender.clone())?,
            origins: origins::spawn(source.second_source(), sender.clone())?,
            provenance: provenance::spawn(source.provenance_reader(), sender.clone())?,
            highlight: highlight::spawn(sender.clone())?,
            convert: convert::spawn(sender.clone())?,
            blame: blame::spawn(source, sender)?,
        };
        Ok((tasks, messages))
    }

    /// Cancels all requests and waits for the threads, but not for long: the engine looks for a cancellation between commits
    /// and diffs, and a command may take any time. Returns whether all have ended.
    pub fn end(self, messages: Receiver<Message>) -> bool {
        // A task blocked on the full channel would never end while the receiver exists.
        drop(messages);
        let threads = [
            self.blame.end(),
            self.diff.end(),
            self.queries.end(),
            self.line_history.end(),
            self.file_history.end(),
            self.deletions.end(),
            self.origins.end(),
            self.provenance.end(),
            self.highlight.end(),
            self.convert.end(),
        ];
        let deadline = Instant::now() + END_TIMEOUT;
        let run = || threads.iter().any(|thread| !thread.is_finished());
        while run() {
            if Instant::now() >= deadline {
                return false;
            }
            thread::sleep(END_INTERVAL);
        }
        true
    }
}
