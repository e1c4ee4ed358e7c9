//! The versions of an earlier plan, by commit and path.

use crate::{
    engine::{
        board::scoreboard::PathIndex,
        history::commits::CommitIndex,
        tree::{kept_tree::KeptTree, live_files::LiveFile},
        walk::state::Walk,
    },
    objects::ObjectId,
};

/// What an earlier plan knows of its commits.
pub(super) struct KnownPlaces<'k> {
    pub(super) tree: &'k KeptTree,
    /// By number in the earlier plan.
    pub(super) commits: Vec<CommitIndex>,
    /// By number in the earlier plan.
    pub(super) paths: Vec<PathIndex>,
    /// By commit and path.
    places: Vec<KnownPlace>,
}

/// A file in a commit that the history of an earlier plan went through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KnownPlace {
    commit: CommitIndex,
    pub(super) path: PathIndex,
    last_change: LastChange,
    /// The record at which this version began; `None` for what has no lines.
    pub(super) record: Option<u32>,
}

/// What is known of the last commit that changed a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LastChange {
    /// As that of the file of this number.
    OfFile(u32),
    /// It is the commit itself.
    Here,
    Unknown,
}

impl<'k> KnownPlaces<'k> {
    pub(super) fn new(tree: &'k KeptTree, walk: &mut Walk<'_>) -> KnownPlaces<'k> {
        let versions = &tree.versions;
        let commits: Vec<CommitIndex> = versions
            .commits
            .iter()
            .map(|commit| walk.caches.commits.intern(commit.id))
            .collect();
        let paths = versions.paths.iter();
        let paths: Vec<PathIndex> = paths.map(|path| walk.board.path_index(path)).collect();
        let mut places = Vec::new();
        let start = walk.caches.commits.intern(tree.commit);
        for (at, file) in tree.files.iter().enumerate() {
            if file.last_commit.is_some() {
                places.push(KnownPlace {
                    commit: start,
                    path: walk.board.path_index(&file.path),
                    last_change: LastChange::OfFile(at as u32),
                    record: file.record,
                });
            }
        }
        places.reserve_exact(versions.records.len() + versions.origins.len());
        let mut add = |commit: u32, path: u32, last_change, record| {
            places.push(KnownPlace {
                commit: commits[commit as usize],
                path: paths[path as usize],
                last_change,
                record: Some(record),
            });
        };
        for (at, record) in versions.records.iter().enumerate() {
            add(record.commit, record.path, LastChange::Here, at as u32);
        }
        for origin in &versions.origins {
            let unknown = LastChange::Unknown;
            add(origin.commit, origin.path, unknown, origin.record);
        }
        places.sort_unstable();
        places.dedup_by_key(|place| (place.commit, place.path));
        KnownPlaces {
            tree,
            commits,
            paths,
            places,
        }
    }

    /// What is known of the files of a commit.
    pub(super) fn of_commit(&self, commit: CommitIndex) -> &[KnownPlace] {
        let from = self.places.partition_point(|place| place.commit < commit);
        let rest = &self.places[from..];
        &rest[..rest.partition_point(|place| place.commit == commit)]
    }

    /// True if all that is wanted of a live file is known: its last commit, and its lines if these
    /// are planned.
    pub(super) fn answers(&self, known: &KnownPlace, file: &LiveFile, plans_lines: bool) -> bool {
        let has_lines = plans_lines && (file.entry.is_regular() || file.entry.is_link());
        (known.record.is_some() || !has_lines)
            && (!file.is_unchanged || known.last_change != LastChange::Unknown)
    }

    /// The last commit that changed a file, the commit or an older one.
    pub(super) fn last_commit(&self, known: &KnownPlace, commit: ObjectId) -> Option<ObjectId> {
        match known.last_change {
            LastChange::OfFile(file) => self.tree.files[file as usize].last_commit,
            LastChange::Here => Some(commit),
            LastChange::Unknown => None,
        }
    }
}
