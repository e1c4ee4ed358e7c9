//! The navigation history: visited views, the view being opened, and marks.

use std::{collections::BTreeMap, sync::Arc};

use bstr::BString;

use crate::{
    objects::ObjectId,
    viewer::{
        app::{
            blame::{merge_step::MergeStep, view::View},
            deletions::deletion_marks::DeletionMarks,
            display::pager::Position,
            file_history::{known_versions::KnownVersions, version_step::VersionStep},
            origins::second_answer::SecondAnswer,
        },
        model::{
            external_commands::IgnoreEntry,
            source::{FileVersion, Stamp},
            toggled_options::ToggledOptions,
        },
        protocol::LineRef,
    },
};

/// The mark that every jump sets to the position before it.
pub(crate) const BEFORE_JUMP: char = '\'';

/// The navigation history.
#[derive(Debug)]
pub struct History {
    /// The views, the oldest first.
    pub views: Vec<View>,
    /// Index of the visible view.
    pub current: usize,
    /// The pages are those from which the first view was opened: it is the next step.
    pub(crate) is_before_views: bool,
    /// The view being opened.
    pub pending: Option<PendingView>,
    /// The options of the first view.
    pub(crate) options: Arc<ToggledOptions>,
    /// The marks by letter.
    pub(crate) marks: BTreeMap<char, PositionMark>,
    /// The versions of a file.
    pub versions: Option<KnownVersions>,
    /// The places of the visible view where lines were deleted, if they are marked.
    pub deletions: Option<DeletionMarks>,
    /// Where the lines of a view were written, if that is asked for.
    pub second: Option<SecondAnswer>,
    /// The entries that were added to the file of ignored revisions, each with the number of the
    /// view that did it.
    pub(crate) saved_ignored: Vec<(u64, IgnoreEntry)>,
    /// The summaries of ignored commits whose views were dropped.
    pub(crate) ignored_summaries: BTreeMap<ObjectId, BString>,
    /// The bytes that views may have together.
    pub(crate) max_len: usize,
}

impl History {
    /// Without views. The first has these options; all of them together may have `max_len` bytes.
    pub(crate) fn new(options: Arc<ToggledOptions>, max_len: usize) -> Self {
        History {
            views: Vec::new(),
            current: 0,
            is_before_views: false,
            pending: None,
            options,
            marks: BTreeMap::new(),
            versions: None,
            deletions: None,
            second: None,
            saved_ignored: Vec::new(),
            ignored_summaries: BTreeMap::new(),
            max_len,
        }
    }

    /// The visible view; `None` until the first file is read.
    pub fn view(&self) -> Option<&View> {
        self.views.get(self.current)
    }

    pub(crate) fn view_mut(&mut self) -> Option<&mut View> {
        self.views.get_mut(self.current)
    }
}

/// A requested view that is not visible yet.
#[derive(Debug, Clone)]
pub struct PendingView {
    pub(crate) version: FileVersion,
    pub(crate) path: Arc<BString>,
    /// The name of the revision, for the header.
    pub revision: String,
    pub(crate) options: Arc<ToggledOptions>,
    pub(crate) line: Option<u32>,
    /// For a reload: the new stamp, and the position in the old view.
    pub(crate) reread: Option<(Stamp, Position)>,
    /// The line of another version that is mapped to it.
    pub(crate) from: Option<LineRef>,
    /// True if it is a place that was named, and not the version next to that of this line.
    pub(crate) is_named: bool,
    /// The same version with its complete blame, if the history has that.
    pub(crate) known: Option<Box<View>>,
    /// The step through the versions of the file that it is.
    pub(crate) step: Option<VersionStep>,
    /// It is before lines of a merge.
    pub(crate) merge_step: Option<MergeStep>,
    /// The message once it is visible. With a step, the words for the commit that changed the line.
    pub(crate) notice: Option<String>,
    /// True if the next match of the search is gone to.
    pub(crate) wants_match: bool,
    /// It is a view of the history whose contents were dropped.
    pub(crate) returning: Option<Returning>,
}

impl PendingView {
    /// A view that opens at its first line.
    pub(crate) fn new(
        version: FileVersion,
        path: Arc<BString>,
        revision: String,
        options: Arc<ToggledOptions>,
    ) -> Self {
        PendingView {
            version,
            path,
            revision,
            options,
            line: None,
            reread: None,
            from: None,
            is_named: false,
            known: None,
            step: None,
            merge_step: None,
            notice: None,
            wants_match: false,
            returning: None,
        }
    }
}

/// A return to a view of the history whose contents are read again.
#[derive(Debug, Clone)]
pub(crate) struct Returning {
    /// The view's number.
    pub(crate) view: u64,
    /// For a step back: the numbers of the views that it leads over.
    pub(crate) over: Option<Vec<u64>>,
    /// The line (0-based) to go to there.
    pub(crate) line: Option<u32>,
}

/// A position in a view.
#[derive(Debug, Clone)]
pub(crate) struct PositionMark {
    /// The view's number.
    pub(crate) view: u64,
    pub(crate) version: FileVersion,
    pub(crate) position: Position,
}

impl PositionMark {
    /// The current position in a view.
    pub(crate) fn of(view: &View) -> Self {
        PositionMark {
            view: view.id,
            version: view.version.clone(),
            position: view.pager.position,
        }
    }
}
