//! The background tasks of the viewer, and the channel from them to the event loop.

use std::{
    io,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use tokio::sync::mpsc::{Receiver, channel};

use crate::viewer::{
    model::source::BlameSource,
    protocol::{DiffJob, HighlightJob, Message},
    tasks::{
        blame::{self, BlameRequest},
        diff, highlight,
        idle::{self, GoOn},
        queries::QueryTasks,
        task::{CAPACITY, Task},
    },
};

/// How long the end of the viewer waits for the threads.
const END_TIMEOUT: Duration = Duration::from_millis(5);

/// Time between looks whether they have ended.
const END_INTERVAL: Duration = Duration::from_micros(500);

/// All background tasks. All threads send to one channel.
#[derive(Debug)]
pub struct TaskSet {
    /// Blames files.
    pub blame: Task<BlameRequest>,
    /// Diffs versions of files.
    pub diff: Task<DiffJob>,
    /// Answer queries.
    pub queries: QueryTasks,
    /// Highlights code.
    pub highlight: Task<Vec<HighlightJob>>,
    /// Works for later runs, if there is something to do.
    pub idle: Option<Task<GoOn>>,
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
        let idle = source.idle_work();
        let idle = idle.map(|work| idle::spawn(work, sender.clone()));
        let tasks = TaskSet {
            idle: idle.transpose()?,
            diff: diff::spawn(source.version_reader(), sender.clone())?,
            queries: QueryTasks::spawn(source.query_readers(), &sender)?,
            highlight: highlight::spawn(sender.clone())?,
            blame: blame::spawn(source, sender)?,
        };
        Ok((tasks, messages))
    }

    /// Cancels all requests and waits for the threads, but not for long: the engine looks for a
    /// cancellation between commits and diffs, and a command may take any time. Returns whether all
    /// have ended.
    pub fn end(self, messages: Receiver<Message>) -> bool {
        // A task blocked on the full channel would never end while the receiver exists.
        drop(messages);
        let others = [self.blame.end(), self.diff.end(), self.highlight.end()];
        let others = others.into_iter().chain(self.queries.end());
        let threads: Vec<JoinHandle<()>> = others.chain(self.idle.map(Task::end)).collect();
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
