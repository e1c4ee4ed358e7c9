//! Passes a suspect's lines to the parents, in git's order: the identical file, a renamed file,
//! unchanged lines, lines of an ignored commit, moved and copied lines.

use std::sync::Arc;

use bstr::ByteSlice;
use smallvec::SmallVec;

use crate::{
    engine::{
        api::{error::Error, profile::Phase},
        board::{
            scoreboard::{PathIndex, Suspect},
            split::{self, Pending},
        },
        history::commits::{CommitIndex, Head, Parents},
        prefetch::exchange::Lookup,
        similarity::{
            candidates::{self, Tree},
            renames,
        },
        walk::traversal::{Retained, Stop, Walk},
    },
    objects::PathChain,
};

impl Walk<'_> {
    /// Passes the pending lines of `suspect` to its parents.
    pub(crate) fn pass(&mut self, suspect: Suspect, head: &Head) -> Result<Passed, Stop> {
        let parents = self.parents(suspect, head);
        let mut retained: Retained = parents.iter().map(|_| None).collect();
        let mut small = Vec::new();
        match self.pass_whole(suspect, head, &parents, &mut retained)? {
            Whole::Slid => return Ok(Passed::Slid(parents[0])),
            Whole::Taken => {}
            Whole::Kept if parents.is_empty() => {}
            Whole::Kept => {
                self.stats.commits += 1;
                self.pass_lines(suspect, &retained)?;
                if self.has_pending(suspect) {
                    small = self.pass_elsewhere(suspect, head, &parents, &retained)?;
                }
            }
        }
        self.unload(suspect, &retained);
        Ok(Passed::Lines(small))
    }

    /// The parents to pass to; with `--reverse`, the children.
    fn parents(&self, suspect: Suspect, head: &Head) -> Parents {
        if let Some(children) = &self.children {
            return Parents::from_slice(children.of(self.board.get(suspect).commit));
        }
        let mut parents = Parents::from_slice(self.caches.commits.parents(head));
        if self.request.first_parent {
            parents.truncate(1);
        }
        parents
    }

    pub(crate) fn has_pending(&self, suspect: Suspect) -> bool {
        !self.board.get(suspect).pending.is_empty()
    }

    /// The optional passes: ignored commits, `-M` and `-C`.
    fn pass_elsewhere(
        &mut self,
        suspect: Suspect,
        head: &Head,
        parents: &[CommitIndex],
        retained: &Retained,
    ) -> Result<Vec<Pending>, Stop> {
        let commit = self.board.get(suspect).commit;
        let ignored = &self.request.ignored;
        if !ignored.is_empty() && ignored.contains(&self.caches.commits.id(commit)) {
            self.pass_ignored(suspect, retained)?;
        }
        match self.image.clone() {
            Some(image) if self.has_pending(suspect) => {
                self.pass_moved(&image, suspect, head, parents, retained)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Finds the file in all parents. A parent with the identical blob takes all lines; otherwise
    /// `retained` lists the origins to compare with.
    fn pass_whole(
        &mut self,
        suspect: Suspect,
        head: &Head,
        parents: &[CommitIndex],
        retained: &mut Retained,
    ) -> Result<Whole, Stop> {
        let mut absent: SmallVec<[usize; 2]> = SmallVec::new();
        for (at, &parent) in parents.iter().enumerate() {
            let Some(parent_head) = self.parent_head(parent)? else {
                continue;
            };
            match self.find_same_path(suspect, head, parent, &parent_head, at)? {
                Found::At(found) => {
                    if self.retain(suspect, found, at, retained)? {
                        return Ok(Whole::Taken);
                    }
                }
                Found::Slid => return Ok(Whole::Slid),
                Found::OtherType => {}
                Found::Absent => absent.push(at),
            }
        }
        if !self.request.follow {
            return Ok(Whole::Kept);
        }
        for at in absent {
            if let Some(found) = self.find_renamed(suspect, head, parents[at])?
                && self.retain(suspect, found, at, retained)?
            {
                return Ok(Whole::Taken);
            }
        }
        Ok(Whole::Kept)
    }

    /// Keeps a parent's origin to compare with, unless an earlier parent has the same blob. If it
    /// is the suspect's own blob, passes all lines to it and returns true.
    fn retain(
        &mut self,
        suspect: Suspect,
        found: Suspect,
        at: usize,
        retained: &mut Retained,
    ) -> Result<bool, Stop> {
        let blob = self.board.get(found).entry.id;
        if blob == self.board.get(suspect).entry.id {
            self.pass_everything(suspect, found)?;
            for other in retained.iter().flatten() {
                self.board.release(*other);
            }
            return Ok(true);
        }
        let same = |other: &Suspect| self.board.get(*other).entry.id == blob;
        if retained[..at].iter().flatten().any(same) {
            self.board.release(found);
        } else {
            retained[at] = Some(found);
        }
        Ok(false)
    }

    fn pass_everything(&mut self, suspect: Suspect, to: Suspect) -> Result<(), Stop> {
        if self.board.get(suspect).loaded && !self.board.get(to).loaded {
            self.board.get_mut(to).loaded = true;
            self.board.get_mut(suspect).loaded = false;
        }
        let mut pending = std::mem::take(&mut self.board.get_mut(suspect).pending);
        self.hand_over(to, &mut pending)?;
        self.board.release(to);
        Ok(())
    }

    fn find_same_path(
        &mut self,
        suspect: Suspect,
        head: &Head,
        parent: CommitIndex,
        parent_head: &Head,
        at: usize,
    ) -> Result<Found, Stop> {
        let suspected = self.board.get(suspect);
        let path = suspected.path;
        if let Some(known) = self.board.find(parent, path) {
            return Ok(Found::At(known));
        }
        let (entry, chain) = (suspected.entry, suspected.chain.clone());
        let lookup = if at == 0 && self.unchanged_by_filter(head, path) {
            self.work.filtered += 1;
            Lookup::At(entry, chain)
        } else {
            self.look_up(parent, parent_head, path, chain)?
        };
        let Lookup::At(found, chain) = lookup else {
            return Ok(Found::Absent);
        };
        if found.file_type() != entry.file_type() {
            return Ok(if found.is_tree() {
                Found::Absent
            } else {
                Found::OtherType
            });
        }
        if at == 0
            && found.id == entry.id
            && self.may_slide(parent_head)
            && self.board.slide(suspect, parent, found, chain.as_ref())
        {
            return Ok(Found::Slid);
        }
        Ok(Found::At(self.board.make(parent, path, found, chain)))
    }

    /// Whether the parent would be visited next if it took all lines of `suspect`. Then neither the
    /// queue nor a new origin is needed; most commits leave a file alone.
    fn may_slide(&self, parent: &Head) -> bool {
        self.children.is_none() && self.queue.would_be_next(parent.time)
    }

    /// Looks a path up in a commit's tree, unless the prefetch thread has done so. `chain` is that
    /// of a neighbouring commit.
    fn look_up(
        &mut self,
        commit: CommitIndex,
        head: &Head,
        path: PathIndex,
        chain: Option<Arc<PathChain>>,
    ) -> Result<Lookup, Stop> {
        let text = self.board.path(path);
        if let Some(known) = &mut self.known {
            match known.lookup(self.caches.commits.name(commit), text) {
                Lookup::Unknown => {}
                // The neighbour's chain still speeds up the next lookup.
                Lookup::At(entry, own) => return Ok(Lookup::At(entry, own.or(chain))),
                Lookup::Absent => return Ok(Lookup::Absent),
            }
        }
        let before = self.watch.enter(Phase::Trees);
        let tree = self.caches.commits.tree(head);
        let reader = &mut self.caches.reader;
        let found = reader.find_path(tree, text, chain.as_deref());
        self.watch.enter(before);
        Ok(match found.map_err(Error::in_trees)? {
            Some(found) => {
                let chain = found.share(chain.as_ref());
                Lookup::At(chain.entry, Some(chain))
            }
            None => Lookup::Absent,
        })
    }

    /// Whether the commit's changed-path filter rules out a change of the path against the first
    /// parent.
    fn unchanged_by_filter(&mut self, head: &Head, path: PathIndex) -> bool {
        if self.filter.as_ref().is_none_or(|(of, _)| *of != path) {
            self.filter = Some((path, self.caches.store.path_filter(self.board.path(path))));
        }
        let (Some((_, Some(filter))), Some(position)) = (&self.filter, head.graph()) else {
            return false;
        };
        self.children.is_none() && self.caches.store.is_unchanged(position, filter)
    }

    /// The file of `parent` that was renamed to the suspect's path, which `parent` does not have.
    fn find_renamed(
        &mut self,
        suspect: Suspect,
        head: &Head,
        parent: CommitIndex,
    ) -> Result<Option<Suspect>, Stop> {
        let suspected = self.board.get(suspect);
        let (path, target) = (Arc::clone(self.board.path(suspected.path)), suspected.entry);
        let tree = self.tree(suspected.commit, head);
        let Some(parent_head) = self.parent_head(parent)? else {
            return Ok(None);
        };
        let parent_tree = self.caches.commits.tree(&parent_head);
        let reader = &mut self.caches.reader;
        let before = self.watch.enter(Phase::Trees);
        let sources = candidates::removed(parent_tree, tree, reader)?;
        let unstored = match tree {
            Tree::Index(start, _) => Some(&start.contents),
            Tree::Stored(_) => None,
        };
        let found = renames::find(path.as_bstr(), target, unstored, &sources, reader)?;
        self.watch.enter(before);
        self.work.renames += 1;
        self.work.rename_sources += sources.len() as u64;
        let Some((path, entry)) = found.and_then(|at| sources.into_iter().nth(at)) else {
            return Ok(None);
        };
        let path = self.board.path_index(&path);
        if let Some(known) = &mut self.known {
            known.follow(self.caches.commits.name(parent), self.board.path(path));
        }
        Ok(Some(self.board.make(parent, path, entry, None)))
    }

    /// Diffs against each retained parent in turn, while lines are pending.
    fn pass_lines(&mut self, suspect: Suspect, retained: &Retained) -> Result<(), Stop> {
        for &parent in retained.iter().flatten() {
            self.board.name_previous(suspect, parent);
            self.pass_to_parent(suspect, parent)?;
            if !self.has_pending(suspect) {
                break;
            }
        }
        Ok(())
    }

    fn pass_to_parent(&mut self, suspect: Suspect, parent: Suspect) -> Result<(), Stop> {
        let mut scratch = std::mem::take(&mut self.scratch);
        self.compare(suspect, parent, &mut scratch.hunks)?;
        self.stats.patches += 1;
        let pending = &mut self.board.get_mut(suspect).pending;
        split::pass_unchanged(
            pending,
            &scratch.hunks,
            &mut scratch.moved,
            &mut scratch.stays,
        );
        self.hand_over(parent, &mut scratch.moved)?;
        scratch.moved.clear();
        self.scratch = scratch;
        Ok(())
    }

    /// Marks the texts that git frees after a pass, so that `--show-stats` counts reads as git
    /// does.
    fn unload(&mut self, suspect: Suspect, retained: &Retained) {
        for &parent in retained.iter().flatten() {
            if self.board.get(parent).pending.is_empty() {
                self.board.get_mut(parent).loaded = false;
                self.board.release(parent);
            }
        }
        self.board.get_mut(suspect).loaded = false;
    }
}

/// Outcome of passing a suspect's lines to its parents.
pub(crate) enum Passed {
    /// All passes were made. These entries score too low to search for; the suspect is guilty of
    /// them first.
    Lines(Vec<Pending>),
    /// The suspect was reused as this parent's origin; the parent is to be visited next.
    Slid(CommitIndex),
}

/// Outcome of looking for a parent with the identical file.
enum Whole {
    /// No parent has it.
    Kept,
    /// A parent took all lines.
    Taken,
    /// The suspect was reused as the first parent's origin.
    Slid,
}

/// What a parent has at the suspect's path.
enum Found {
    At(Suspect),
    /// The identical file; the suspect was reused as the parent's origin.
    Slid,
    /// An entry of another file type: lines do not pass, and it is not a rename either.
    OtherType,
    Absent,
}
