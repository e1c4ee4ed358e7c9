//! History limiting that needs the whole range before the blame: `--ancestry-path` and
//! `--simplify-by-decoration`.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, HashSet, hash_map::Entry},
};

use crate::{
    engine::CommitOrder,
    error::{Error, Result},
    objects::{ObjectId, Reader},
    repository::{
        open::{
            grafts::{Grafts, parents},
            repository::Repository,
        },
        request::options::BlameOptions,
        revisions::peel::{damaged, peel},
    },
};

/// Checks that options that limit the history go together. `has_negative` says that a revision is
/// negative.
///
/// # Errors
///
/// If git refuses them.
pub(crate) fn check_options(options: &BlameOptions, has_negative: bool) -> Result<()> {
    let limits = options.simplify_by_decoration
        || !options.ancestry_path.is_empty()
        || options.reverse
        || options.order != CommitOrder::Chronological
        || has_negative;
    if options.walk_reflogs && limits {
        let message = "cannot combine --walk-reflogs with history-limiting options";
        return Err(Error::fatal(message));
    }
    if options.simplify_by_decoration && options.reverse {
        let message = "options '--parents' and '--children' cannot be used together";
        return Err(Error::fatal(message));
    }
    Ok(())
}

/// The limits of a commit range besides the commits excluded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RangeLimits {
    /// Follow first parents only.
    pub(crate) first_parent: bool,
    /// Only the first parents of excluded commits are excluded too.
    pub(crate) exclude_first_parent_only: bool,
    /// Older commits are excluded.
    pub(crate) since: Option<i64>,
}

impl RangeLimits {
    /// The parents that are excluded with their child.
    fn excluded<'a>(&self, parents: &'a [ObjectId]) -> &'a [ObjectId] {
        &parents[..parents.len().min(if self.exclude_first_parent_only {
            1
        } else {
            usize::MAX
        })]
    }
}

/// A commit range: commits reachable from some commits and not from others.
pub(crate) struct CommitRange {
    parents: HashMap<ObjectId, Vec<ObjectId>>,
    /// The commits given as excluded.
    bottoms: Vec<ObjectId>,
    /// The parents of excluded commits.
    excluded: HashMap<ObjectId, Vec<ObjectId>>,
    /// The order in which git lists the commits of the range: the newest first of those reached.
    listed: Vec<ObjectId>,
    /// Topological order: every commit after its parents.
    oldest_first: Vec<ObjectId>,
    /// The number of parents followed per commit.
    followed: usize,
}

impl CommitRange {
    /// Reads the commits reachable from `heads` and not from `excluded`; `grafts` override parents.
    ///
    /// # Errors
    ///
    /// If a commit cannot be read.
    pub(crate) fn read(
        repository: &Repository,
        heads: &[ObjectId],
        excluded: &[ObjectId],
        grafts: &Grafts,
        limits: RangeLimits,
    ) -> Result<CommitRange> {
        let mut range = CommitRange {
            parents: HashMap::new(),
            bottoms: excluded.to_vec(),
            excluded: HashMap::new(),
            listed: Vec::new(),
            oldest_first: Vec::new(),
            followed: if limits.first_parent { 1 } else { usize::MAX },
        };
        let mut source = CommitSource {
            reader: repository.reader(),
            grafts,
        };
        range.exclude(excluded.to_vec(), limits, &mut source)?;
        range.list(heads, limits, &mut source)?;
        range.sort(heads);
        Ok(range)
    }

    /// Excludes commits and their ancestors.
    fn exclude(
        &mut self,
        commits: Vec<ObjectId>,
        limits: RangeLimits,
        source: &mut CommitSource<'_>,
    ) -> Result<()> {
        let mut todo = commits;
        while let Some(commit) = todo.pop() {
            if let Entry::Vacant(vacant) = self.excluded.entry(commit) {
                let (parents, _) = source.parents(commit)?;
                todo.extend(limits.excluded(vacant.insert(parents)));
            }
        }
        Ok(())
    }

    /// Lists the commits of the range.
    fn list(
        &mut self,
        heads: &[ObjectId],
        limits: RangeLimits,
        source: &mut CommitSource<'_>,
    ) -> Result<()> {
        let mut queue = BinaryHeap::new();
        let mut arrivals = 0_u64;
        let mut todo = heads.to_vec();
        loop {
            for commit in todo.drain(..) {
                if self.excluded.contains_key(&commit) {
                    continue;
                }
                if let Entry::Vacant(vacant) = self.parents.entry(commit) {
                    let (parents, time) = source.parents(commit)?;
                    vacant.insert(parents);
                    arrivals += 1;
                    queue.push((time, Reverse(arrivals), commit));
                }
            }
            let Some((time, _, commit)) = queue.pop() else {
                break;
            };
            if self.excluded.contains_key(&commit) {
                continue;
            }
            if limits.since.is_some_and(|since| time < since) {
                self.exclude(vec![commit], limits, source)?;
                continue;
            }
            self.listed.push(commit);
            let parents = &self.parents[&commit];
            todo.extend(&parents[..parents.len().min(self.followed)]);
        }
        let excluded = &self.excluded;
        self.parents
            .retain(|commit, _| !excluded.contains_key(commit));
        self.listed.retain(|commit| !excluded.contains_key(commit));
        Ok(())
    }

    /// Sorts the commits of the range topologically, depth first.
    fn sort(&mut self, heads: &[ObjectId]) {
        let mut seen = HashSet::new();
        // The flag marks commits whose parents have been visited.
        let mut todo: Vec<(ObjectId, bool)> = heads.iter().map(|head| (*head, false)).collect();
        while let Some((commit, done)) = todo.pop() {
            if done {
                self.oldest_first.push(commit);
                continue;
            }
            if let Some(parents) = self.parents.get(&commit)
                && seen.insert(commit)
            {
                todo.push((commit, true));
                let followed = &parents[..parents.len().min(self.followed)];
                todo.extend(followed.iter().map(|parent| (*parent, false)));
            }
        }
    }

    /// `ends` and their descendants in the range.
    pub(crate) fn descendants(&self, ends: &[ObjectId]) -> HashSet<ObjectId> {
        let mut children: HashMap<ObjectId, Vec<ObjectId>> = HashMap::new();
        for (commit, parents) in &self.parents {
            for parent in parents {
                children.entry(*parent).or_default().push(*commit);
            }
        }
        reachable(ends, |id| children.get(id))
    }

    /// The commits off the ancestry path: neither among `descendants` nor ancestors of `middles`
    /// (values of `--ancestry-path`).
    pub(crate) fn off_path(
        &self,
        descendants: &HashSet<ObjectId>,
        middles: &[ObjectId],
    ) -> Vec<ObjectId> {
        // Like git, looks at each listed commit once: where dates are skewed, it may be listed
        // before the commit that would have led to it.
        let mut leading: HashSet<ObjectId> = middles.iter().copied().collect();
        for commit in &self.listed {
            if leading.contains(commit) {
                leading.extend(&self.parents[commit]);
            }
        }
        let is_on_path =
            |commit: &ObjectId| descendants.contains(commit) || leading.contains(commit);
        let commits = self.oldest_first.iter().copied();
        commits.filter(|commit| !is_on_path(commit)).collect()
    }

    /// The same range with `commits` excluded, unlike their ancestors.
    pub(crate) fn without(mut self, commits: &[ObjectId]) -> CommitRange {
        for commit in commits {
            if let Some(parents) = self.parents.remove(commit) {
                self.excluded.insert(*commit, parents);
            }
        }
        let parents = &self.parents;
        self.oldest_first
            .retain(|commit| parents.contains_key(commit));
        self
    }

    /// Rewrites parents so that commits that are not `decorated` are skipped.
    pub(crate) fn by_decoration(&self, decorated: &HashSet<ObjectId>) -> SimplifiedHistory {
        let mut simple = SimplifiedHistory::default();
        for commit in &self.oldest_first {
            let parents = &self.parents[commit];
            let parents = simple.parents_of(&parents[..parents.len().min(self.followed)]);
            let parents = without_redundant(&parents, |id| {
                let outside = || self.excluded.get(id);
                simple.parents.get(id).or_else(outside)
            });
            // Of several parents, the only one within the range or at its end counts.
            let is_inside =
                |id: &&ObjectId| self.parents.contains_key(*id) || self.bottoms.contains(*id);
            let mut inside = parents.iter().filter(is_inside);
            let only = match (&parents[..], inside.next(), inside.next()) {
                ([parent], ..) | (_, Some(parent), None) => Some(*parent),
                _ => None,
            };
            let stays = decorated.contains(commit) && !self.differs_outside_alone(commit);
            let replacement = match only {
                Some(parent) if !stays => simple.replacement(parent),
                _ => *commit,
            };
            simple.replacements.insert(*commit, replacement);
            simple.parents.insert(*commit, parents);
        }
        simple
    }

    /// True if only the first parent of a merge is followed, which is excluded while others are
    /// not: the merge then counts as unchanged, whatever references it has.
    fn differs_outside_alone(&self, commit: &ObjectId) -> bool {
        let is_relevant =
            |id: &ObjectId| !self.excluded.contains_key(id) || self.bottoms.contains(id);
        match &self.parents[commit][..] {
            [first, others @ ..] if self.followed == 1 => {
                !is_relevant(first) && others.iter().any(is_relevant)
            }
            _ => false,
        }
    }
}

/// A history simplified to commits with references.
#[derive(Debug, Default)]
pub(crate) struct SimplifiedHistory {
    /// The rewritten parents of each commit.
    pub(crate) parents: HashMap<ObjectId, Vec<ObjectId>>,
    /// The nearest remaining ancestor of each commit, or the commit itself.
    replacements: HashMap<ObjectId, ObjectId>,
}

impl SimplifiedHistory {
    /// The remaining commits for `parents`, without duplicates.
    pub(crate) fn parents_of(&self, parents: &[ObjectId]) -> Vec<ObjectId> {
        let mut left = Vec::new();
        for parent in parents.iter().map(|parent| self.replacement(*parent)) {
            if !left.contains(&parent) {
                left.push(parent);
            }
        }
        left
    }

    fn replacement(&self, commit: ObjectId) -> ObjectId {
        self.replacements.get(&commit).copied().unwrap_or(commit)
    }
}

/// The commits that references and `HEAD` point at.
pub(crate) fn decorated(repository: &Repository) -> HashSet<ObjectId> {
    let mut references = repository.references();
    let mut reader = repository.reader();
    let tips = references.below("refs/".into());
    let head = references.object("HEAD".into());
    let ids = tips.into_iter().map(|(_, id)| id).chain(head);
    ids.filter_map(|id| peel(&mut reader, id).ok()).collect()
}

/// Where parents and dates are read.
struct CommitSource<'a> {
    reader: Reader,
    /// These override parents.
    grafts: &'a Grafts,
}

impl CommitSource<'_> {
    /// The parents of a commit, and its date.
    fn parents(&mut self, commit: ObjectId) -> Result<(Vec<ObjectId>, i64)> {
        let head = self.reader.commit_head(&commit).map_err(damaged)?;
        Ok((parents(self.grafts, &commit, &head), head.time))
    }
}

/// The commits reachable from `ends` by `next`, `ends` included.
fn reachable<'a>(
    ends: &[ObjectId],
    next: impl Fn(&ObjectId) -> Option<&'a Vec<ObjectId>>,
) -> HashSet<ObjectId> {
    let mut found = HashSet::new();
    let mut todo = ends.to_vec();
    while let Some(commit) = todo.pop() {
        if found.insert(commit) {
            todo.extend(next(&commit).into_iter().flatten());
        }
    }
    found
}

/// `parents` without those that are reachable from another one.
fn without_redundant<'a>(
    parents: &[ObjectId],
    history: impl Fn(&ObjectId) -> Option<&'a Vec<ObjectId>>,
) -> Vec<ObjectId> {
    if parents.len() < 2 {
        return parents.to_vec();
    }
    let redundant = |parent: &&ObjectId| {
        let others = parents.iter().filter(|other| other != parent);
        let others: Vec<ObjectId> = others.copied().collect();
        reachable(&others, &history).contains(*parent)
    };
    let left = parents.iter().filter(|parent| !redundant(parent));
    left.copied().collect()
}
