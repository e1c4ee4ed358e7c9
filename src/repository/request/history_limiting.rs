//! History limiting that needs the whole range before the blame: `--ancestry-path` and
//! `--simplify-by-decoration`.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use crate::{
    error::Result,
    objects::{ObjectId, Reader},
    repository::{
        open::{grafts::Grafts, repository::Repository},
        revisions::peel::{damaged, peel},
    },
};

/// A commit range: commits reachable from some commits and not from others.
pub(crate) struct CommitRange {
    parents: HashMap<ObjectId, Vec<ObjectId>>,
    /// The commits given as excluded.
    bottoms: Vec<ObjectId>,
    /// The parents of excluded commits.
    excluded: HashMap<ObjectId, Vec<ObjectId>>,
    /// Topological order: every commit after its parents.
    oldest_first: Vec<ObjectId>,
    /// The number of parents followed per commit.
    followed: usize,
}

impl CommitRange {
    /// Reads the commits reachable from `heads` and not from `excluded`; `grafts` override parents.
    /// With `first_parent`, `heads` reach commits by first parents only.
    ///
    /// # Errors
    ///
    /// If a commit cannot be read.
    pub(crate) fn read(
        repository: &Repository,
        heads: &[ObjectId],
        excluded: &[ObjectId],
        grafts: &Grafts,
        first_parent: bool,
    ) -> Result<CommitRange> {
        let mut reader = repository.reader();
        let mut excluded_history = HashMap::new();
        let mut todo = excluded.to_vec();
        while let Some(commit) = todo.pop() {
            if let Entry::Vacant(vacant) = excluded_history.entry(commit) {
                todo.extend(&*vacant.insert(parents(commit, grafts, &mut reader)?));
            }
        }
        let mut range = CommitRange {
            parents: HashMap::new(),
            bottoms: excluded.to_vec(),
            excluded: excluded_history,
            oldest_first: Vec::new(),
            followed: if first_parent { 1 } else { usize::MAX },
        };
        // Depth first; the flag marks commits whose parents have been visited.
        let mut todo: Vec<(ObjectId, bool)> = heads.iter().map(|head| (*head, false)).collect();
        while let Some((commit, done)) = todo.pop() {
            if done {
                range.oldest_first.push(commit);
                continue;
            }
            if range.excluded.contains_key(&commit) {
                continue;
            }
            if let Entry::Vacant(vacant) = range.parents.entry(commit) {
                let parents = vacant.insert(parents(commit, grafts, &mut reader)?);
                todo.push((commit, true));
                let followed = &parents[..parents.len().min(range.followed)];
                todo.extend(followed.iter().map(|parent| (*parent, false)));
            }
        }
        Ok(range)
    }

    /// The commits off the ancestry path: neither descendants of `bottoms` (negative revisions) or
    /// `middles` (values of `--ancestry-path`) nor ancestors of `middles`.
    pub(crate) fn off_path(&self, bottoms: &[ObjectId], middles: &[ObjectId]) -> Vec<ObjectId> {
        let mut children: HashMap<ObjectId, Vec<ObjectId>> = HashMap::new();
        for (commit, parents) in &self.parents {
            for parent in parents {
                children.entry(*parent).or_default().push(*commit);
            }
        }
        let ends = [bottoms, middles].concat();
        let mut on_path = reachable(&ends, |id| children.get(id));
        on_path.extend(reachable(middles, |id| self.parents.get(id)));
        let commits = self.oldest_first.iter();
        commits
            .filter(|commit| !on_path.contains(*commit))
            .copied()
            .collect()
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
            let replacement = match only {
                Some(parent) if !decorated.contains(commit) => simple.replacement(parent),
                _ => *commit,
            };
            simple.replacements.insert(*commit, replacement);
            simple.parents.insert(*commit, parents);
        }
        simple
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

fn parents(commit: ObjectId, grafts: &Grafts, reader: &mut Reader) -> Result<Vec<ObjectId>> {
    match grafts.get(&commit) {
        Some(parents) => Ok(parents.clone()),
        None => Ok(reader
            .commit_head(&commit)
            .map_err(damaged)?
            .parents
            .into_vec()),
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
