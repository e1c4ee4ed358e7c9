//! Fetches from a promisor remote what the walk will need, for many commits at once.
//!
//! git fetches each missing object when it reads it: a request for each commit in a clone without
//! trees, and one for each version in a clone without blobs. Here the first object that is missing
//! is fetched together with what the next commits have at the path. Which commits the walk will
//! visit is not known before their trees are here, so their number is small at first and grows with
//! each fetch.

use bstr::BString;
use rustc_hash::FxHashSet;

use crate::{
    engine::{
        board::scoreboard::PathIndex,
        history::{
            commits::{CommitIndex, InternedHeader, ParentIndexes},
            queue::Queue,
        },
        walk::state::Walk,
    },
    objects::{FetchedTrees, ObjectId},
};

/// The number of commits of the first fetch.
const FIRST_COMMITS: usize = 128;
/// How many times as many each fetch is for than the one before.
const GROWTH: usize = 4;
/// The number of commits of a fetch at most.
const MAX_COMMITS: usize = 1 << 16;
/// A fetch looks at most at so many times as many commits: filters may tell that most of them leave
/// the file alone.
const COMMITS_LOOKED_AT: usize = 16;

impl Walk<'_> {
    /// Fetches what `commit` has at `path` if some of it is missing, and what the commits have that
    /// are probably visited next. An object that cannot be fetched is asked for again when it is
    /// read.
    pub(crate) fn fetch_ahead(&mut self, commit: CommitIndex, path: PathIndex) {
        if self.fetches_ahead.is_none() {
            return;
        }
        // A read error is reported when the commit is needed.
        let Ok(header) = self.caches.commits.header(commit, &mut self.caches.reader) else {
            return;
        };
        let root = self.caches.commits.tree(&header);
        let text = self.board.path(path).clone();
        if self.caches.reader.missing_on_path(root, &text).is_none() {
            return;
        }
        let Some(fetches) = self.fetches_ahead.take() else {
            return;
        };
        let commits = FIRST_COMMITS.saturating_mul(GROWTH.saturating_pow(fetches));
        let commits = commits.min(MAX_COMMITS);
        let mut roots = self.roots_ahead(path, commits);
        roots.insert(root);
        let is_fetched = self.fetch_paths(roots, &text);
        // One object that the remote does not have makes the whole fetch fail. Without it, the
        // others would have to be fetched one by one too.
        self.fetches_ahead = is_fetched.then_some(fetches + 1);
    }

    /// The root trees of the next commits in which the walk will probably look up `path`.
    fn roots_ahead(&mut self, path: PathIndex, commits: usize) -> FxHashSet<ObjectId> {
        let mut roots = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut queue = Queue::new(self.queue.direction());
        let first = self.visited.into_iter().chain(self.queue.commits());
        for commit in first.collect::<Vec<_>>() {
            self.add_ahead(commit, &mut seen, &mut queue);
        }
        for _ in 0..commits * COMMITS_LOOKED_AT {
            let Some(commit) = queue.pop().filter(|_| roots.len() < commits) else {
                break;
            };
            let Ok(header) = self.caches.commits.header(commit, &mut self.caches.reader) else {
                continue;
            };
            if self.children.is_none() && self.is_beyond_boundary(commit, &header) {
                continue;
            }
            for (nth, next) in self.next_commits(commit, &header).into_iter().enumerate() {
                let needed = nth > 0 || !self.is_known_unchanged(&header, path);
                let found = self.add_ahead(next, &mut seen, &mut queue);
                if let Some(next) = found.filter(|_| needed) {
                    roots.insert(self.caches.commits.tree(&next));
                }
            }
        }
        roots
    }

    /// Queues a commit that is not in `seen`, and returns its header if it can be read.
    fn add_ahead(
        &mut self,
        commit: CommitIndex,
        seen: &mut FxHashSet<CommitIndex>,
        queue: &mut Queue,
    ) -> Option<InternedHeader> {
        let caches = &mut *self.caches;
        let header = caches.commits.header(commit, &mut caches.reader).ok()?;
        if seen.insert(commit) {
            queue.push(commit, header.time);
        }
        Some(header)
    }

    /// The parents that the request follows; with `--reverse`, the children.
    fn next_commits(&self, commit: CommitIndex, header: &InternedHeader) -> ParentIndexes {
        match &self.children {
            Some(children) => ParentIndexes::from_slice(children.list(commit)),
            None => self.parents_of(header),
        }
    }

    /// Fetches what is missing of the trees and files at `path` in the trees `roots`; returns false
    /// if that fails.
    fn fetch_paths(&mut self, roots: FxHashSet<ObjectId>, path: &BString) -> bool {
        let trees = match self.request.movement.copy_level {
            0 => FetchedTrees::Alone,
            // Other files are searched too.
            _ => FetchedTrees::Whole,
        };
        let reader = &mut self.caches.reader;
        let mut incomplete = Vec::from_iter(roots);
        // Each fetch makes one more directory readable, and the last one the file.
        let mut fetches = path.split(|&byte| byte == b'/').count() + 1;
        let mut asked_for = trees;
        while fetches > 0 {
            let mut missing = FxHashSet::default();
            incomplete.retain(|root| {
                let first = reader.missing_on_path(*root, path);
                missing.extend(first);
                first.is_some()
            });
            if missing.is_empty() {
                return true;
            }
            if reader.fetch_all(&Vec::from_iter(missing), asked_for) {
                fetches -= 1;
                asked_for = trees;
            } else if asked_for == FetchedTrees::Alone {
                // git does not send a tree alone that is also below another one, such as the root
                // tree of a project that was merged into a directory. The others have arrived.
                asked_for = FetchedTrees::Whole;
            } else {
                return false;
            }
        }
        true
    }
}
