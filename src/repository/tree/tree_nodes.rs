//! The entries of a directory one after the other, while the lines of its files are counted.

use std::ops::ControlFlow;

use bstr::{BStr, BString, ByteSlice};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    engine::{Engine, Error, LastCommit, LastCommitSink, PlannedFile, Request, TreePlan},
    objects::ObjectId,
    repository::tree::node::{Node, NodeKind},
};

/// The last commits of the entries of a directory, by their names.
#[derive(Debug, Default)]
pub struct LastCommits(pub FxHashMap<BString, ObjectId>);

impl LastCommits {
    /// Finds those of the directory of a request, and says whether they are complete. Where a tree
    /// is missing, they are not; its files may tell more.
    ///
    /// # Errors
    ///
    /// A sign of damage.
    pub fn find(
        engine: &mut Engine,
        request: &Request,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(LastCommits, bool), Error> {
        let mut sink = LastCommitFinder {
            found: LastCommits::default(),
            is_cancelled,
        };
        match engine.last_commits(request, &mut sink) {
            Err(err) if err.is_sign_of_damage() => Err(err),
            walked => Ok((sink.found, walked.is_ok())),
        }
    }
}

struct LastCommitFinder<'a> {
    found: LastCommits,
    is_cancelled: &'a dyn Fn() -> bool,
}

impl LastCommitSink for LastCommitFinder<'_> {
    fn last_commit(&mut self, found: &LastCommit<'_>) -> ControlFlow<()> {
        if !found.is_boundary {
            let last_commits = &mut self.found.0;
            last_commits.insert(found.entry.name.clone(), found.commit);
        }
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _: i64) -> ControlFlow<()> {
        if (self.is_cancelled)() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// What nodes stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeScope {
    /// Each for an entry of the directory.
    Entry,
    /// Each for a file of the directory or below it.
    File,
    /// One for all files.
    Whole,
}

/// Names of entries in the work tree.
#[derive(Debug, Default)]
struct WorkTreeEntries {
    /// Those that differ from HEAD's.
    uncommitted: FxHashSet<BString>,
    /// Those that are directories in HEAD.
    directories: FxHashSet<BString>,
}

/// The entries that the files of a plan are, or are below, in the order of files.
#[derive(Debug)]
pub struct TreeNodes<'a> {
    plan: &'a TreePlan,
    scope: NodeScope,
    /// The directory's path with a slash at its end; empty for the root.
    above: BString,
    last_commits: &'a LastCommits,
    /// `None` in a commit.
    work_tree: Option<WorkTreeEntries>,
    /// The file after the last one that was turned to.
    next: usize,
    node: Option<Node>,
}

impl<'a> TreeNodes<'a> {
    /// The entries of a plan, which `is_of_work_tree` or of a commit.
    pub fn new(
        plan: &'a TreePlan,
        scope: NodeScope,
        last_commits: &'a LastCommits,
        is_of_work_tree: bool,
    ) -> TreeNodes<'a> {
        let mut above = plan.request().path.clone();
        if !above.is_empty() {
            above.push(b'/');
        }
        TreeNodes {
            plan,
            scope,
            last_commits,
            work_tree: is_of_work_tree.then(|| WorkTreeEntries::new(plan, above.as_bstr())),
            above,
            next: 0,
            node: None,
        }
    }

    /// The directory's path with a slash at its end; empty for the root.
    pub fn above(&self) -> &BStr {
        self.above.as_bstr()
    }

    /// Goes on to a file, by its number in the plan, and returns its entry. Those before it are
    /// complete, and go to `finish`.
    ///
    /// # Errors
    ///
    /// That of `finish`.
    pub fn turn_to<E>(
        &mut self,
        file: usize,
        mut finish: impl FnMut(Node) -> Result<(), E>,
    ) -> Result<&mut Node, E> {
        // What has no lines is an entry too.
        while self.next <= file {
            let mut node = self.node_of(&self.plan.files()[self.next]);
            let request = self.plan.request();
            node.is_boundary = node.last_commit.is_some_and(|it| request.is_cut_off(&it));
            self.next += 1;
            let is_same = self.node.as_ref().is_some_and(|it| it.path == node.path);
            if !is_same && let Some(complete) = self.node.replace(node) {
                finish(complete)?;
            }
        }
        Ok(self.node.get_or_insert_with(whole_directory))
    }

    /// Passes the entries that are left to `finish`.
    ///
    /// # Errors
    ///
    /// That of `finish`.
    pub fn end<E>(mut self, mut finish: impl FnMut(Node) -> Result<(), E>) -> Result<(), E> {
        if let Some(last) = self.plan.files().len().checked_sub(1) {
            self.turn_to(last, &mut finish)?;
        }
        let is_whole = self.scope == NodeScope::Whole;
        let last = self.node.or_else(|| is_whole.then(whole_directory));
        last.map_or(Ok(()), finish)
    }

    /// The entry that a file is, or is below, without lines.
    fn node_of(&self, file: &PlannedFile) -> Node {
        let (name, kind) = match self.scope {
            NodeScope::Whole => return whole_directory(),
            NodeScope::File => {
                let last_commit = file.last_commit;
                let mut node = Node::new(file.path.clone(), NodeKind::of(file), last_commit);
                let work_tree = self.work_tree.as_ref();
                node.is_uncommitted = work_tree.map(|_| file.is_uncommitted());
                return node;
            }
            NodeScope::Entry => match name_of(&file.path, self.above()) {
                (name, false) => (name, NodeKind::of(file)),
                (name, true) => (name, NodeKind::Directory),
            },
        };
        let last_commit = self.last_commits.0.get(name).copied();
        let path = [self.above.as_slice(), name].concat();
        let mut node = Node::new(path.into(), kind, last_commit);
        if let Some(work_tree) = &self.work_tree {
            node.is_uncommitted = Some(work_tree.uncommitted.contains(name));
            // What was a directory and is a file now is another entry.
            if work_tree.directories.contains(name) != (kind == NodeKind::Directory) {
                node.last_commit = None;
            }
        }
        node
    }
}

impl WorkTreeEntries {
    fn new(plan: &TreePlan, above: &BStr) -> WorkTreeEntries {
        let mut entries = WorkTreeEntries::default();
        for file in plan.committed() {
            if let (name, true) = name_of(&file.path, above) {
                entries.directories.insert(name.to_owned());
            }
        }
        entries.uncommitted = uncommitted_names(plan, above);
        entries
    }
}

/// The names of the entries of a directory of the work tree that differ from HEAD's: something in
/// them was changed, added or removed, or is executable or not. `above` is the directory's path with a
/// slash at its end; empty for the root.
pub(crate) fn uncommitted_names(plan: &TreePlan, above: &BStr) -> FxHashSet<BString> {
    let changed = plan.files().iter().filter(|it| it.is_uncommitted());
    let paths = changed.map(|it| &it.path).chain(plan.removed());
    let below = paths.filter(|path| path.starts_with(above));
    let names = below.map(|path| name_of(path, above).0.to_owned());
    names.collect()
}

/// The name of the entry of the directory `above` that has a path, and whether it is a directory.
fn name_of<'p>(path: &'p BString, above: &BStr) -> (&'p BStr, bool) {
    let below = path.strip_prefix(above.as_bytes()).unwrap_or(path);
    let end = below.find_byte(b'/');
    (below[..end.unwrap_or(below.len())].as_bstr(), end.is_some())
}

/// Stands for all files.
fn whole_directory() -> Node {
    Node::new(BString::default(), NodeKind::Directory, None)
}
