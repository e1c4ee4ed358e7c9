//! Requests to the background tasks that are not answered yet.

use crate::viewer::{model::encodings::Encoding, protocol::HighlightJob};

/// Open requests, and the numbers that answers carry back.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    /// The number of the latest blame. Events of older ones are dropped.
    pub(crate) generation: u64,
    /// The last number that was given to a view or a diff.
    pub(crate) numbers: u64,
    /// The lines whose highlighting was asked for last, and whether they are answered.
    pub(crate) highlight: Vec<(HighlightJob, bool)>,
    /// The view whose text is being converted, and from what.
    pub(crate) conversion: Option<(u64, Encoding)>,
    /// The view whose stamp was asked for, and what for.
    pub(crate) stamp: Option<(u64, StampReason)>,
}

impl Requests {
    /// A number of its own for a view or a diff.
    pub(crate) fn next_number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }
}

/// Why it was asked whether a file has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StampReason {
    /// To show it in the status line.
    Poll,
    /// Another program ran: the file is read again if it has changed.
    Returned,
    /// The user asked for it to be read again.
    Reload,
}
