//! A background task: a thread that handles requests one at a time, where the latest request of a
//! kind cancels the older ones.

use std::{
    any::Any,
    collections::VecDeque,
    io,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
};

use tokio::sync::mpsc::Sender;

use crate::{system::test_panic, viewer::protocol::Message};

/// Capacity of the channel from all tasks to the event loop, in messages. A full channel blocks the
/// tasks, so that a fast blame does not queue results faster than they are drawn.
pub const CAPACITY: usize = 32;

/// Name of every task's thread. A panic there is reported as a message, so the panic hook prints
/// nothing.
pub const THREAD: &str = "tblame-task";

/// Value of `latest` that is no request's id: all requests are cancelled.
const NONE: u64 = 0;

/// A request to a task.
pub trait TaskRequest: Send + 'static {
    /// Number of kinds. A request cancels older requests of its own kind only.
    const KINDS: usize = 1;

    /// The kind, below [`KINDS`](Self::KINDS).
    fn kind(&self) -> usize {
        0
    }
}

/// Handles the requests of a task, on the task's thread.
pub trait Handler: Send + 'static {
    /// The requests that it handles.
    type Request: TaskRequest;

    /// Handles a request and sends its results.
    fn handle(&mut self, request: &Self::Request, context: &TaskContext<'_>);

    /// Sends the final result of a request whose `handle` panicked with this message.
    fn panicked(&mut self, request: &Self::Request, panic: &str, context: &TaskContext<'_>);
}

/// The connection of a running request to the event loop.
#[derive(Debug)]
pub struct TaskContext<'a> {
    messages: &'a Sender<Message>,
    latest: &'a AtomicU64,
    id: u64,
}

impl TaskContext<'_> {
    /// Sends a message, waiting while the channel is full. Breaks when the event loop has ended.
    pub fn send(&self, message: Message) -> ControlFlow<()> {
        match self.messages.blocking_send(message) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }

    /// True if a newer request of this kind is queued, or this one was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.latest.load(Ordering::Relaxed) != self.id
    }
}

/// Identifies a request, to cancel it but none after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestId {
    kind: usize,
    id: u64,
}

/// The requests that wait, at most one of each kind, in the order in which they came.
#[derive(Debug)]
struct RequestQueue<R> {
    waiting: Mutex<Waiting<R>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Waiting<R> {
    requests: VecDeque<(u64, R)>,
    is_closed: bool,
}

impl<R: TaskRequest> RequestQueue<R> {
    fn new() -> RequestQueue<R> {
        RequestQueue {
            waiting: Mutex::new(Waiting {
                requests: VecDeque::new(),
                is_closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting<R>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a request in place of the one of its kind that waits.
    fn push(&self, id: u64, request: R) {
        let mut waiting = self.lock();
        let kind = request.kind();
        waiting.requests.retain(|(_, older)| older.kind() != kind);
        waiting.requests.push_back((id, request));
        self.changed.notify_one();
    }

    /// Waits for the next request; `None` once the queue is closed.
    fn next(&self) -> Option<(u64, R)> {
        let idle = |waiting: &mut Waiting<R>| waiting.requests.is_empty() && !waiting.is_closed;
        let waiting = self.changed.wait_while(self.lock(), idle);
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        if waiting.is_closed {
            None
        } else {
            waiting.requests.pop_front()
        }
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_one();
    }
}

/// A background thread with a queue of requests.
#[derive(Debug)]
pub struct Task<R> {
    queue: Arc<RequestQueue<R>>,
    /// Id of the latest request of each kind.
    latest: Arc<[AtomicU64]>,
    started: u64,
    thread: JoinHandle<()>,
}

impl<R: TaskRequest> Task<R> {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system cannot create a thread.
    pub fn spawn(
        handler: impl Handler<Request = R>,
        messages: Sender<Message>,
    ) -> io::Result<Task<R>> {
        let queue = Arc::new(RequestQueue::new());
        let requests = Arc::clone(&queue);
        let latest: Arc<[AtomicU64]> = (0..R::KINDS).map(|_| AtomicU64::new(NONE)).collect();
        let shared = Arc::clone(&latest);
        let thread = thread::Builder::new()
            .name(THREAD.to_owned())
            .spawn(move || run(handler, &requests, &messages, &shared))?;
        Ok(Task {
            queue,
            latest,
            started: NONE,
            thread,
        })
    }

    /// Queues a request, which cancels the older ones of its kind.
    pub fn start(&mut self, request: R) -> RequestId {
        self.started += 1;
        let (kind, id) = (request.kind(), self.started);
        self.latest[kind].store(id, Ordering::Relaxed);
        self.queue.push(id, request);
        RequestId { kind, id }
    }

    /// Cancels this request if it is the latest of its kind.
    pub fn cancel(&self, RequestId { kind, id }: RequestId) {
        let latest = &self.latest[kind];
        latest
            .compare_exchange(id, NONE, Ordering::Relaxed, Ordering::Relaxed)
            .ok();
    }

    /// Cancels all requests of a kind.
    pub fn cancel_kind(&self, kind: usize) {
        self.latest[kind].store(NONE, Ordering::Relaxed);
    }

    /// Cancels all requests, which lets the thread end. The receiver of the messages must have been
    /// dropped: a task blocked on the full channel would otherwise never end.
    pub fn end(self) -> JoinHandle<()> {
        for latest in self.latest.iter() {
            latest.store(NONE, Ordering::Relaxed);
        }
        self.queue.close();
        self.thread
    }
}

fn run<H: Handler>(
    mut handler: H,
    requests: &RequestQueue<H::Request>,
    messages: &Sender<Message>,
    latest: &[AtomicU64],
) {
    while let Some((id, request)) = requests.next() {
        let context = TaskContext {
            messages,
            latest: &latest[request.kind()],
            id,
        };
        if context.is_cancelled() {
            continue;
        }
        let handle = || {
            test_panic::reached(place::<H>());
            handler.handle(&request, &context);
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(handle)) {
            handler.panicked(&request, panic_message(panic.as_ref()), &context);
        }
    }
}

/// The name of a handler's request, which tells the threads apart.
fn place<H: Handler>() -> &'static str {
    let name = std::any::type_name::<H::Request>();
    let name = name.trim_end_matches('>');
    name.rsplit("::").next().unwrap_or(name)
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("unknown")
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::{Receiver, channel};

    use super::*;

    /// Counts up to a number, or panics at 0.
    struct Counter;

    #[derive(Debug, Clone, Copy)]
    enum Count {
        To(u32),
        UntilCancelled,
        Other,
    }

    impl TaskRequest for Count {
        const KINDS: usize = 2;

        fn kind(&self) -> usize {
            usize::from(matches!(self, Count::Other))
        }
    }

    impl Handler for Counter {
        type Request = Count;

        fn handle(&mut self, request: &Count, context: &TaskContext<'_>) {
            match *request {
                Count::To(0) => panic!("nothing to count"),
                Count::To(end) => {
                    for number in 1..=end {
                        if context.send(text(&number.to_string())).is_break() {
                            return;
                        }
                    }
                }
                Count::UntilCancelled => {
                    context.send(text("begun")).is_break();
                    while !context.is_cancelled() {
                        thread::yield_now();
                    }
                }
                Count::Other => {
                    context.send(text("other")).is_break();
                }
            }
        }

        fn panicked(&mut self, _: &Count, panic: &str, context: &TaskContext<'_>) {
            context.send(text(panic)).is_break();
        }
    }

    fn text(text: &str) -> Message {
        Message::ShowStatus(text.to_owned())
    }

    fn next(messages: &mut Receiver<Message>) -> String {
        match messages.blocking_recv() {
            Some(Message::ShowStatus(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_latest_request_of_a_kind_cancels_the_older_ones() {
        let (sender, mut messages) = channel(CAPACITY);
        let mut task = Task::spawn(Counter, sender).expect("a thread");
        task.start(Count::UntilCancelled);
        assert_eq!(next(&mut messages), "begun");
        // A request of another kind cancels nothing.
        let other = task.start(Count::Other);
        task.start(Count::UntilCancelled);
        task.start(Count::To(2));
        assert_eq!(next(&mut messages), "other");
        assert_eq!(next(&mut messages), "1");
        assert_eq!(next(&mut messages), "2");
        // Cancelling a request that is not the latest has no effect.
        let first = task.start(Count::UntilCancelled);
        assert_eq!(next(&mut messages), "begun");
        task.cancel(other);
        let second = task.start(Count::UntilCancelled);
        assert_eq!(next(&mut messages), "begun");
        task.cancel(first);
        task.cancel(second);
        drop(messages);
        task.end().join().expect("no panic");
    }

    #[test]
    fn one_request_of_each_kind_waits() {
        let queue = RequestQueue::new();
        let requests = [Count::To(1), Count::Other, Count::To(2), Count::To(3)];
        for (id, request) in (1..).zip(requests) {
            queue.push(id, request);
        }
        let waiting: Vec<u64> = queue.lock().requests.iter().map(|(id, _)| *id).collect();
        assert_eq!(waiting, [2, 4]);
        queue.close();
        assert!(queue.next().is_none());
    }

    #[test]
    fn the_task_reports_a_panic_and_continues() {
        let (sender, mut messages) = channel(CAPACITY);
        let mut task = Task::spawn(Counter, sender).expect("a thread");
        task.start(Count::To(0));
        assert_eq!(next(&mut messages), "nothing to count");
        task.start(Count::To(1));
        assert_eq!(next(&mut messages), "1");
        drop(messages);
        task.end().join().expect("no panic");
    }

    #[test]
    fn a_task_blocked_on_a_full_channel_ends_with_the_receiver() {
        let (sender, messages) = channel(1);
        let mut task = Task::spawn(Counter, sender).expect("a thread");
        task.start(Count::To(u32::MAX));
        drop(messages);
        task.end().join().expect("no panic");
    }
}
