//! The lines of the files of a commit or of the work tree above it, and the sums of them for the
//! entries of a directory.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use bstr::{BStr, BString, ByteSlice};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    dates::moment::Moment,
    engine::{Error, PlannedBlame, PlannedFile, TreePlan, WorkTreeContents, WorkTreeFile},
    objects::ObjectId,
    output::commit_provider::{CommitProvider, ProviderError},
    repository::{
        agents::agent::Agent,
        commits::{
            line_counts::CommitAuthors,
            people::{self, Person},
        },
        tree::{
            node::{Node, NodeKind, agents_of},
            tree_nodes::uncommitted_names,
        },
    },
    viewer::model::{
        background::directory_lines::{AgeSpan, EntryLines, FileCount},
        file_version::summary,
        line_filter::LineFilter,
    },
};

/// The files that are planned, and what is counted of them, as the directories that are looked at next
/// have the same ones.
pub(super) struct CountedTree {
    commit: ObjectId,
    /// The number of the reading of the work tree whose files are in the place of the commit's.
    reading: Option<u64>,
    pub(super) plan: TreePlan,
    pub(super) counts: FileCounts,
}

/// What is counted of a file; `None` inside if it cannot be read.
type KnownLines = Option<Option<FileLines>>;

/// What is counted of the files of a plan so far.
pub(super) struct FileCounts {
    /// By number in the commit.
    committed: Vec<KnownLines>,
    /// By number in the plan: the files of the work tree that are not as in the commit.
    uncommitted: FxHashMap<usize, Option<FileLines>>,
    /// The commits of the lines, and their positions in this list.
    commits: Vec<(ObjectId, Arc<CommitAuthors>)>,
    positions: FxHashMap<ObjectId, u32>,
    /// The agents of the lines, and their positions by name.
    agents: Vec<Agent>,
    agent_positions: FxHashMap<String, u32>,
    /// The first and the last year with lines, at least about.
    years: Option<(i32, i32)>,
    /// The author date of the newest of the commits.
    newest: Option<i64>,
}

/// The lines of a file.
struct FileLines {
    /// Positions of commits, each with its number of lines.
    commits: Box<[(u32, u32)]>,
    /// Positions of commits and of agents, each with the number of lines that the agent wrote.
    agents: Box<[(u32, u32, u32)]>,
    is_generated: bool,
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
        let mut counts = FileCounts {
            committed: plan.committed().iter().map(|_| None).collect(),
            uncommitted: FxHashMap::default(),
            commits: Vec::new(),
            positions: FxHashMap::default(),
            agents: Vec::new(),
            agent_positions: FxHashMap::default(),
            years: oldest.and_then(year).map(|year| (year, year)),
            newest: None,
        };
        if let Some(CountedTree {
            plan: older_plan,
            counts: mut older,
            ..
        }) = older
        {
            let older_files = older_plan.committed().iter();
            for (file, lines) in older_files.zip(&mut older.committed) {
                let files = plan.committed();
                if let Ok(at) = files.binary_search_by(|it| it.path.cmp(&file.path)) {
                    counts.committed[at] = lines.take();
                }
            }
            counts.commits = older.commits;
            counts.positions = older.positions;
            counts.agents = older.agents;
            counts.agent_positions = older.agent_positions;
            counts.newest = older.newest;
            counts.widen(older.years);
        }
        CountedTree {
            commit,
            reading: None,
            plan,
            counts,
        }
    }

    pub(super) fn is_of(&self, commit: ObjectId) -> bool {
        self.commit == commit
    }

    /// True if its files are those of this reading of the work tree, or of the commit for `None`.
    pub(super) fn is_of_reading(&self, reading: Option<u64>) -> bool {
        self.reading == reading
    }

    /// Takes the files of a reading of the work tree, by path, or those of the commit.
    pub(super) fn set_files(
        &mut self,
        work_tree: Option<(u64, Vec<WorkTreeFile>, Arc<dyn WorkTreeContents>)>,
    ) {
        let reading = work_tree.as_ref().map(|(reading, ..)| *reading);
        // The blame of a file with a text conversion may differ though the file is the same.
        let differs = reading.is_some() != self.reading.is_some();
        if differs && self.plan.request().text_conversion.is_some() {
            self.counts.committed.fill_with(|| None);
        }
        self.counts.uncommitted.clear();
        match work_tree {
            Some((_, files, contents)) => self.plan.use_work_tree(files, contents),
            None => self.plan.leave_work_tree(),
        }
        self.reading = reading;
    }

    /// The commit whose files are counted; `None` if they are those of the work tree.
    pub(super) fn revision(&self) -> Option<ObjectId> {
        Some(self.commit).filter(|_| self.reading.is_none())
    }

    /// True if the lines of all files are counted, but for those that cannot be read.
    pub(super) fn is_complete(&self) -> bool {
        let mut files = self.plan.files().iter().enumerate();
        files.all(|(at, file)| file.is_submodule || self.counts.is_known(&self.plan, at))
    }

    /// True if the files of this directory of a commit are among these.
    pub(super) fn has(&self, commit: ObjectId, path: &BStr) -> bool {
        let top = &self.plan.request().path;
        let below = path.strip_prefix(top.as_slice());
        let is_below = |rest: &[u8]| top.is_empty() || rest.is_empty() || rest[0] == b'/';
        self.commit == commit && below.is_some_and(is_below)
    }
}

impl FileCounts {
    /// True if a file of the plan was counted, or cannot be read.
    fn is_known(&self, plan: &TreePlan, at: usize) -> bool {
        match plan.number_in_commit(at) {
            Some(number) => self.committed[number].is_some(),
            None => self.uncommitted.contains_key(&at),
        }
    }

    /// What is counted of a file of the plan.
    fn lines(&self, plan: &TreePlan, at: usize) -> Option<&FileLines> {
        let known = match plan.number_in_commit(at) {
            Some(number) => self.committed[number].as_ref(),
            None => self.uncommitted.get(&at),
        };
        known.and_then(Option::as_ref)
    }

    fn set(&mut self, plan: &TreePlan, at: usize, lines: Option<FileLines>) {
        match plan.number_in_commit(at) {
            Some(number) => self.committed[number] = Some(lines),
            None => {
                self.uncommitted.insert(at, lines);
            }
        }
    }

    fn widen(&mut self, years: Option<(i32, i32)>) {
        let known = self.years.or(years);
        let (first, last) = years.or(known).unwrap_or_default();
        self.years = known.map(|known| (known.0.min(first), known.1.max(last)));
    }

    /// The lines of a file.
    fn file_lines(
        &mut self,
        blame: &PlannedBlame,
        is_generated: bool,
        commits: &mut impl CommitProvider,
    ) -> Result<FileLines, ProviderError> {
        let mut node = Node::new(BString::default(), NodeKind::File, None);
        node.add(blame, |id| {
            let authors = commits.authors(id);
            authors.map(|authors| authors.on_screen(id))
        })?;
        let counted = node.counts.commits();
        let lines = counted.map(|(id, authors, lines)| {
            let position = *self.positions.entry(*id).or_insert_with(|| {
                self.newest = self.newest.max(Some(authors.people().date.time));
                self.commits.push((*id, Arc::clone(authors)));
                u32::try_from(self.commits.len() - 1).unwrap_or(u32::MAX)
            });
            (position, lines)
        });
        let lines = lines.collect();
        let mut agents: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for entry in &blame.entries {
            for found in agents_of(entry, &blame.origins, |id, path, lines| {
                commits.agents(id, path, lines)
            })? {
                let origin = blame.origins.get(entry.origin.0 as usize);
                let Some(commit) = origin.and_then(|it| self.positions.get(&it.commit)) else {
                    continue;
                };
                let name = found.agent.name().to_owned();
                let agent = *self.agent_positions.entry(name).or_insert_with(|| {
                    self.agents.push(found.agent);
                    u32::try_from(self.agents.len() - 1).unwrap_or(u32::MAX)
                });
                let count = u32::try_from(found.lines.len()).unwrap_or(u32::MAX);
                let lines = agents.entry((*commit, agent)).or_default();
                *lines = lines.saturating_add(count);
            }
        }
        let agents = agents.into_iter();
        Ok(FileLines {
            commits: lines,
            agents: agents
                .map(|((at, agent), lines)| (at, agent, lines))
                .collect(),
            is_generated,
        })
    }
}

/// Which lines count, and what that means for the commits of [`FileCounts`].
#[derive(Default)]
struct CommitFilter {
    filter: LineFilter,
    /// By position: whether the commit's lines count, as far as that was asked.
    admitted: Vec<Option<bool>>,
}

impl CommitFilter {
    /// True if the lines of a commit count, but for what depends on the agent.
    fn admits(
        &mut self,
        at: u32,
        (id, authors): &(ObjectId, Arc<CommitAuthors>),
        commits: &mut impl CommitProvider,
    ) -> Result<bool, ProviderError> {
        let at = at as usize;
        if let Some(Some(known)) = self.admitted.get(at) {
            return Ok(*known);
        }
        let filter = &self.filter;
        let admits = filter.admits(&authors.people())
            && (filter.summary.is_empty() || {
                let summary = summary(&commits.text(id)?.message);
                filter.admits_summary(summary.as_bstr())
            })
            && (filter.bringer.is_none() || filter.admits_arrival(&commits.arrival(id)?))
            && (filter.release.is_none() || {
                let release = commits.release(id)?;
                filter.admits_release(release.as_ref().map(|name| name.as_bstr()))
            });
        if at >= self.admitted.len() {
            self.admitted.resize(at + 1, None);
        }
        self.admitted[at] = Some(admits);
        Ok(admits)
    }

    /// The lines of a file that count: positions of commits with their numbers of lines, and how
    /// many of these an agent wrote.
    fn counted(
        &mut self,
        counts: &FileCounts,
        file: &FileLines,
        commits: &mut impl CommitProvider,
    ) -> Result<Vec<(u32, u32, u32)>, ProviderError> {
        let mut of_agents: FxHashMap<u32, u32> = FxHashMap::default();
        for (commit, agent, lines) in &file.agents {
            if self.filter.admits_agent(counts.agents.get(*agent as usize)) {
                let known = of_agents.entry(*commit).or_default();
                *known = known.saturating_add(*lines);
            }
        }
        let mut counted = Vec::with_capacity(file.commits.len());
        for &(at, lines) in &file.commits {
            let of_agents = of_agents.get(&at).copied().unwrap_or(0);
            let lines = match self.filter.agent {
                Some(_) => of_agents.min(lines),
                None => lines,
            };
            if lines > 0 && self.admits(at, &counts.commits[at as usize], commits)? {
                counted.push((at, lines, of_agents));
            }
        }
        Ok(counted)
    }
}

/// Which lines of a directory count.
pub(super) struct Counted<'a> {
    pub(super) filter: &'a LineFilter,
    /// Those of generated files count too.
    pub(super) with_generated: bool,
    /// Each file is an entry.
    pub(super) is_flat: bool,
}

/// The sums of the entries of a directory.
pub(super) struct DirectoryCount<'a> {
    plan: &'a TreePlan,
    counts: &'a mut FileCounts,
    /// The directory's files: numbers in the plan.
    range: Range<usize>,
    entries: Vec<CountedEntry>,
    /// By file of the range: its entry.
    entry_of: Vec<usize>,
    is_flat: bool,
    with_generated: bool,
    filter: CommitFilter,
    /// The date of the revision, in seconds since the epoch.
    pub(super) until: Option<i64>,
    pub(super) files: FileCount,
}

/// The files of a plan below a directory, by their numbers, and the length of its path with a slash.
pub(super) fn files_below(plan: &TreePlan, directory: &BStr) -> (Range<usize>, usize) {
    let mut above = directory.to_vec();
    if !above.is_empty() {
        above.push(b'/');
    }
    let files = plan.files();
    let begin = files.partition_point(|file| file.path.as_slice() < above.as_slice());
    let inside = files[begin..].iter();
    let len = inside
        .take_while(|file| file.path.starts_with(&above))
        .count();
    (begin..begin + len, above.len())
}

/// An entry of the directory.
struct CountedEntry {
    name: BString,
    /// The lines that count.
    node: Node,
    /// The number of all lines.
    all_lines: u64,
    /// The number of files that are still to be counted.
    left: usize,
    is_changed: bool,
}

impl CountedEntry {
    /// An entry without files.
    fn new(name: BString, path: BString, kind: NodeKind) -> CountedEntry {
        CountedEntry {
            name,
            node: Node::new(path, kind, None),
            all_lines: 0,
            left: 0,
            is_changed: false,
        }
    }
}

impl<'a> DirectoryCount<'a> {
    /// Sums up what is known of the files of a directory, and returns those that are to be counted,
    /// by their numbers in the plan: those of the entries with the names of `first` come first.
    pub(super) fn new(
        plan: &'a TreePlan,
        counts: &'a mut FileCounts,
        path: &BStr,
        first: &FxHashSet<&BStr>,
        counted: &Counted<'_>,
        commits: &mut impl CommitProvider,
    ) -> (DirectoryCount<'a>, Vec<usize>) {
        let files = plan.files();
        let (range, above) = files_below(plan, path);
        let mut count = DirectoryCount {
            plan,
            counts,
            entries: Vec::new(),
            entry_of: Vec::with_capacity(range.len()),
            range,
            is_flat: counted.is_flat,
            with_generated: counted.with_generated,
            filter: CommitFilter {
                filter: counted.filter.clone(),
                admitted: Vec::new(),
            },
            until: None,
            files: FileCount::default(),
        };
        let (mut order, mut later) = (Vec::new(), Vec::new());
        for at in count.range.clone() {
            let entry = count.push_file(&files[at], above);
            if files[at].is_submodule {
                continue;
            }
            count.files.all += 1;
            count.entries[entry].left += 1;
            if count.counts.is_known(plan, at) {
                count.sum_up(at, commits);
            } else if first.contains(count.entries[entry].name.as_bstr()) {
                order.push(at);
            } else {
                later.push(at);
            }
        }
        order.append(&mut later);
        count.mark_uncommitted(path, above);
        (count, order)
    }

    /// Adds a file to its entry, whose number is returned.
    fn push_file(&mut self, file: &PlannedFile, above: usize) -> usize {
        let below = &file.path[above..];
        let (name, kind) = match below.find_byte(b'/') {
            Some(end) if !self.is_flat => (&below[..end], NodeKind::Directory),
            _ => (below, NodeKind::of(file)),
        };
        if self.entries.last().is_none_or(|last| last.name != name) {
            let path = file.path[..above + name.len()].into();
            self.entries
                .push(CountedEntry::new(name.into(), path, kind));
        }
        let entry = self.entries.len() - 1;
        self.entry_of.push(entry);
        entry
    }

    /// Marks the entries of the work tree that differ from the commit's.
    fn mark_uncommitted(&mut self, directory: &BStr, above: usize) {
        let files = &self.plan.files()[self.range.clone()];
        let names: FxHashSet<BString> = if self.is_flat {
            let changed = files.iter().filter(|file| file.is_uncommitted());
            changed.map(|file| file.path[above..].into()).collect()
        } else {
            let slash: &[u8] = if directory.is_empty() { b"" } else { b"/" };
            uncommitted_names(self.plan, [directory, slash].concat().as_bstr())
        };
        for entry in &mut self.entries {
            let is_uncommitted = names.contains(&entry.name);
            entry.node.is_uncommitted = Some(is_uncommitted);
            entry.is_changed |= is_uncommitted;
        }
    }

    /// Takes the blame of a file.
    pub(super) fn add(
        &mut self,
        at: usize,
        blame: Result<PlannedBlame, Error>,
        is_generated: bool,
        commits: &mut impl CommitProvider,
    ) {
        let lines = blame.ok();
        let lines = lines.and_then(|it| self.counts.file_lines(&it, is_generated, commits).ok());
        self.counts.set(self.plan, at, lines);
        self.sum_up(at, commits);
    }

    /// Adds the lines of a file to those of its entry.
    fn sum_up(&mut self, at: usize, commits: &mut impl CommitProvider) {
        let entry = &mut self.entries[self.entry_of[at - self.range.start]];
        entry.left -= 1;
        entry.is_changed = true;
        let lines = self.counts.lines(self.plan, at);
        if let Some(file) = lines.filter(|file| file.is_generated && !self.with_generated) {
            let lines = file.commits.iter().map(|(_, lines)| u64::from(*lines));
            entry.node.generated_lines += lines.sum::<u64>();
            self.files.counted += 1;
            self.files.generated += 1;
            return;
        }
        let counted = lines.and_then(|file| {
            let counted = self.filter.counted(self.counts, file, commits);
            Some((file, counted.ok()?))
        });
        let Some((file, counted)) = counted else {
            entry.node.failed += 1;
            self.files.failed += 1;
            return;
        };
        entry.node.files += 1;
        self.files.counted += 1;
        let all_lines: u64 = file
            .commits
            .iter()
            .map(|(_, lines)| u64::from(*lines))
            .sum();
        entry.all_lines += all_lines;
        self.files.all_lines += all_lines;
        for (commit, lines, of_agents) in counted {
            let (id, authors) = &self.counts.commits[commit as usize];
            entry.node.counts.add_lines(id, authors, lines);
            *entry.node.agent_lines.get_or_insert(0) += u64::from(of_agents);
            self.files.lines += u64::from(lines);
        }
    }

    /// The people who wrote the lines that count, those with most lines first.
    pub(super) fn people(&self) -> Vec<Person> {
        let entries = self.entries.iter();
        let commits = entries.flat_map(|entry| entry.node.counts.commits());
        people::people(commits.map(|(_, authors, lines)| (authors.people(), lines)))
    }

    /// The numbers of lines that count, by year.
    pub(super) fn lines_by_year(&self) -> BTreeMap<i32, u32> {
        let mut all = BTreeMap::new();
        for (year, lines) in self.entries.iter().flat_map(|it| it.node.counts.years()) {
            let known: &mut u32 = all.entry(year).or_default();
            *known = known.saturating_add(lines);
        }
        all
    }

    /// The entries that changed since this was asked last, by their names.
    pub(super) fn take_changed(&mut self) -> Vec<(BString, EntryLines)> {
        let changed = self.entries.iter_mut().filter(|entry| entry.is_changed);
        let found: Vec<_> = changed
            .map(|entry| {
                entry.is_changed = false;
                let lines = EntryLines::new(&entry.node, entry.all_lines, entry.left == 0);
                (entry.name.clone(), lines)
            })
            .collect();
        for (_, lines) in &found {
            // 0 is no year.
            let mut years = lines.years.keys().copied().filter(|year| *year != 0);
            let first = years.next();
            self.counts
                .widen(first.map(|first| (first, years.next_back().unwrap_or(first))));
        }
        found
    }

    /// The first and the last year with lines, as far as that is known.
    pub(super) fn years(&self) -> Option<(i32, i32)> {
        self.counts.years
    }

    /// Up to when the ages are.
    pub(super) fn ages(&self) -> AgeSpan {
        AgeSpan {
            newest: self.counts.newest,
            until: self.until,
        }
    }
}
