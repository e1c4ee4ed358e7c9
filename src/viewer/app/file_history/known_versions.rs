//! The known versions of a file.

use std::sync::Arc;

use bstr::BString;

use crate::viewer::{
    app::blame::view::View,
    model::{
        background::{
            file_history::{FileHistoryQuery, RevisionList},
            line_history::HistoryProgress,
        },
        keys::bindings::Action,
        source::FileVersion,
    },
};

/// The versions of a file, as far as they were found.
#[derive(Debug)]
pub struct KnownVersions {
    /// The number of the query.
    pub(crate) id: u64,
    /// The query.
    pub query: FileHistoryQuery,
    /// The file's path.
    pub path: Arc<BString>,
    /// The versions.
    pub list: RevisionList,
    /// How far they are known.
    pub progress: HistoryProgress,
    /// What waits for versions that are still to be found.
    pub(crate) waiting: Option<AwaitedVersion>,
}

/// What waits for the versions of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AwaitedVersion {
    /// A step to one of them, and its count.
    Step(Action, u32),
    /// A name typed for one of them, once all are known.
    Place(String),
}

impl KnownVersions {
    pub(crate) fn new(id: u64, query: FileHistoryQuery, path: Arc<BString>) -> KnownVersions {
        KnownVersions {
            id,
            query,
            path,
            list: RevisionList::default(),
            progress: HistoryProgress::Running(None),
            waiting: None,
        }
    }

    /// True if there may be more versions.
    pub fn is_running(&self) -> bool {
        matches!(self.progress, HistoryProgress::Running(_))
    }

    /// The position of a version.
    pub(crate) fn position(&self, version: &FileVersion) -> Option<usize> {
        match version {
            _ if *version == self.query.version => Some(0),
            FileVersion::Commit { commit, path } => self.list.position(*commit, path),
            _ => None,
        }
    }

    /// The position of the version that a view shows.
    pub fn position_of_view(&self, view: &View) -> Option<usize> {
        self.position(&view.version)
    }

    /// The version at a position.
    pub(crate) fn version(&self, at: usize) -> Option<FileVersion> {
        let revision = self.list.get(at)?;
        Some(if revision.commit.is_null() {
            self.query.version.clone()
        } else {
            FileVersion::Commit {
                commit: revision.commit,
                path: Arc::clone(&revision.path),
            }
        })
    }
}
