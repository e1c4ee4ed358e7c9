//! The `-M` and `-C` passes of the walk.

use std::sync::Arc;

use bstr::BString;

use crate::{
    diff::Token,
    engine::{
        api::profile::Phase,
        board::{
            scoreboard::Suspect,
            split::{self, Pending},
        },
        history::commits::{CommitIndex, Head},
        similarity::{
            candidates::{self, Source},
            copy_search::{Best, Hit, Search},
            moves::{self, Image, Match, Matcher},
        },
        walk::traversal::{Retained, Stop, Walk},
    },
};

/// Entries taken by other origins, passed on once the suspect is done.
type Taken = Vec<(Suspect, Vec<Pending>)>;

impl Walk<'_> {
    /// Searches the parents' files for pending lines. Returns the entries that score too low to
    /// search for.
    pub(crate) fn pass_moved(
        &mut self,
        image: &Arc<Image>,
        suspect: Suspect,
        head: &Head,
        parents: &[CommitIndex],
        retained: &Retained,
    ) -> Result<Vec<Pending>, Stop> {
        let movement = self.request.movement;
        let mut taken = Taken::new();
        let mut pending = std::mem::take(&mut self.board.get_mut(suspect).pending);
        let mut small = Vec::new();
        let moves = movement.moves.unwrap_or(0);
        if movement.moves.is_some() {
            small = moves::set_aside(&mut pending, moves, &image.scores);
            for &parent in retained.iter().flatten() {
                if pending.is_empty() {
                    break;
                }
                self.take_moved(image, suspect, parent, &mut pending, &mut small, &mut taken)?;
            }
        }
        if let Some(copies) = movement.copies {
            if copies > moves {
                prepend(
                    &mut small,
                    moves::set_aside(&mut pending, copies, &image.scores),
                );
            } else if copies < moves {
                split::merge(&mut pending, &mut small);
                small = moves::set_aside(&mut pending, copies, &image.scores);
            }
            for (at, &parent) in parents.iter().enumerate() {
                if pending.is_empty() {
                    break;
                }
                let own = retained.get(at).copied().flatten();
                let mut lists = SearchLists {
                    pending: &mut pending,
                    small: &mut small,
                    taken: &mut taken,
                };
                self.take_copied(image, suspect, head, parent, own, &mut lists)?;
            }
        }
        for (to, mut entries) in taken {
            split::sort_by_source(&mut entries);
            self.hand_over(to, &mut entries)?;
        }
        self.board.get_mut(suspect).pending = pending;
        Ok(small)
    }

    /// `-M`: searches the parent's version of the file, in rounds, until nothing more is found.
    fn take_moved(
        &mut self,
        image: &Image,
        suspect: Suspect,
        parent: Suspect,
        pending: &mut Vec<Pending>,
        small: &mut Vec<Pending>,
        taken: &mut Taken,
    ) -> Result<(), Stop> {
        let threshold = self.request.movement.moves.unwrap_or(0);
        let text = self.text(parent)?;
        let (mut set_aside, mut finished) = (Vec::new(), Vec::new());
        let mut todo = std::mem::take(pending);
        while !todo.is_empty() {
            let mut found = Vec::with_capacity(todo.len());
            self.presence.load(&text.tokens, &self.caches.lines);
            for entry in &todo {
                let best = self.best(image, suspect, entry, &text.tokens, threshold + 1)?;
                found.push(best.map(|best| (0, best)));
            }
            let round = moves::settle(todo, found, threshold, &image.scores);
            for (_, entry) in round.taken {
                push_taken(taken, parent, entry);
            }
            set_aside.extend(round.small);
            finished.extend(round.finished);
            todo = round.next;
        }
        prepend(small, set_aside);
        *pending = finished;
        Ok(())
    }

    /// `-C`: searches the parent's other files, in rounds, until nothing more is found.
    fn take_copied(
        &mut self,
        image: &Arc<Image>,
        suspect: Suspect,
        head: &Head,
        parent: CommitIndex,
        own: Option<Suspect>,
        lists: &mut SearchLists<'_>,
    ) -> Result<(), Stop> {
        let threshold = self.request.movement.copies.unwrap_or(0);
        let files = self.copy_sources(suspect, head, parent, own)?;
        let (mut set_aside, mut finished) = (Vec::new(), Vec::new());
        let mut todo = std::mem::take(lists.pending);
        while !todo.is_empty() {
            for (path, _) in &files {
                self.count_candidate(parent, path, lists.taken);
            }
            let found = self.best_matches(image, suspect, head, &files, &todo)?;
            let round = moves::settle(todo, found, threshold, &image.scores);
            let winners = self.winners(parent, &files, &round.taken, lists.taken);
            for (file, entry) in round.taken {
                if let Some(&(_, to)) = winners.iter().find(|(winner, _)| *winner == file) {
                    push_taken(lists.taken, to, entry);
                }
            }
            set_aside.extend(round.small);
            finished.extend(round.finished);
            todo = round.next;
        }
        prepend(lists.small, set_aside);
        *lists.pending = finished;
        Ok(())
    }

    /// For each entry the file with the best match, the last one among equals. The prefetch thread
    /// searches some of the files.
    fn best_matches(
        &mut self,
        image: &Arc<Image>,
        suspect: Suspect,
        head: &Head,
        files: &[Source],
        entries: &[Pending],
    ) -> Result<Vec<Option<(usize, Match)>>, Stop> {
        let enough = self.request.movement.copies.unwrap_or(0) + 1;
        let mut best = Best::new(entries.len(), enough);
        let shared = self.request_search(image, files, entries, enough);
        let mut search_file = |file: usize| {
            self.tell(|sink| sink.progress(head.time))?;
            let (path, entry) = &files[file];
            let text = self.stored_text(path, *entry)?;
            self.presence.load(&text.tokens, &self.caches.lines);
            for (nth, entry) in entries.iter().enumerate() {
                let enough = best.enough(nth);
                let found = self.best(image, suspect, entry, &text.tokens, enough)?;
                if let Some(found) = found {
                    best.offer(Hit {
                        entry: nth,
                        file,
                        found,
                    });
                }
            }
            Ok::<(), Stop>(())
        };
        let Some(search) = shared else {
            (0..files.len()).try_for_each(search_file)?;
            return Ok(best.found());
        };
        let own = (0..files.len()).filter(|&file| !Search::is_theirs(&files[file].0));
        own.chain(std::iter::from_fn(|| search.take_back()))
            .try_for_each(&mut search_file)?;
        let (hits, unread) = search.end();
        unread.into_iter().try_for_each(search_file)?;
        for hit in hits {
            best.offer(hit);
        }
        Ok(best.found())
    }

    /// Requests a search of some of the files by the prefetch thread, if there is one.
    fn request_search(
        &mut self,
        image: &Arc<Image>,
        files: &[Source],
        entries: &[Pending],
        enough: u32,
    ) -> Option<Arc<Search>> {
        let known = self.known.as_ref()?;
        if files.len() < 2 || self.request.text_conversion.is_some() {
            return None;
        }
        let files = files.iter().enumerate();
        let theirs = files.filter(|(_, (path, _))| Search::is_theirs(path));
        let theirs = theirs.map(|(file, (_, entry))| (file, entry.id));
        let search = Arc::new(Search::new(image, entries, enough, theirs.collect()));
        known.search(&search);
        Some(search)
    }

    /// The files of `parent` that lines may have been copied from.
    fn copy_sources(
        &mut self,
        suspect: Suspect,
        head: &Head,
        parent: CommitIndex,
        own: Option<Suspect>,
    ) -> Result<Vec<Source>, Stop> {
        let suspected = self.board.get(suspect);
        let (commit, path) = (suspected.commit, suspected.path);
        let own_path = own.map(|own| self.board.get(own).path);
        let level = self.request.movement.copy_level;
        let all = level >= 3 || (level == 2 && own_path != Some(path));
        let tree = self.tree(commit, head);
        let Some(parent_head) = self.parent_head(parent)? else {
            return Ok(Vec::new());
        };
        let parent_tree = self.caches.commits.tree(&parent_head);
        let reader = &mut self.caches.reader;
        let before = self.watch.enter(Phase::Trees);
        let mut files = candidates::candidates(parent_tree, tree, all, reader)?;
        self.watch.enter(before);
        if let Some(own) = own_path {
            let own = self.board.path(own);
            files.retain(|(path, _)| path != own.as_ref());
        }
        Ok(files)
    }

    /// Counts a searched file as read, unless git would have its text in memory.
    fn count_candidate(&mut self, parent: CommitIndex, path: &BString, taken: &Taken) {
        match self.kept_origin(parent, path, taken) {
            Some(origin) => self.count_read(origin),
            None => self.stats.blobs_read += 1,
        }
    }

    /// The origin of a file of `parent`, if it is live or has taken entries.
    fn kept_origin(&self, parent: CommitIndex, path: &BString, taken: &Taken) -> Option<Suspect> {
        let path = self.board.known_path(path)?;
        let took = taken.iter().map(|(to, _)| *to).find(|to| {
            let to = self.board.get(*to);
            to.commit == parent && to.path == path
        });
        took.or_else(|| self.board.find(parent, path))
    }

    /// The origins of the files that took entries. Like git, moves every origin that is live or
    /// took entries in an earlier round (`before`) to the front of its commit's list.
    fn winners(
        &mut self,
        parent: CommitIndex,
        files: &[Source],
        taken: &[(usize, Pending)],
        before: &Taken,
    ) -> Vec<(usize, Suspect)> {
        let mut winners = Vec::new();
        for (file, (path, entry)) in files.iter().enumerate() {
            let wins = taken.iter().any(|(winner, _)| *winner == file);
            if wins || self.kept_origin(parent, path, before).is_some() {
                let path = self.board.path_index(path);
                let origin = self.board.make(parent, path, *entry, None);
                if wins {
                    self.board.get_mut(origin).loaded = true;
                    winners.push((file, origin));
                }
            }
        }
        winners
    }

    /// The best match for `entry` in `text`, whose lines are in `self.presence`; `None` if it
    /// scores less than `enough`.
    fn best(
        &mut self,
        image: &Image,
        suspect: Suspect,
        entry: &Pending,
        text: &[Token],
        enough: u32,
    ) -> Result<Option<Match>, Stop> {
        let before = self.watch.enter(Phase::Diff);
        self.work.diffs += 1;
        let mut matcher = Matcher {
            lines: &self.caches.lines,
            differ: &mut self.caches.differ,
            options: &self.request.diff,
            scores: &image.scores,
            image: &image.version.tokens,
            hunks: &mut self.scratch.hunks,
        };
        let best = match matcher.at_most(entry, &self.presence) < enough {
            true => Ok(None),
            false => matcher.best(entry, text),
        };
        self.watch.enter(before);
        best.map_err(|source| self.diff_error(suspect, suspect, source))
    }
}

/// The entries of a suspect during the search.
struct SearchLists<'l> {
    pending: &'l mut Vec<Pending>,
    small: &'l mut Vec<Pending>,
    taken: &'l mut Taken,
}

fn push_taken(taken: &mut Taken, to: Suspect, entry: Pending) {
    match taken.iter_mut().find(|(other, _)| *other == to) {
        Some((_, entries)) => entries.push(entry),
        None => taken.push((to, vec![entry])),
    }
}

/// Puts a batch of low-scoring entries before the older ones, as git does.
fn prepend(small: &mut Vec<Pending>, mut batch: Vec<Pending>) {
    batch.append(small);
    *small = batch;
}
