//! Cancellation of a blame from another thread.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A handle that cancels a blame from another thread.
///
/// Clones share one flag. Pass the handle to
/// [`BlameBuilder::cancel_with`](crate::BlameBuilder::cancel_with) and call
/// [`cancel`](Cancellation::cancel) on a clone anywhere: the blame ends with
/// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled) before its next commit or diff.
///
/// ```
/// let cancellation = tblame::Cancellation::new();
/// let handle = cancellation.clone();
/// std::thread::spawn(move || handle.cancel()).join().unwrap();
/// assert!(cancellation.is_cancelled());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// A handle that has not been used yet.
    pub fn new() -> Cancellation {
        Cancellation::default()
    }

    /// Cancels every blame that has this handle or a clone of it, for good.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True if [`cancel`](Cancellation::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
