//! The blame algorithm: which commit each line of a file comes from.
//!
//! The engine works on object ids and bytes; it knows no repository, terminal or runtime. It pushes
//! each decided [`Entry`] into a [`Sink`], which can stop it between any two commits or diffs. An
//! [`Engine`] keeps its caches from one blame to the next, so blaming again from a parent is cheap.
//!
//! [`walk`] takes commits from the queue in [`history`], asks the scoreboard in [`board`] for their
//! suspects, finds the suspect's file in each parent (renames, moves and copies are in
//! [`similarity`]) and passes unchanged lines to the parents. The commit is guilty of what no
//! parent takes.

pub(crate) mod ancestry;
pub(crate) mod api;
pub(crate) mod board;
pub(crate) mod deletions;
pub(crate) mod directory_history;
pub mod driver;
pub(crate) mod file_history;
pub(crate) mod history;
pub(crate) mod last_commits;
pub(crate) mod line_history;
pub(crate) mod prefetch;
pub(crate) mod similarity;
pub(crate) mod tree;
pub(crate) mod versions;
pub(crate) mod walk;

pub use ancestry::first_containing::{Containing, FirstContaining};
pub use api::{
    blame::{
        Blame, CachedBlame, CommonLines, Discard, Entry, OlderVersion, Origin, OriginId, Sink,
        Stats,
    },
    blame_cache::{BlameCache, OpenBlameCache},
    deletions::{Deletion, DeletionSink},
    directory_history::{DirectoryChange, DirectoryHistorySink},
    error::{ConversionError, Error},
    file_history::{
        ChildRevision, FileHistorySink, FileRevision, PreviousRevision, RevisionChange,
        TextOccurrences,
    },
    last_commits::{DirectoryEntry, LastCommit, LastCommitSink},
    line_history::{
        HistoryEnd, LineChange, LineHistorySink, OwnChange, PreviousLines, VersionLines,
    },
    profile::{CpuClock, Phase, PhaseTimes, Profile, ThreadProfile},
    request::{
        CommitOrder, IndexPaths, MoveDetection, Request, RevListOptions, Start, TextAttributes,
        TextConversion, Uncommitted, WorkTreeContents,
    },
    tree::{DiscardProgress, PlanProgress, PlanSink},
};
pub use board::edited_entries::edited_entries;
pub use driver::Engine;
pub use file_history::parent_files::FileInParent;
pub(crate) use history::commits::hash_prefix;
pub use similarity::{
    bigrams::{Bigrams, MAX_COMPARED_LEN, MIN_SIMILARITY, proportional},
    chunks::Chunks,
};
pub use tree::{
    changes::PlanChanges,
    kept_tree::KeptTree,
    ordered_blames::blame_in_order,
    plan::{
        AskedAttribute, PlannedCommit, PlannedFile, PlannedVersions, RecordOrigin, TreePlan,
        Unplanned, VersionRecord, WorkTreeFile,
    },
    planned_blame::PlannedBlame,
};

/// The threads of a blame unless they are given: one for each processor.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
