//! Pending requests to the background tasks.

use std::collections::BTreeMap;

use crate::viewer::{
    app::blame::peel::PendingPeel,
    model::{background::queries::QueryKind, texts::encodings::Encoding},
    protocol::HighlightJob,
};

/// Pending requests, and the ids that match answers to them.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    /// The number of the latest blame. Events of older ones are dropped.
    pub(crate) blame_id: u64,
    /// The last number assigned to a view or a diff.
    pub(crate) last_id: u64,
    /// The background queries whose end is awaited, by their kinds.
    pub(crate) running: BTreeMap<QueryKind, RunningQuery>,
    /// The latest highlight jobs, and whether each is finished.
    pub(crate) highlight: Vec<(HighlightJob, bool)>,
    /// The number of the query for another encoding, the view, and the encoding.
    pub(crate) conversion: Option<(u64, u64, Encoding)>,
    /// The number of the requested stamp, that of the view or of the reading of a directory, and the
    /// reason.
    pub(crate) stamp: Option<(u64, u64, StampReason)>,
    /// The number of the query for what was typed into the prompt, and the input.
    pub(crate) place: Option<(u64, String)>,
    /// The view whose unstaged lines were requested last, and the number of the query while its
    /// answer is awaited.
    pub(crate) unstaged: Option<(u64, Option<u64>)>,
    /// The number of the query for what became of a line.
    pub(crate) outcome: Option<u64>,
    /// The lines that are being blamed past their commit.
    pub(crate) peel: Option<PendingPeel>,
}

impl Requests {
    /// A unique number for a view or a diff.
    pub(crate) fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// True if the end of the query of this number is awaited.
    pub(crate) fn is_running(&self, id: u64) -> bool {
        self.running.values().any(|query| query.id == id)
    }
}

/// A background query whose end is awaited.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunningQuery {
    /// Its number.
    pub(crate) id: u64,
    /// True if a page awaits it.
    pub(crate) is_of_page: bool,
}

/// Why a stamp was requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StampReason {
    /// To report a change in the status line.
    Poll,
    /// An external command ended: reload the file if it has changed.
    Returned,
    /// The user asked for a reload.
    Reload,
}
