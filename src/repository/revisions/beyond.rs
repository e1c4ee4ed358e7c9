//! The commits that one commit has and another lacks.

use std::collections::{BinaryHeap, HashMap, HashSet, hash_map::Entry};

use crate::{
    error::Result,
    objects::ObjectId,
    repository::{open::repository::Repository, revisions::peel::damaged},
};

/// The ancestors of `head`, and itself, that are not `base` or its ancestors: `base..head`. As in
/// git, commits are visited by their dates, so that with wrong dates there may be others among them
/// that `base` has.
///
/// # Errors
///
/// If a commit cannot be read.
pub(crate) fn commits_beyond(
    repository: &Repository,
    head: ObjectId,
    base: ObjectId,
) -> Result<HashSet<ObjectId>> {
    let mut reader = repository.reader();
    let mut parents_of = |id: &ObjectId| -> Result<(i64, Vec<ObjectId>)> {
        let read = reader.commit_head(id).map_err(damaged)?;
        let grafted = repository.grafts().get(id);
        Ok((
            read.time,
            grafted.map_or_else(|| read.parents.to_vec(), Clone::clone),
        ))
    };
    // By commit: whether `base` has it.
    let mut known: HashMap<ObjectId, bool> = HashMap::new();
    let mut queue = BinaryHeap::new();
    // Those in the queue that `base` is not known to have.
    let mut waiting = HashSet::new();
    for (id, is_of_base) in [(base, true), (head, false)] {
        if let Entry::Vacant(vacant) = known.entry(id) {
            vacant.insert(is_of_base);
            queue.push((parents_of(&id)?.0, id));
            waiting.extend((!is_of_base).then_some(id));
        }
    }
    let mut oldest = i64::MAX;
    while let Some((time, id)) = queue.pop() {
        let is_of_base = known.get(&id).copied().unwrap_or(true);
        if !is_of_base {
            waiting.remove(&id);
            oldest = oldest.min(time);
        } else if time < oldest && waiting.is_empty() {
            break;
        }
        for parent in parents_of(&id)?.1 {
            let before = known.get(&parent).copied();
            if before.is_none() || (is_of_base && before == Some(false)) {
                known.insert(parent, is_of_base);
                queue.push((parents_of(&parent)?.0, parent));
                if is_of_base {
                    waiting.remove(&parent);
                } else {
                    waiting.insert(parent);
                }
            }
        }
    }
    let beyond = known.into_iter().filter(|(_, is_of_base)| !is_of_base);
    Ok(beyond.map(|(id, _)| id).collect())
}
