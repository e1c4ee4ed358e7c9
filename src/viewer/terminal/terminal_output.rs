//! Writing to the terminal on a thread of its own: a terminal that nobody reads blocks who writes
//! to it, and the viewer must still end.

use std::{
    io::{self, Write},
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    thread,
    time::Duration,
};

use futures_util::future::LocalBoxFuture;
use tokio::sync::Notify;

use crate::system::test_panic;

/// Bytes written at once. The terminal may read slowly, but within [`STUCK_AFTER`] this much.
const CHUNK_LEN: usize = 4096;

/// A terminal that reads nothing for so long is not waited for at the end.
const STUCK_AFTER: Duration = Duration::from_millis(500);

/// The output of the process, whose thread is started once.
static THREAD: OnceLock<Arc<OutputThread>> = OnceLock::new();

#[derive(Debug, Default)]
struct OutputThread {
    state: Mutex<OutputState>,
    /// The state has changed.
    changed: Condvar,
    /// All is written.
    written: Notify,
}

#[derive(Debug, Default)]
struct OutputState {
    queue: Vec<u8>,
    is_writing: bool,
    /// Counts chunks.
    progress: u64,
    /// Why the thread has ended.
    error: Option<io::Error>,
}

impl OutputState {
    fn is_idle(&self) -> bool {
        self.error.is_some() || self.queue.is_empty() && !self.is_writing
    }
}

impl OutputThread {
    fn lock(&self) -> MutexGuard<'_, OutputState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notify(&self) {
        self.changed.notify_all();
        self.written.notify_waiters();
    }
}

/// A writer to the terminal. What it is given is written in the background once it is flushed.
#[derive(Debug)]
pub(crate) struct TerminalOutput {
    shared: Arc<OutputThread>,
    unflushed: Vec<u8>,
}

impl TerminalOutput {
    /// The output of the process. Starts the thread that writes.
    ///
    /// # Errors
    ///
    /// The system cannot create a thread.
    pub(crate) fn new() -> io::Result<TerminalOutput> {
        if THREAD.get().is_none() {
            let shared = Arc::<OutputThread>::default();
            if THREAD.set(Arc::clone(&shared)).is_ok() {
                let thread = thread::Builder::new().name("tblame-output".to_owned());
                thread.spawn(move || write_all(&shared))?;
            }
        }
        let shared = THREAD.get().map(Arc::clone).unwrap_or_default();
        Ok(TerminalOutput {
            shared,
            unflushed: Vec::new(),
        })
    }

    /// True if all that was flushed is written.
    pub(crate) fn is_idle(&self) -> bool {
        self.shared.lock().is_idle()
    }

    /// Waits until all that was flushed is written.
    pub(crate) fn written(&self) -> LocalBoxFuture<'static, ()> {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            loop {
                let written = shared.written.notified();
                if shared.lock().is_idle() {
                    return;
                }
                written.await;
            }
        })
    }
}

impl Write for TerminalOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unflushed.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut state = self.shared.lock();
        if let Some(error) = &state.error {
            return Err(match error.raw_os_error() {
                Some(number) => io::Error::from_raw_os_error(number),
                None => io::Error::other(error.to_string()),
            });
        }
        if state.queue.is_empty() {
            mem::swap(&mut state.queue, &mut self.unflushed);
        } else {
            state.queue.append(&mut self.unflushed);
        }
        drop(state);
        self.unflushed.clear();
        self.shared.changed.notify_all();
        Ok(())
    }
}

/// Writes `last` after all that was flushed. Waits for it as long as the terminal reads, and
/// returns whether it was written. If it was not, nothing else can be written to the terminal
/// without waiting for it.
pub(crate) fn finish(last: &[u8]) -> bool {
    let Some(shared) = THREAD.get() else {
        return false;
    };
    let mut state = shared.lock();
    if state.error.is_some() {
        // The thread has ended. What it was about to write is obsolete.
        drop(state);
        let mut out = io::stdout();
        return out.write_all(last).and_then(|()| out.flush()).is_ok();
    }
    state.queue.extend_from_slice(last);
    shared.changed.notify_all();
    while !state.is_idle() {
        let before = state.progress;
        let has_progressed = |state: &mut OutputState| state.progress == before && !state.is_idle();
        let waited = shared
            .changed
            .wait_timeout_while(state, STUCK_AFTER, has_progressed);
        let (now, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        if timeout.timed_out() {
            return false;
        }
        state = now;
    }
    state.error.is_none()
}

/// The thread's work.
fn write_all(shared: &Arc<OutputThread>) {
    let _end = EndOfThread(shared);
    let mut out = io::stdout();
    let mut bytes = Vec::new();
    loop {
        let mut state = shared.lock();
        state.is_writing = false;
        if state.queue.is_empty() {
            shared.notify();
        }
        let is_empty = |state: &mut OutputState| state.queue.is_empty();
        let waited = shared.changed.wait_while(state, is_empty);
        state = waited.unwrap_or_else(PoisonError::into_inner);
        bytes.clear();
        mem::swap(&mut bytes, &mut state.queue);
        state.is_writing = true;
        drop(state);
        test_panic::reached("output");
        for chunk in bytes.chunks(CHUNK_LEN) {
            let written = out.write_all(chunk).and_then(|()| out.flush());
            let mut state = shared.lock();
            state.progress += 1;
            if let Err(error) = written {
                state.error = Some(error);
                return;
            }
            drop(state);
            shared.changed.notify_all();
        }
    }
}

/// Tells those who wait that the thread has ended.
struct EndOfThread<'a>(&'a OutputThread);

impl Drop for EndOfThread<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        let failed = || io::Error::other("the thread that writes to it has failed");
        state.error.get_or_insert_with(failed);
        drop(state);
        self.0.notify();
    }
}
