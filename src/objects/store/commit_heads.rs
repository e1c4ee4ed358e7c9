//! Commit heads: from the commit-graph, or by inflating the start of a packed commit.

use gix_hash::{ObjectId, oid};

use crate::objects::{
    error::Error,
    formats::commit,
    pack::{pack_file::EntryForm, pack_order::Along},
    store::reader::{Place, Reader, entry},
    types::{CommitHead, GraphPosition, ObjectKind, PackPosition},
};

/// Inflated bytes of a commit at first, and the increment while the head is incomplete.
const HEAD_LEN_GUESS: usize = 200;
const HEAD_LEN_STEP: usize = 40;
/// Longer heads are read with the whole commit.
const MAX_HEAD_LEN: usize = 1024;

/// The lookups that will probably follow a commit's head.
#[derive(Clone, Copy)]
enum NextLookups {
    TreeAndParent,
    Parent,
}

impl Reader {
    /// Reads the head of the commit `id`, following replacements.
    ///
    /// # Errors
    ///
    /// The object is missing, not a commit, or has a malformed tree or parent line. An unparsable
    /// date reads as 0, as in git.
    pub fn commit_head(&mut self, id: &oid) -> Result<CommitHead, Error> {
        self.commit_head_before(id, NextLookups::TreeAndParent)
    }

    /// [`Reader::commit_head`] for callers that will not read the commit's tree.
    ///
    /// # Errors
    ///
    /// As for [`Reader::commit_head`].
    pub(crate) fn lone_commit_head(&mut self, id: &oid) -> Result<CommitHead, Error> {
        self.commit_head_before(id, NextLookups::Parent)
    }

    fn commit_head_before(&mut self, id: &oid, next: NextLookups) -> Result<CommitHead, Error> {
        if let Some(head) = self.graph_head(id) {
            self.heads_from_graph += 1;
            return Ok(head);
        }
        self.heads_inflated += 1;
        let real = self.replaced(id)?;
        if let Place::Pack(at) = self.locate(&real)?
            && let Some(head) = self.packed_head(at)
        {
            self.prefetch_lookups(&head, next);
            return Ok(head);
        }
        let object = self.object_of_kind(id, ObjectKind::Commit)?;
        match commit::parse(&object.data, self.hash(), true) {
            Ok(commit::Head::Complete(head)) => Ok(head),
            Ok(commit::Head::CutOff) => Err(Error::object(id, "a commit is truncated")),
            Err(reason) => Err(Error::object(id, reason)),
        }
    }

    /// Counts a head that was read through [`Store`](super::store::Store) directly.
    pub(crate) fn count_graph_head(&mut self) {
        self.heads_from_graph += 1;
    }

    /// Moves `along` to the first entry at or after `at`. Returns false without an index.
    pub(crate) fn go_along(&self, along: &mut Along, at: PackPosition) -> bool {
        if along.seek(at) {
            return true;
        }
        let pack = self.packs.all.get(at.pack as usize);
        let index = pack.and_then(|pack| pack.index());
        if let Some(index) = index {
            along.look_through(index, at);
        }
        index.is_some()
    }

    /// Reads the heads of the commits among the next `count` entries of a pack. Skips replaced
    /// commits and those that [`Reader::packed_head`] cannot read.
    pub(crate) fn heads_along(
        &mut self,
        along: &mut Along,
        count: usize,
        heads: &mut Vec<(ObjectId, CommitHead)>,
    ) {
        for _ in 0..count {
            let pack = along.place().map(|at| at.pack as usize);
            let pack = pack.and_then(|pack| self.packs.all.get(pack)).cloned();
            let Some((id, at)) = pack.and_then(|pack| along.step(pack.index()?)) else {
                break;
            };
            if !self.store.options.replacements.contains_key(&id)
                && let Some(head) = self.packed_head(at)
            {
                self.heads_inflated += 1;
                heads.push((id, head));
            }
        }
    }

    /// The head of `id` from the commit-graph.
    fn graph_head(&mut self, id: &oid) -> Option<CommitHead> {
        let graph = self.store.graph.as_ref()?;
        // Mostly the parent of the commit just read.
        let at = match self.parents.iter().find(|(parent, _)| *parent == id) {
            Some(&(_, at)) => at,
            None => graph.find(id)?,
        };
        let head = graph.head(at, &mut self.parent_places)?;
        let places = self.parent_places.iter().copied().map(GraphPosition);
        self.parents.clear();
        self.parents
            .extend(head.parents.iter().copied().zip(places).take(4));
        Some(head)
    }

    /// Date and parent positions of the commit at `at` in the commit-graph; `None` for a damaged
    /// graph.
    pub(crate) fn graph_links(&mut self, at: GraphPosition) -> Option<(i64, &[u32])> {
        let graph = self.store.graph.as_ref()?;
        let time = graph.all_links(at, &mut self.parent_places)?;
        Some((time, &self.parent_places))
    }

    /// Prefetches the index records of a commit's tree and first parent: a walk looks them up next,
    /// mostly in the same pack.
    fn prefetch_lookups(&self, head: &CommitHead, next: NextLookups) {
        let tree = matches!(next, NextLookups::TreeAndParent).then_some(&head.tree);
        let ids = tree.into_iter().chain(head.parents.first());
        if let Some(multi) = self.packs.multi.first() {
            return ids.for_each(|id| multi.touch(id));
        }
        let pack = self.packs.all.get(self.recent as usize);
        if let Some(index) = pack.and_then(|pack| pack.opened_index()) {
            ids.for_each(|id| index.touch(id));
        }
    }

    /// Inflates the head of the commit at `at`. `None` for deltas, very long heads and damaged
    /// entries, which need the whole object.
    fn packed_head(&mut self, at: PackPosition) -> Option<CommitHead> {
        let hash = self.hash();
        let pack = self.packs.all.get(at.pack as usize)?;
        let (header, input) = entry(&mut self.windows, pack, at, MAX_HEAD_LEN).ok()?;
        if !matches!(header.form, EntryForm::Whole(ObjectKind::Commit)) {
            return None;
        }
        let mut len = 0;
        let mut start = self
            .inflater
            .prefix(input, HEAD_LEN_GUESS.min(header.size))
            .ok()?;
        while start.len() > len {
            len = start.len();
            match commit::parse(start, hash, len >= header.size).ok()? {
                commit::Head::Complete(head) => return Some(head),
                commit::Head::CutOff => {
                    start = self
                        .inflater
                        .more(input, (len + HEAD_LEN_STEP).min(header.size))
                        .ok()?;
                }
            }
        }
        None
    }
}
