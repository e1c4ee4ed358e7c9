//! How a walk ended whose items were passed on.

/// The outcome of a walk whose items were passed to a callback:
/// [`TreeBuilder::stream`](crate::TreeBuilder::stream),
/// [`BlameBuilder::line_history`](crate::BlameBuilder::line_history).
#[derive(Debug, Clone)]
pub struct StreamSummary {
    is_complete: bool,
    warnings: Vec<String>,
}

impl StreamSummary {
    pub(super) fn new(is_complete: bool, warnings: Vec<String>) -> StreamSummary {
        StreamSummary {
            is_complete,
            warnings,
        }
    }

    /// True if all was passed on, false if the callback stopped it.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Warnings and errors that did not end it, in git's words where it has some.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
