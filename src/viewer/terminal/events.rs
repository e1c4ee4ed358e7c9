//! The terminal's events as a stream that has stopped reading once it is dropped.
//!
//! crossterm's stream reads on a thread of its own, and dropping the stream only asks that thread
//! to end. Until it does, it competes with an external program for the keys: if it sees that a line
//! can be read and the program takes the line first, the thread blocks in `read` and swallows the
//! next one.

use std::{
    cell::Cell,
    io,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError, mpsc},
    task::{Context, Poll, Wake, Waker},
    thread,
    time::Duration,
};

use crossterm::event::{Event, EventStream};
use futures_util::{Stream, StreamExt};

use crate::system::test_panic;

/// How long dropping the stream waits. The thread ends within a millisecond unless it is in the
/// middle of an escape sequence, which it then reads to the end.
const END_TIMEOUT: Duration = Duration::from_millis(200);

thread_local! {
    /// This thread is crossterm's. It has no name, and is known once it has read something.
    static IS_READER: Cell<bool> = const { Cell::new(false) };
}

/// True if the calling thread reads the terminal.
pub(crate) fn is_reader() -> bool {
    IS_READER.get()
}

/// The events of the terminal.
pub(crate) struct TerminalEvents {
    stream: Option<EventStream>,
    waker: Option<Arc<ReaderWaker>>,
    /// Disconnected as soon as neither this stream nor crossterm's thread has the waker.
    reader: mpsc::Receiver<()>,
}

/// The waker that crossterm's thread holds while it reads. It wakes the task that polled last.
struct ReaderWaker {
    task: Mutex<Waker>,
    _reader: mpsc::Sender<()>,
}

impl Wake for ReaderWaker {
    fn wake(self: Arc<Self>) {
        IS_READER.set(true);
        test_panic::reached("reader");
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        task.wake_by_ref();
    }
}

impl TerminalEvents {
    /// Starts to read. Only one stream may exist at a time.
    ///
    /// # Errors
    /// No thread can be started.
    pub(crate) fn new() -> io::Result<Self> {
        // The stream starts one, and panics if it cannot, as where memory is limited.
        thread::Builder::new().spawn(|| ())?.join().ok();
        let (sender, reader) = mpsc::channel();
        Ok(TerminalEvents {
            stream: Some(EventStream::new()),
            waker: Some(Arc::new(ReaderWaker {
                task: Mutex::new(Waker::noop().clone()),
                _reader: sender,
            })),
            reader,
        })
    }
}

impl Stream for TerminalEvents {
    type Item = io::Result<Event>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let (Some(stream), Some(waker)) = (&mut this.stream, &this.waker) else {
            return Poll::Ready(None);
        };
        let mut task = waker.task.lock().unwrap_or_else(PoisonError::into_inner);
        task.clone_from(context.waker());
        drop(task);
        let waker = Waker::from(Arc::clone(waker));
        stream.poll_next_unpin(&mut Context::from_waker(&waker))
    }
}

impl Drop for TerminalEvents {
    fn drop(&mut self) {
        self.stream.take();
        self.waker.take();
        // Nothing is ever sent: this waits for the sender in the waker to be dropped.
        self.reader.recv_timeout(END_TIMEOUT).ok();
    }
}
