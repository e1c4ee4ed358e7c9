//! Commit heads: from the commit-graph, or by inflating the start of a packed commit.

use gix_hash::{ObjectId, oid};

use crate::objects::{
    error::Error,
    file_checksum,
    formats::commit::{self, HeadParts},
    pack::{entry_reader::read_entry_start, pack_file::EntryType, pack_order::PackOrder},
    store::reader::{ObjectLocation, Reader},
    types::{CommitHead, GraphPosition, Object, ObjectKind, PackPosition},
};

/// Inflated bytes of a commit at first, and the increment while the head is incomplete.
const HEAD_LEN_GUESS: usize = 200;
const HEAD_LEN_STEP: usize = 40;
/// The same without a date: a tree, a parent and the start of the next line, and a further parent.
const PARENTS_LEN_GUESS: usize = 104;
const PARENTS_LEN_STEP: usize = 48;
/// Longer heads are read with the whole commit.
const MAX_HEAD_LEN: usize = 1024;

/// The lookups that will probably follow a commit's head.
#[derive(Clone, Copy)]
enum NextLookups {
    TreeAndParent,
    Parent,
    /// The same for callers to whom the commit's date does not matter: it may be 0.
    ParentWithoutDate,
}

impl Reader {
    /// Reads the head of the commit `id`, following replacements.
    ///
    /// # Errors
    ///
    /// The object is missing, not a commit, or has a malformed tree or parent line. An unparsable
    /// date reads as 0, as in git.
    pub fn commit_head(&mut self, id: &oid) -> Result<CommitHead, Error> {
        self.commit_head_and_prefetch(id, NextLookups::TreeAndParent)
    }

    /// [`Reader::commit_head`] for callers that will not read the commit's tree.
    ///
    /// # Errors
    ///
    /// As for [`Reader::commit_head`].
    pub(crate) fn commit_head_only(&mut self, id: &oid) -> Result<CommitHead, Error> {
        self.commit_head_and_prefetch(id, NextLookups::Parent)
    }

    /// [`Reader::commit_head_only`] for callers to whom the date does not matter. It may be 0.
    ///
    /// # Errors
    ///
    /// As for [`Reader::commit_head`].
    pub(crate) fn commit_parents(&mut self, id: &oid) -> Result<CommitHead, Error> {
        self.commit_head_and_prefetch(id, NextLookups::ParentWithoutDate)
    }

    fn commit_head_and_prefetch(
        &mut self,
        id: &oid,
        next: NextLookups,
    ) -> Result<CommitHead, Error> {
        if let Some(head) = self.graph_head(id) {
            self.heads_from_graph += 1;
            return Ok(head);
        }
        self.heads_inflated += 1;
        let replacement = self.replacement(id)?;
        let real = replacement.as_deref().unwrap_or(id);
        let parts = match next {
            NextLookups::ParentWithoutDate => HeadParts::TreeAndParents,
            _ => HeadParts::All,
        };
        if let ObjectLocation::Pack(at) = self.locate(real)?
            && let Some(head) = self.packed_head(at, parts)
        {
            self.prefetch_lookups(&head, next);
            return Ok(head);
        }
        let object = self.object_of_kind(id, ObjectKind::Commit)?;
        self.parsed_head(id, &object)
    }

    /// Reads the head of the commit `id` from its object, also if a commit-graph has it.
    ///
    /// # Errors
    ///
    /// As for [`Reader::commit_head`], and if the object does not have the hash that is its id.
    pub fn verified_commit_head(&mut self, id: &oid) -> Result<CommitHead, Error> {
        let object = self.object_of_kind(id, ObjectKind::Commit)?;
        if self.has_hash(id, &object) {
            self.parsed_head(id, &object)
        } else {
            Err(Error::object(id, "it has another hash"))
        }
    }

    /// True if these contents have the hash of the object `id`, or of the one that replaces it.
    pub(crate) fn has_hash(&mut self, id: &oid, object: &Object) -> bool {
        let replacement = self.replacement(id);
        let id = replacement
            .as_ref()
            .map_or(id, |it| it.as_deref().unwrap_or(id));
        file_checksum::is_object(id, object.kind, &object.data)
    }

    fn parsed_head(&mut self, id: &oid, object: &Object) -> Result<CommitHead, Error> {
        match commit::parse(&object.data, self.hash(), true) {
            Ok(commit::ParsedHead::Complete(head)) => Ok(head),
            _ if self.doubt(id, object) => {
                Err(Error::object(id, "its contents are not those of its id"))
            }
            Ok(commit::ParsedHead::Truncated) => Err(Error::object(id, "a commit is truncated")),
            Err(problem) => Err(Error::MalformedCommit {
                id: id.to_owned(),
                problem,
            }),
        }
    }

    /// Counts a head that was read through [`Store`](super::object_store::Store) directly.
    pub(crate) fn count_head_from_graph(&mut self) {
        self.heads_from_graph += 1;
    }

    /// The start of the entries of the pack with the most objects.
    pub(crate) fn largest_pack_start(&self) -> Option<PackPosition> {
        let pack = self.packs.largest()?;
        Some(PackPosition { pack, offset: 0 })
    }

    /// Moves `order` to the first entry at or after `at`. Returns false without an index.
    pub(crate) fn seek_pack_order(&self, order: &mut PackOrder, at: PackPosition) -> bool {
        if order.seek(at) {
            return true;
        }
        let pack = self.packs.all.get(at.pack as usize);
        let index = pack.and_then(|pack| pack.index());
        if let Some(index) = index {
            order.index_from(index, at);
        }
        index.is_some()
    }

    /// Reads the heads of the commits among the next `count` entries of a pack, except those that
    /// `is_known` is true for. Skips replaced commits and those that [`Reader::packed_head`] cannot
    /// read.
    pub(crate) fn read_heads_in_pack_order(
        &mut self,
        order: &mut PackOrder,
        count: usize,
        parts: HeadParts,
        mut is_known: impl FnMut(&oid) -> bool,
        heads: &mut Vec<(ObjectId, CommitHead)>,
    ) {
        let pack = order.position().map(|at| at.pack as usize);
        let pack = pack.and_then(|pack| self.packs.all.get(pack)).cloned();
        let Some(index) = pack.as_ref().and_then(|pack| pack.index()) else {
            return;
        };
        // The ids lie far from each other in the index. Read one after the other, they do not wait
        // for memory in turn.
        let next = std::iter::from_fn(|| order.next_entry(index));
        let entries: Vec<(ObjectId, PackPosition)> = next.take(count).collect();
        for (id, at) in entries {
            if !is_known(&id)
                && !self.store.is_careful()
                && !self.store.options.replacements.contains_key(&id)
                && let Some(head) = self.packed_head(at, parts)
            {
                self.heads_inflated += 1;
                heads.push((id, head));
            }
        }
    }

    /// The head of `id` from the commit-graph.
    fn graph_head(&mut self, id: &oid) -> Option<CommitHead> {
        let graph = self.store.graph()?;
        // Mostly the parent of the commit just read.
        let at = match self.parents.iter().find(|(parent, _)| *parent == id) {
            Some(&(_, at)) => at,
            None => graph.find(id)?,
        };
        let head = graph.head(at, &mut self.parent_positions)?;
        let positions = self.parent_positions.iter().copied().map(GraphPosition);
        self.parents.clear();
        self.parents
            .extend(head.parents.iter().copied().zip(positions).take(4));
        Some(head)
    }

    /// Date and parent positions of the commit at `at` in the commit-graph; `None` if its record
    /// cannot be read.
    ///
    /// # Errors
    ///
    /// As in git, a parent that the graph does not have: other records may be as wrong, and not
    /// show it.
    pub(crate) fn graph_edges(
        &mut self,
        at: GraphPosition,
    ) -> Result<Option<(i64, &[u32])>, Error> {
        let Some(graph) = self.store.graph() else {
            return Ok(None);
        };
        let time = graph.all_edges(at, &mut self.parent_positions);
        let time = time.map_err(|position| Error::InvalidParent { position })?;
        Ok(time.map(|time| (time, self.parent_positions.as_slice())))
    }

    /// Prefetches the index records of a commit's tree and first parent: a walk looks them up next,
    /// mostly in the same pack.
    fn prefetch_lookups(&self, head: &CommitHead, next: NextLookups) {
        let tree = matches!(next, NextLookups::TreeAndParent).then_some(&head.tree);
        let ids = tree.into_iter().chain(head.parents.first());
        if let Some(index) = self.packs.multi_indexes.first() {
            return ids.for_each(|id| index.prefetch(id));
        }
        let pack = self.packs.all.get(self.recent_pack as usize);
        if let Some(index) = pack.and_then(|pack| pack.index()) {
            ids.for_each(|id| index.prefetch(id));
        }
    }

    /// Inflates the head of the commit at `at`. `None` for deltas, very long heads and damaged
    /// entries, which need the whole object.
    fn packed_head(&mut self, at: PackPosition, parts: HeadParts) -> Option<CommitHead> {
        let hash = self.hash();
        let pack = self.packs.all.get(at.pack as usize)?;
        let (header, input) = read_entry_start(&mut self.pages, pack, at, MAX_HEAD_LEN).ok()?;
        if !matches!(header.entry_type, EntryType::Whole(ObjectKind::Commit)) {
            return None;
        }
        let (guess, step) = match parts {
            HeadParts::All => (HEAD_LEN_GUESS, HEAD_LEN_STEP),
            HeadParts::TreeAndParents => (PARENTS_LEN_GUESS, PARENTS_LEN_STEP),
        };
        let mut len = 0;
        let mut start = self
            .inflater
            .begin_prefix(input, guess.min(header.size))
            .ok()?;
        while start.len() > len {
            len = start.len();
            match commit::parse_parts(start, hash, len >= header.size, parts).ok()? {
                commit::ParsedHead::Complete(head) => return Some(head),
                commit::ParsedHead::Truncated => {
                    start = self
                        .inflater
                        .extend_prefix(input, (len + step).min(header.size))
                        .ok()?;
                }
            }
        }
        None
    }
}
