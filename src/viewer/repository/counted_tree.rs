//! The lines of the files of a commit, and the sums of them for the entries of a directory.

use std::{ops::Range, sync::Arc};

use bstr::{BStr, BString, ByteSlice};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    dates::moment::Moment,
    engine::{Error, PlannedBlame, PlannedFile, TreePlan},
    objects::ObjectId,
    output::commit_provider::CommitProvider,
    repository::{
        commits::line_counts::{CommitAuthors, LineCounts},
        tree::node::{Node, NodeKind},
    },
    viewer::model::background::directory_lines::{EntryLines, FileCount},
};

/// The files of a commit that are counted so far, as the directories that are looked at next have
/// the same ones.
pub(super) struct CountedTree {
    commit: ObjectId,
    pub(super) plan: Arc<TreePlan>,
    /// By number in the plan: what is counted; `None` inside for a file that cannot be read.
    files: Vec<Option<Option<FileLines>>>,
    /// The commits of the lines, and their positions in this list.
    commits: Vec<(ObjectId, Arc<CommitAuthors>)>,
    positions: FxHashMap<ObjectId, u32>,
    /// The first and the last year with lines, at least about.
    years: Option<(i32, i32)>,
}

/// The lines of a file.
struct FileLines {
    /// Positions of commits, each with its number of lines.
    commits: Box<[(u32, u32)]>,
    agent_lines: u64,
}

impl CountedTree {
    /// A plan of which nothing is counted, but for the files that are known of an `older` one of
    /// the same commit. `oldest` is about when the history begins.
    pub(super) fn new(
        commit: ObjectId,
        plan: TreePlan,
        oldest: Option<i64>,
        older: Option<CountedTree>,
    ) -> CountedTree {
        let year = |time| Moment { time, offset: 0 }.year();
        let mut tree = CountedTree {
            commit,
            files: plan.files().iter().map(|_| None).collect(),
            plan: Arc::new(plan),
            commits: Vec::new(),
            positions: FxHashMap::default(),
            years: oldest.and_then(year).map(|year| (year, year)),
        };
        if let Some(mut older) = older {
            for (file, lines) in older.plan.files().iter().zip(&mut older.files) {
                let files = tree.plan.files();
                if let Ok(at) = files.binary_search_by(|it| it.path.cmp(&file.path)) {
                    tree.files[at] = lines.take();
                }
            }
            tree.commits = older.commits;
            tree.positions = older.positions;
            tree.widen(older.years);
        }
        tree
    }

    pub(super) fn is_of(&self, commit: ObjectId) -> bool {
        self.commit == commit
    }

    /// True if the lines of all files are counted.
    pub(super) fn is_complete(&self) -> bool {
        let mut files = self.plan.files().iter().zip(&self.files);
        files.all(|(file, lines)| file.is_submodule || matches!(lines, Some(Some(_))))
    }

    /// True if the files of this directory of a commit are among these.
    pub(super) fn has(&self, commit: ObjectId, path: &BStr) -> bool {
        let top = &self.plan.request().path;
        let below = path.strip_prefix(top.as_slice());
        let is_below = |rest: &[u8]| top.is_empty() || rest.is_empty() || rest[0] == b'/';
        self.commit == commit && below.is_some_and(is_below)
    }

    /// The lines of all counted files of a directory, by commit.
    pub(super) fn sum(&self, path: &BStr) -> LineCounts {
        let mut counts = LineCounts::default();
        for (file, lines) in self.plan.files().iter().zip(&self.files) {
            let below = file.path.strip_prefix(path.as_bytes());
            let is_below = |rest: &[u8]| path.is_empty() || rest.starts_with(b"/");
            let Some(Some(lines)) = lines.as_ref().filter(|_| below.is_some_and(is_below)) else {
                continue;
            };
            for (position, lines) in &lines.commits {
                if let Some((id, authors)) = self.commits.get(*position as usize) {
                    counts.add_lines(id, authors, *lines);
                }
            }
        }
        counts
    }

    fn widen(&mut self, years: Option<(i32, i32)>) {
        let known = self.years.or(years);
        let (first, last) = years.or(known).unwrap_or_default();
        self.years = known.map(|known| (known.0.min(first), known.1.max(last)));
    }

    /// The lines of a file whose lines are counted in `node`.
    fn file_lines(&mut self, node: &Node) -> FileLines {
        let counted = node.counts.commits();
        let commits = counted.map(|(id, authors, lines)| {
            let position = *self.positions.entry(*id).or_insert_with(|| {
                self.commits.push((*id, Arc::clone(authors)));
                u32::try_from(self.commits.len() - 1).unwrap_or(u32::MAX)
            });
            (position, lines)
        });
        FileLines {
            commits: commits.collect(),
            agent_lines: node.agent_lines.unwrap_or(0),
        }
    }
}

/// The sums of the entries of a directory.
pub(super) struct DirectoryCount<'a> {
    tree: &'a mut CountedTree,
    /// The directory's files: numbers in the plan.
    range: Range<usize>,
    entries: Vec<CountedEntry>,
    /// By file of the range: its entry.
    entry_of: Vec<usize>,
    pub(super) files: FileCount,
}

/// An entry of the directory.
struct CountedEntry {
    name: BString,
    node: Node,
    /// The number of files that are still to be counted.
    left: usize,
    is_changed: bool,
}

impl<'a> DirectoryCount<'a> {
    /// Sums up what is known of the files of a directory, and returns those that are to be counted,
    /// by their numbers in the plan: those of the entries with the names of `first` come first.
    pub(super) fn new(
        tree: &'a mut CountedTree,
        path: &BStr,
        first: &FxHashSet<&BStr>,
    ) -> (DirectoryCount<'a>, Vec<usize>) {
        let plan = Arc::clone(&tree.plan);
        let mut above = path.to_vec();
        if !above.is_empty() {
            above.push(b'/');
        }
        let files = plan.files();
        let begin = files.partition_point(|file| file.path.as_slice() < above.as_slice());
        let inside = files[begin..].iter();
        let len = inside
            .take_while(|file| file.path.starts_with(&above))
            .count();
        let mut count = DirectoryCount {
            tree,
            range: begin..begin + len,
            entries: Vec::new(),
            entry_of: Vec::with_capacity(len),
            files: FileCount::default(),
        };
        let (mut order, mut later) = (Vec::new(), Vec::new());
        for at in count.range.clone() {
            let entry = count.push_file(&files[at], above.len());
            if files[at].is_submodule {
                continue;
            }
            count.files.all += 1;
            count.entries[entry].left += 1;
            if count.tree.files[at].is_some() {
                count.sum_up(at);
            } else if first.contains(count.entries[entry].name.as_bstr()) {
                order.push(at);
            } else {
                later.push(at);
            }
        }
        order.append(&mut later);
        (count, order)
    }

    /// Adds a file to its entry, whose number is returned.
    fn push_file(&mut self, file: &PlannedFile, above: usize) -> usize {
        let below = &file.path[above..];
        let (name, kind) = match below.find_byte(b'/') {
            None => (below, NodeKind::of(file)),
            Some(end) => (&below[..end], NodeKind::Directory),
        };
        if self.entries.last().is_none_or(|last| last.name != name) {
            self.entries.push(CountedEntry {
                name: name.into(),
                node: Node::new(file.path[..above + name.len()].into(), kind, None),
                left: 0,
                is_changed: false,
            });
        }
        let entry = self.entries.len() - 1;
        self.entry_of.push(entry);
        entry
    }

    /// Takes the blame of a file.
    pub(super) fn add(
        &mut self,
        at: usize,
        blame: Result<PlannedBlame, Error>,
        commits: &mut impl CommitProvider,
    ) {
        let mut node = Node::new(BString::default(), NodeKind::File, None);
        let is_counted = blame.is_ok_and(|blame| {
            let counted = node.add(&blame, |id| commits.authors(id));
            let agents = |id: &_, path: &_, lines| commits.agents(id, path, lines);
            counted
                .and_then(|()| node.add_agents(&blame, agents))
                .is_ok()
        });
        let lines = is_counted.then(|| self.tree.file_lines(&node));
        self.tree.files[at] = Some(lines);
        self.sum_up(at);
    }

    /// Adds the lines of a file to those of its entry.
    fn sum_up(&mut self, at: usize) {
        let entry = &mut self.entries[self.entry_of[at - self.range.start]];
        entry.left -= 1;
        entry.is_changed = true;
        let Some(Some(lines)) = &self.tree.files[at] else {
            entry.node.failed += 1;
            self.files.failed += 1;
            return;
        };
        entry.node.files += 1;
        self.files.counted += 1;
        for &(commit, count) in &lines.commits {
            let (id, authors) = &self.tree.commits[commit as usize];
            entry.node.counts.add_lines(id, authors, count);
        }
        *entry.node.agent_lines.get_or_insert(0) += lines.agent_lines;
    }

    /// The entries that changed since this was asked last, by their names.
    pub(super) fn take_changed(&mut self) -> Vec<(BString, EntryLines)> {
        let changed = self.entries.iter_mut().filter(|entry| entry.is_changed);
        let found: Vec<_> = changed
            .map(|entry| {
                entry.is_changed = false;
                let lines = EntryLines::new(&entry.node, entry.left == 0);
                (entry.name.clone(), lines)
            })
            .collect();
        for (_, lines) in &found {
            // 0 is no year.
            let mut years = lines.years.keys().copied().filter(|year| *year != 0);
            let first = years.next();
            self.tree
                .widen(first.map(|first| (first, years.next_back().unwrap_or(first))));
        }
        found
    }

    /// The first and the last year with lines, as far as that is known.
    pub(super) fn years(&self) -> Option<(i32, i32)> {
        self.tree.years
    }
}
