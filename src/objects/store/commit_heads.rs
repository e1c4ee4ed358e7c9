//! Heads of commits: from the commit-graph, or from a pack without inflating the rest.

use gix_hash::{ObjectId, oid};

use crate::objects::{
    error::Error,
    formats::commit,
    pack::{pack_file::EntryForm, pack_order::Along},
    store::reader::{Place, Reader, entry},
    types::{CommitHead, GraphPosition, ObjectKind, PackPosition},
};

/// How much of a commit is inflated at first, and how much more each time that was too little.
const HEAD_GUESS: usize = 200;
const HEAD_STEP: usize = 40;
/// Longer heads are read with the whole commit.
const HEAD_MOST: usize = 1024;

/// What will probably be asked for after a commit's head.
#[derive(Clone, Copy)]
enum Next {
    TreeAndParent,
    Parent,
}

impl Reader {
    /// Read the head of the commit `id`, following replacements.
    ///
    /// # Errors
    ///
    /// When the object is missing, not a commit, or names no sound tree or parents. An unparsable
    /// date is none: it reads as 0, as in git.
    pub fn commit_head(&mut self, id: &oid) -> Result<CommitHead, Error> {
        self.head_and(id, Next::TreeAndParent)
    }

    /// [`Reader::commit_head`] for one who will not look into the commit's tree.
    ///
    /// # Errors
    ///
    /// As there.
    pub(crate) fn lone_commit_head(&mut self, id: &oid) -> Result<CommitHead, Error> {
        self.head_and(id, Next::Parent)
    }

    fn head_and(&mut self, id: &oid, next: Next) -> Result<CommitHead, Error> {
        if let Some(head) = self.graph_head(id) {
            self.heads_from_graph += 1;
            return Ok(head);
        }
        self.heads_inflated += 1;
        let real = self.replaced(id)?;
        if let Place::Pack(at) = self.locate(&real)?
            && let Some(head) = self.packed_head(at)
        {
            self.look_ahead(&head, next);
            return Ok(head);
        }
        let object = self.object_of_kind(id, ObjectKind::Commit)?;
        match commit::parse(&object.data, self.hash(), true) {
            Ok(commit::Head::Complete(head)) => Ok(head),
            Ok(commit::Head::CutOff) => Err(Error::object(id, "a commit is cut off")),
            Err(reason) => Err(Error::object(id, reason)),
        }
    }

    /// Count a head as read from the commit-graph by somebody who asked the store.
    pub(crate) fn count_graph_head(&mut self) {
        self.heads_from_graph += 1;
    }

    /// Let `along` go on behind `at`. Says whether that is possible.
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

    /// Read the heads of the commits among the next `count` entries of a pack. Whatever is
    /// unusual, or replaced by another object, is passed over.
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

    /// The head of `id` as the commit-graph has it.
    fn graph_head(&mut self, id: &oid) -> Option<CommitHead> {
        let graph = self.store.graph.as_ref()?;
        // Usually the parent of the commit just read is asked for.
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

    /// The date of the commit at `at` in the commit-graph, and the positions of its parents; `None`
    /// where the graph is damaged.
    pub(crate) fn graph_links(&mut self, at: GraphPosition) -> Option<(i64, &[u32])> {
        let graph = self.store.graph.as_ref()?;
        let time = graph.all_links(at, &mut self.parent_places)?;
        Some((time, &self.parent_places))
    }

    /// Begin to look the tree and the first parent of a commit up where it was itself: a walk asks for
    /// both next.
    fn look_ahead(&self, head: &CommitHead, next: Next) {
        let tree = matches!(next, Next::TreeAndParent).then_some(&head.tree);
        let ids = tree.into_iter().chain(head.parents.first());
        if let Some(multi) = self.packs.multi.first() {
            return ids.for_each(|id| multi.touch(id));
        }
        let pack = self.packs.all.get(self.recent as usize);
        if let Some(index) = pack.and_then(|pack| pack.opened_index()) {
            ids.for_each(|id| index.touch(id));
        }
    }

    /// The head of the commit at `at`, inflating no more than that. `None` for whatever is unusual:
    /// a delta, a very long head, damage.
    fn packed_head(&mut self, at: PackPosition) -> Option<CommitHead> {
        let hash = self.hash();
        let pack = self.packs.all.get(at.pack as usize)?;
        let (header, input) = entry(&mut self.windows, pack, at, HEAD_MOST).ok()?;
        if !matches!(header.form, EntryForm::Whole(ObjectKind::Commit)) {
            return None;
        }
        let mut len = 0;
        let mut start = self
            .inflater
            .prefix(input, HEAD_GUESS.min(header.size))
            .ok()?;
        while start.len() > len {
            len = start.len();
            match commit::parse(start, hash, len >= header.size).ok()? {
                commit::Head::Complete(head) => return Some(head),
                commit::Head::CutOff => {
                    start = self
                        .inflater
                        .more(input, (len + HEAD_STEP).min(header.size))
                        .ok()?;
                }
            }
        }
        None
    }
}
