//! Options that look at a whole range before the blame: `--ancestry-path` leaves out what does not
//! lie between two ends, and `--simplify-by-decoration` gives commits the parents that they have
//! when only commits with references are left.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use crate::{
    error::Result,
    objects::{ObjectId, Reader},
    repository::{
        open::{discovery::Repository, grafts::Grafts},
        revisions::resolver::damaged,
    },
};

/// The commits that some lead to and others do not.
pub(crate) struct Range {
    parents: HashMap<ObjectId, Vec<ObjectId>>,
    /// Every commit stands behind its parents.
    oldest_first: Vec<ObjectId>,
    /// So many parents of each commit are followed.
    followed: usize,
}

impl Range {
    /// Read what `heads` lead to without what `excluded` lead to; `grafts` replace parents. With
    /// `first_parent`, only first parents lead there.
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
    ) -> Result<Range> {
        let mut reader = repository.reader();
        let mut left_out = HashSet::new();
        let mut todo = excluded.to_vec();
        while let Some(commit) = todo.pop() {
            if left_out.insert(commit) {
                todo.extend(parents(commit, grafts, &mut reader)?);
            }
        }
        let mut range = Range {
            parents: HashMap::new(),
            oldest_first: Vec::new(),
            followed: if first_parent { 1 } else { usize::MAX },
        };
        // A commit is met twice: before its parents, and after them.
        let mut todo: Vec<(ObjectId, bool)> = heads.iter().map(|head| (*head, false)).collect();
        while let Some((commit, done)) = todo.pop() {
            if done {
                range.oldest_first.push(commit);
                continue;
            }
            if left_out.contains(&commit) {
                continue;
            }
            if let Entry::Vacant(place) = range.parents.entry(commit) {
                let parents = place.insert(parents(commit, grafts, &mut reader)?);
                todo.push((commit, true));
                let followed = &parents[..parents.len().min(range.followed)];
                todo.extend(followed.iter().map(|parent| (*parent, false)));
            }
        }
        Ok(range)
    }

    /// Those that neither come from one of `bottoms` nor, if there are `middles`, lead to one of them
    /// or come from one.
    pub(crate) fn off_path(&self, bottoms: &[ObjectId], middles: &[ObjectId]) -> Vec<ObjectId> {
        let mut children: HashMap<ObjectId, Vec<ObjectId>> = HashMap::new();
        for (commit, parents) in &self.parents {
            for parent in parents {
                children.entry(*parent).or_default().push(*commit);
            }
        }
        let ends = [bottoms, middles].concat();
        let mut on_path = reached(&ends, &children);
        on_path.extend(reached(middles, &self.parents));
        let commits = self.oldest_first.iter();
        commits
            .filter(|commit| !on_path.contains(*commit))
            .copied()
            .collect()
    }

    /// The parents of each commit when those that are not `decorated` are passed over.
    pub(crate) fn by_decoration(&self, decorated: &HashSet<ObjectId>) -> Decoration {
        let mut simple = Decoration::default();
        for commit in &self.oldest_first {
            let parents = &self.parents[commit];
            let parents = simple.parents_of(&parents[..parents.len().min(self.followed)]);
            let parents = without_redundant(&parents, &simple.parents);
            // Of several, the only one within the range counts.
            let mut inside = parents.iter().filter(|id| self.parents.contains_key(*id));
            let only = match (&parents[..], inside.next(), inside.next()) {
                ([parent], ..) | (_, Some(parent), None) => Some(*parent),
                _ => None,
            };
            let stand_in = match only {
                Some(parent) if !decorated.contains(commit) => simple.stand_in(parent),
                _ => *commit,
            };
            simple.stands_in.insert(*commit, stand_in);
            simple.parents.insert(*commit, parents);
        }
        simple
    }
}

/// A history with references only.
#[derive(Debug, Default)]
pub(crate) struct Decoration {
    /// The new parents of each commit.
    pub(crate) parents: HashMap<ObjectId, Vec<ObjectId>>,
    /// What is left in place of each commit.
    stands_in: HashMap<ObjectId, ObjectId>,
}

impl Decoration {
    /// What is left of `parents`, each once.
    pub(crate) fn parents_of(&self, parents: &[ObjectId]) -> Vec<ObjectId> {
        let mut left = Vec::new();
        for parent in parents.iter().map(|parent| self.stand_in(*parent)) {
            if !left.contains(&parent) {
                left.push(parent);
            }
        }
        left
    }

    fn stand_in(&self, commit: ObjectId) -> ObjectId {
        self.stands_in.get(&commit).copied().unwrap_or(commit)
    }
}

/// The commits that references and HEAD lead to.
pub(crate) fn decorated(repository: &Repository) -> HashSet<ObjectId> {
    let gix = repository.local();
    let mut found = HashSet::new();
    if let Ok(platform) = gix.references()
        && let Ok(references) = platform.all()
    {
        for mut reference in references.flatten() {
            found.extend(reference.peel_to_id().ok().map(|id| id.detach()));
        }
    }
    found.extend(gix.head_id().ok().map(|id| id.detach()));
    found
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

/// Everything that `next` leads to from `ends`, themselves included.
fn reached(ends: &[ObjectId], next: &HashMap<ObjectId, Vec<ObjectId>>) -> HashSet<ObjectId> {
    let mut found = HashSet::new();
    let mut todo = ends.to_vec();
    while let Some(commit) = todo.pop() {
        if found.insert(commit) {
            todo.extend(next.get(&commit).into_iter().flatten());
        }
    }
    found
}

/// `parents` without those that others of them lead to.
fn without_redundant(
    parents: &[ObjectId],
    history: &HashMap<ObjectId, Vec<ObjectId>>,
) -> Vec<ObjectId> {
    if parents.len() < 2 {
        return parents.to_vec();
    }
    let redundant = |parent: &&ObjectId| {
        let others = parents.iter().filter(|other| other != parent);
        let others: Vec<ObjectId> = others.copied().collect();
        reached(&others, history).contains(*parent)
    };
    let left = parents.iter().filter(|parent| !redundant(parent));
    left.copied().collect()
}
