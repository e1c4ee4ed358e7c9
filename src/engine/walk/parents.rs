//! Passes a suspect's lines to the parents, in git's order: the identical file, a renamed file,
//! unchanged lines, lines of an ignored commit, moved and copied lines.

use std::sync::Arc;

use bstr::{BStr, ByteSlice};
use smallvec::SmallVec;

use crate::{
    engine::{
        api::{error::Error, profile::Phase},
        board::{
            scoreboard::{PathIndex, SuspectId},
            split::{self, PendingEntry},
        },
        history::commits::{CommitIndex, InternedHeader, ParentIndexes},
        prefetch::prefetched::PathLookup,
        similarity::{
            candidates::{self, CommitTree},
            renames::{self, RenameSources},
        },
        walk::{
            retained::ParentVersion,
            state::{Interrupt, ParentOrigins, Walk},
        },
    },
    objects::{self, GraphPosition, PathChain, PathHistory, Store, TreeEntry},
};

impl Walk<'_> {
    /// Passes the pending lines of `suspect` to its parents.
    pub(crate) fn pass_blame(
        &mut self,
        suspect: SuspectId,
        header: &InternedHeader,
    ) -> Result<PassOutcome, Interrupt> {
        let parents = self.parents(suspect, header);
        let mut retained: ParentOrigins = parents.iter().map(|_| None).collect();
        let mut low_scoring = Vec::new();
        match self.pass_identical(suspect, header, &parents, &mut retained)? {
            IdenticalFile::Reused => return Ok(PassOutcome::Reused(parents[0])),
            IdenticalFile::Taken => {}
            IdenticalFile::Kept if parents.is_empty() => self.note_change(suspect),
            IdenticalFile::Kept => {
                self.stats.commits += 1;
                self.note_change(suspect);
                self.pass_lines(suspect, &retained)?;
                if self.has_pending(suspect) {
                    low_scoring = self.pass_optional(suspect, header, &parents, &retained)?;
                }
            }
        }
        self.mark_freed(suspect, &retained);
        Ok(PassOutcome::Lines(low_scoring))
    }

    /// The parents to pass to; with `--reverse`, the children.
    fn parents(&self, suspect: SuspectId, header: &InternedHeader) -> ParentIndexes {
        if let Some(children) = &self.children {
            return ParentIndexes::from_slice(children.list(self.board.get(suspect).commit));
        }
        self.parents_of(header)
    }

    /// The parents that the request follows.
    pub(crate) fn parents_of(&self, header: &InternedHeader) -> ParentIndexes {
        let commits = &self.caches.commits;
        commits.followed_parents(header, self.request.first_parent)
    }

    /// The optional passes: ignored commits, `-M` and `-C`.
    fn pass_optional(
        &mut self,
        suspect: SuspectId,
        header: &InternedHeader,
        parents: &[CommitIndex],
        retained: &ParentOrigins,
    ) -> Result<Vec<PendingEntry>, Interrupt> {
        let commit = self.board.get(suspect).commit;
        let ignored = &self.request.ignored;
        if !ignored.is_empty() && ignored.contains(&self.caches.commits.id(commit)) {
            self.pass_ignored(suspect, retained)?;
        }
        match self.image.clone() {
            Some(image) if self.has_pending(suspect) => {
                self.pass_moved_and_copied(&image, suspect, header, parents, retained)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Finds the file in all parents. A parent with the identical blob takes all lines; otherwise
    /// `retained` lists the origins to compare with.
    fn pass_identical(
        &mut self,
        suspect: SuspectId,
        header: &InternedHeader,
        parents: &[CommitIndex],
        retained: &mut ParentOrigins,
    ) -> Result<IdenticalFile, Interrupt> {
        let mut absent: SmallVec<[usize; 2]> = SmallVec::new();
        for (at, &parent) in parents.iter().enumerate() {
            let Some(parent_header) = self.parent_header(parent)? else {
                // git tries again to read it when it looks for renames.
                absent.push(at);
                continue;
            };
            match self.find_same_path(suspect, header, parent, &parent_header, at)? {
                ParentFile::At(found) => {
                    if self.retain(suspect, found, at, retained)? {
                        return Ok(IdenticalFile::Taken);
                    }
                }
                ParentFile::Reused => return Ok(IdenticalFile::Reused),
                ParentFile::OtherType => {}
                ParentFile::Absent => absent.push(at),
            }
        }
        if !self.request.follow {
            return Ok(IdenticalFile::Kept);
        }
        for at in absent {
            if let Some(found) = self.find_renamed(suspect, header, parents[at])?
                && self.retain(suspect, found, at, retained)?
            {
                return Ok(IdenticalFile::Taken);
            }
        }
        Ok(IdenticalFile::Kept)
    }

    /// Keeps a parent's origin to compare with, unless an earlier parent has the same blob. If it
    /// is the suspect's own blob, passes all lines to it and returns true.
    fn retain(
        &mut self,
        suspect: SuspectId,
        found: SuspectId,
        at: usize,
        retained: &mut ParentOrigins,
    ) -> Result<bool, Interrupt> {
        let blob = |suspect: SuspectId| self.board.get(suspect).entry.id;
        let earlier = || retained[..at].iter().flatten().copied();
        match ParentVersion::of(&blob(suspect), &blob(found), earlier().map(blob)) {
            ParentVersion::Identical => {
                self.pass_all(suspect, found)?;
                for other in retained.iter().flatten() {
                    self.board.release(*other);
                }
                return Ok(true);
            }
            ParentVersion::Different => retained[at] = Some(found),
            // A commit may name the same parent twice.
            ParentVersion::Repeated(of) if earlier().nth(of) == Some(found) => {}
            ParentVersion::Repeated(_) => self.board.release(found),
        }
        Ok(false)
    }

    fn pass_all(&mut self, suspect: SuspectId, to: SuspectId) -> Result<(), Interrupt> {
        if self.board.get(suspect).loaded && !self.board.get(to).loaded {
            let passed = self.board.get(suspect);
            let (holds_image, path) = (passed.holds_image, passed.text_path.unwrap_or(passed.path));
            let parent = self.board.get_mut(to);
            (parent.loaded, parent.holds_image) = (true, holds_image);
            parent.text_path = (path != parent.path).then_some(path);
            self.board.get_mut(suspect).free();
        }
        let mut pending = std::mem::take(&mut self.board.get_mut(suspect).pending);
        self.queue_entries(to, &mut pending)?;
        self.board.release(to);
        Ok(())
    }

    pub(crate) fn find_same_path(
        &mut self,
        suspect: SuspectId,
        header: &InternedHeader,
        parent: CommitIndex,
        parent_header: &InternedHeader,
        at: usize,
    ) -> Result<ParentFile, Interrupt> {
        let suspected = self.board.get(suspect);
        let path = suspected.path;
        if let Some(existing) = self.board.find(parent, path) {
            return Ok(ParentFile::At(existing));
        }
        let (entry, chain) = (suspected.entry, suspected.chain.clone());
        let lookup = if at == 0 && self.is_known_unchanged(header, path) {
            self.work.filtered += 1;
            PathLookup::At(entry, chain)
        } else {
            let replaced = match at {
                0 => self.known_replaced(header, path, entry),
                _ => None,
            };
            self.look_up_path(parent, parent_header, path, chain, replaced)?
        };
        if entry.is_tree() {
            // The suspect has text in spite of its mode. git reads it as a tree unless the parent
            // has the same entry.
            match &lookup {
                PathLookup::At(found, _) if found.is_tree() && found.id == entry.id => {}
                PathLookup::At(found, _) if found.is_tree() => {
                    return Err(Error::Tree { id: found.id }.into());
                }
                _ => return Err(Error::Tree { id: entry.id }.into()),
            }
        }
        let PathLookup::At(found, chain) = lookup else {
            if self.is_absent_too(suspect, header)? {
                return Ok(ParentFile::At(self.board.make(parent, path, entry, None)));
            }
            return Ok(ParentFile::Absent);
        };
        if found.file_type() != entry.file_type() {
            return Ok(if found.is_tree() {
                ParentFile::Absent
            } else {
                ParentFile::OtherType
            });
        }
        if at == 0
            && found == entry
            && self.can_reuse(parent_header)
            && self
                .board
                .reuse_for_parent(suspect, parent, found, chain.as_ref())
        {
            return Ok(ParentFile::Reused);
        }
        Ok(ParentFile::At(self.board.make(parent, path, found, chain)))
    }

    /// True if the suspect's own commit does not have its file: a wrong filter of the repository's
    /// commit-graph has ruled out that a commit changed it. git compares the trees of a commit and
    /// its parent, finds no difference, and passes all lines on.
    fn is_absent_too(
        &mut self,
        suspect: SuspectId,
        header: &InternedHeader,
    ) -> Result<bool, Interrupt> {
        let path = self.board.get(suspect).path;
        if header.graph_position().is_none()
            || self.children.is_some()
            || !self
                .path_history(path)
                .is_some_and(|(history, _)| history.is_filter())
        {
            return Ok(false);
        }
        Ok(self.find_in_tree(header, path, None)?.is_none())
    }

    /// Looks a path up in a commit's tree; `known` is the chain of a neighbouring commit.
    fn find_in_tree(
        &mut self,
        header: &InternedHeader,
        path: PathIndex,
        known: Option<&PathChain>,
    ) -> Result<Option<PathChain>, Error> {
        let before = self.timer.enter(Phase::Trees);
        let tree = self.caches.commits.tree(header);
        let text = self.board.path(path);
        let found = self.caches.reader.find_path(tree, text, known);
        self.timer.enter(before);
        found.map_err(Error::in_trees)
    }

    /// The file of another type that a parent has at the suspect's path, if it has contents.
    pub(crate) fn find_other_type(
        &mut self,
        suspect: SuspectId,
        parent: CommitIndex,
        parent_header: &InternedHeader,
    ) -> Result<ParentFile, Interrupt> {
        let suspected = self.board.get(suspect);
        let (path, chain) = (suspected.path, suspected.chain.clone());
        Ok(
            match self.look_up_path(parent, parent_header, path, chain, None)? {
                PathLookup::At(found, chain) if found.is_regular() || found.is_link() => {
                    ParentFile::At(self.board.make(parent, path, found, chain))
                }
                _ => ParentFile::Absent,
            },
        )
    }

    /// True if the parent would be visited next if it took all lines of `suspect`. Then neither the
    /// queue nor a new origin is needed; most commits leave a file alone.
    fn can_reuse(&self, parent: &InternedHeader) -> bool {
        self.children.is_none() && self.queue.would_be_next(parent.time)
    }

    /// Looks a path up in a commit's tree, unless an earlier walk or the prefetch thread has done
    /// so, or its entry is `known`. `chain` is that of a neighbouring commit.
    fn look_up_path(
        &mut self,
        commit: CommitIndex,
        header: &InternedHeader,
        path: PathIndex,
        chain: Option<Arc<PathChain>>,
        known: Option<Option<TreeEntry>>,
    ) -> Result<PathLookup, Interrupt> {
        if let Some(shared) = &self.caches.shared {
            if let Some(entry) = shared.entry(self.board.path(path), commit) {
                return Ok(entry.map_or(PathLookup::Absent, |entry| PathLookup::At(entry, chain)));
            }
            self.prefetch_after_shared(commit, path);
        }
        let found = self.look_up_unshared(commit, header, path, chain, known)?;
        if let Some(shared) = &mut self.caches.shared {
            let entry = match &found {
                PathLookup::At(entry, _) => Some(*entry),
                PathLookup::Absent | PathLookup::Unknown => None,
            };
            shared.keep_entry(self.board.path(path), commit, entry);
        }
        Ok(found)
    }

    /// [`Walk::look_up_path`] without what other walks have found.
    fn look_up_unshared(
        &mut self,
        commit: CommitIndex,
        header: &InternedHeader,
        path: PathIndex,
        chain: Option<Arc<PathChain>>,
        known: Option<Option<TreeEntry>>,
    ) -> Result<PathLookup, Interrupt> {
        let text = self.board.path(path);
        // Asked first even so: the prefetch thread learns from it how far the walk is.
        if let Some(prefetch) = &mut self.prefetch {
            match prefetch.lookup(self.caches.commits.key(commit), text) {
                PathLookup::Unknown => {}
                // The neighbour's chain still speeds up the next lookup.
                PathLookup::At(entry, own) => return Ok(PathLookup::At(entry, own.or(chain))),
                PathLookup::Absent => return Ok(PathLookup::Absent),
            }
        }
        if let Some(entry) = known.or_else(|| self.known_entry(header, path)) {
            return Ok(PathLookup::new(entry));
        }
        self.fetch_ahead(commit, path);
        Ok(match self.find_in_tree(header, path, chain.as_deref())? {
            Some(found) => {
                let chain = found.share(chain.as_ref());
                PathLookup::At(chain.entry, Some(chain))
            }
            None => PathLookup::Absent,
        })
    }

    /// The commit-graph's knowledge of a path. It is asked for each commit: to count a reference
    /// each time, which the other thread counts too, would take longer than the answer.
    fn path_history(&mut self, path: PathIndex) -> Option<(&PathHistory, &Store)> {
        if self.path_history.as_ref().is_none_or(|(of, _)| *of != path) {
            let copies = self.request.movement.copy_level > 0;
            let text = self.board.path(path);
            let history = self.caches.store.path_history_for(text, copies);
            self.path_history = Some((path, history));
        }
        let (_, history) = self.path_history.as_ref()?;
        Some((history.as_deref()?, &self.caches.store))
    }

    /// True if the commit-graph rules out that the commit changed the path against its first
    /// parent.
    ///
    /// A filter is asked for all paths that the file has had so far, as git does. Where filters and
    /// trees are right, its own path is enough; where trees are not what the filters were made of,
    /// the answer is git's.
    pub(crate) fn is_known_unchanged(&mut self, header: &InternedHeader, path: PathIndex) -> bool {
        let Some(position) = header.graph_position().filter(|_| self.children.is_none()) else {
            return false;
        };
        let Some((history, store)) = self.path_history(path) else {
            return false;
        };
        if !store.is_unchanged(position, history) {
            return false;
        }
        !history.is_filter() || self.is_unchanged_at_all_paths(position)
    }

    /// True if the filters rule out that the commit at `position` changed any path that the file
    /// has had so far.
    fn is_unchanged_at_all_paths(&mut self, position: GraphPosition) -> bool {
        let Walk {
            board,
            filters,
            caches,
            ..
        } = self;
        if filters.len() < board.paths().len() {
            let new = &board.paths()[filters.len()..];
            filters.extend(new.iter().map(|path| caches.store.path_history(path)));
        }
        let mut filters = filters.iter().flatten();
        filters.all(|filter| caches.store.is_unchanged(position, filter))
    }

    /// Takes it for a sign of damage if the commit's filter rules out one of the changes that trees
    /// have against the first parent: the filter was made of other trees. A blame of a file alone
    /// asks the filter, and goes on without a look at the trees.
    ///
    /// # Errors
    ///
    /// The sign of damage.
    pub(crate) fn doubt_ruled_out(
        &self,
        header: &InternedHeader,
        changed: impl Iterator<Item = PathIndex>,
    ) -> Result<(), Error> {
        let store = &self.caches.store;
        let Some(at) = header.graph_position().filter(|_| !store.is_careful()) else {
            return Ok(());
        };
        let keys = changed.map(|path| store.filter_key(self.board.path(path)));
        let Some(keys) = keys.collect::<Option<Vec<_>>>() else {
            return Ok(());
        };
        let numbers: Vec<u32> = (0..).take(keys.len()).collect();
        let left = store.not_ruled_out(at, &numbers, |number| keys[number as usize]);
        if left.is_none_or(|left| left.len() == keys.len()) {
            return Ok(());
        }
        let sign = "a filter of the commit-graph rules out a change that trees have".to_owned();
        store.be_careful(sign.clone());
        Err(Error::Object(objects::Error::Damage { sign }))
    }

    /// The first parent's entry at the path, if it is known what the commit, which has `entry`
    /// there, replaces.
    fn known_replaced(
        &mut self,
        header: &InternedHeader,
        path: PathIndex,
        entry: TreeEntry,
    ) -> Option<Option<TreeEntry>> {
        let position = header
            .graph_position()
            .filter(|_| self.children.is_none())?;
        let (history, _) = self.path_history(path)?;
        history.replaced(position, entry)
    }

    /// The commit's entry at the path, by the commit-graph. The outer `None` means that this is not
    /// known.
    fn known_entry(
        &mut self,
        header: &InternedHeader,
        path: PathIndex,
    ) -> Option<Option<TreeEntry>> {
        let position = header.graph_position()?;
        let (history, store) = self.path_history(path)?;
        store.entry_at(position, history)
    }

    /// The file of `parent` that was renamed to the suspect's path, which `parent` does not have.
    pub(crate) fn find_renamed(
        &mut self,
        suspect: SuspectId,
        header: &InternedHeader,
        parent: CommitIndex,
    ) -> Result<Option<SuspectId>, Interrupt> {
        let suspected = self.board.get(suspect);
        let (path, target) = (Arc::clone(self.board.path(suspected.path)), suspected.entry);
        let tree = self.tree(suspected.commit, header);
        let Some(parent_header) = self.parent_header(parent)? else {
            return Ok(None);
        };
        let parent_tree = self.caches.commits.tree(&parent_header);
        let reader = &mut self.caches.reader;
        let before = self.timer.enter(Phase::Trees);
        reader.fetch_differing_trees(parent_tree, tree.stored());
        let sources = candidates::rename_sources(parent_tree, tree, reader)?;
        let mut sources = RenameSources::of_one(sources);
        let unstored = match tree {
            CommitTree::Index(start, _) => Some(&start.contents),
            CommitTree::Stored(_) => None,
        };
        let attributes = self.request.text_attributes.as_deref();
        let mut is_text = |path: &BStr| {
            self.attributes_count |= attributes.is_some();
            attributes?.is_text(path)
        };
        let path = path.as_bstr();
        let found =
            renames::find_source(path, target, unstored, &mut sources, &mut is_text, reader)?;
        self.timer.enter(before);
        self.work.renames += 1;
        self.work.rename_sources += sources.files().len() as u64;
        let Some((path, entry)) = found.map(|at| sources.take(at)) else {
            return Ok(None);
        };
        let path = self.board.path_index(&path);
        if let Some(prefetch) = &mut self.prefetch {
            prefetch.redirect_to(self.caches.commits.key(parent), self.board.path(path));
        }
        Ok(Some(self.board.make(parent, path, entry, None)))
    }

    /// The file of one parent: at the suspect's path, whatever its type, or renamed.
    pub(crate) fn find_in_parent(
        &mut self,
        suspect: SuspectId,
        header: &InternedHeader,
        parent: CommitIndex,
        at: usize,
    ) -> Result<ParentFile, Interrupt> {
        let Some(parent_header) = self.parent_header(parent)? else {
            return Ok(ParentFile::Absent);
        };
        match self.find_same_path(suspect, header, parent, &parent_header, at)? {
            ParentFile::Absent if self.request.follow => {}
            // Unlike a blame, git follows lines from a file to a symbolic link.
            ParentFile::OtherType => {
                return self.find_other_type(suspect, parent, &parent_header);
            }
            found => return Ok(found),
        }
        let renamed = self.find_renamed(suspect, header, parent)?;
        Ok(renamed.map_or(ParentFile::Absent, ParentFile::At))
    }

    /// Diffs against each retained parent in turn, while lines are pending.
    fn pass_lines(
        &mut self,
        suspect: SuspectId,
        retained: &ParentOrigins,
    ) -> Result<(), Interrupt> {
        for &parent in retained.iter().flatten() {
            self.board.set_previous(suspect, parent);
            self.pass_to_parent(suspect, parent)?;
            if !self.has_pending(suspect) {
                break;
            }
        }
        Ok(())
    }

    fn pass_to_parent(&mut self, suspect: SuspectId, parent: SuspectId) -> Result<(), Interrupt> {
        let mut buffers = std::mem::take(&mut self.buffers);
        self.compare(suspect, parent, &mut buffers.hunks)?;
        self.stats.patches += 1;
        let pending = &mut self.board.get_mut(suspect).pending;
        split::split_unchanged(
            pending,
            &buffers.hunks,
            &mut buffers.moved,
            &mut buffers.kept,
        );
        self.queue_entries(parent, &mut buffers.moved)?;
        buffers.moved.clear();
        self.buffers = buffers;
        Ok(())
    }

    /// Marks the texts that git frees after a pass, so that `--show-stats` counts reads as git
    /// does.
    fn mark_freed(&mut self, suspect: SuspectId, retained: &ParentOrigins) {
        for &parent in retained.iter().flatten() {
            if self.board.get(parent).pending.is_empty() {
                self.board.get_mut(parent).free();
                self.board.release(parent);
            }
        }
        self.board.get_mut(suspect).free();
    }
}

/// Outcome of passing a suspect's lines to its parents.
pub(crate) enum PassOutcome {
    /// All passes were made. These entries score too low to search for; the suspect is guilty of
    /// them first.
    Lines(Vec<PendingEntry>),
    /// The suspect was reused as this parent's origin; the walk visits the parent next.
    Reused(CommitIndex),
}

/// Outcome of looking for a parent with the identical file.
enum IdenticalFile {
    /// No parent has it.
    Kept,
    /// A parent took all lines.
    Taken,
    /// The suspect was reused as the first parent's origin.
    Reused,
}

/// A parent's file at the suspect's path.
pub(crate) enum ParentFile {
    At(SuspectId),
    /// The identical file; the suspect was reused as the parent's origin.
    Reused,
    /// An entry of another file type: lines do not pass, and it is not a rename either.
    OtherType,
    Absent,
}
