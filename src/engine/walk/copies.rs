//! The `-M` and `-C` passes of the walk.

use std::sync::Arc;

use bstr::BString;

use crate::{
    diff::Token,
    engine::{
        api::profile::Phase,
        board::{
            scoreboard::SuspectId,
            split::{self, PendingEntry},
        },
        history::commits::{CommitIndex, InternedHeader},
        similarity::{
            candidates::{self, SourceFile},
            copy_search::{BestCopies, CopyMatch, CopySearch},
            moves::{self, FinalImage, MoveMatcher, MovedRun},
        },
        walk::state::{Interrupt, ParentOrigins, Walk},
    },
};

/// Entries taken by other origins, passed on once the suspect is done.
type TakenEntries = Vec<(SuspectId, Vec<PendingEntry>)>;

impl Walk<'_> {
    /// Searches the parents' files for pending lines. Returns the entries that score too low to
    /// search for.
    pub(crate) fn pass_moved_and_copied(
        &mut self,
        image: &Arc<FinalImage>,
        suspect: SuspectId,
        header: &InternedHeader,
        parents: &[CommitIndex],
        retained: &ParentOrigins,
    ) -> Result<Vec<PendingEntry>, Interrupt> {
        let movement = self.request.movement;
        let mut taken = TakenEntries::new();
        let mut pending = std::mem::take(&mut self.board.get_mut(suspect).pending);
        let mut low_scoring = Vec::new();
        let moves = movement.moves.unwrap_or(0);
        if movement.moves.is_some() {
            low_scoring = moves::take_low_scoring(&mut pending, moves, &image.scores);
            for &parent in retained.iter().flatten() {
                if pending.is_empty() {
                    break;
                }
                self.find_moved(
                    image,
                    suspect,
                    parent,
                    &mut pending,
                    &mut low_scoring,
                    &mut taken,
                )?;
            }
        }
        if let Some(copies) = movement.copies {
            if copies > moves {
                prepend(
                    &mut low_scoring,
                    moves::take_low_scoring(&mut pending, copies, &image.scores),
                );
            } else if copies < moves {
                split::merge_entries(&mut pending, &mut low_scoring);
                low_scoring = moves::take_low_scoring(&mut pending, copies, &image.scores);
            }
            for (at, &parent) in parents.iter().enumerate() {
                if pending.is_empty() {
                    break;
                }
                let own = retained.get(at).copied().flatten();
                let mut lists = EntryLists {
                    pending: &mut pending,
                    low_scoring: &mut low_scoring,
                    taken: &mut taken,
                };
                self.find_copied(image, suspect, header, parent, own, &mut lists)?;
            }
        }
        for (to, mut entries) in taken {
            split::sort_by_original_line(&mut entries);
            self.queue_entries(to, &mut entries)?;
        }
        self.board.get_mut(suspect).pending = pending;
        Ok(low_scoring)
    }

    /// `-M`: searches the parent's version of the file, in rounds, until nothing more is found.
    fn find_moved(
        &mut self,
        image: &FinalImage,
        suspect: SuspectId,
        parent: SuspectId,
        pending: &mut Vec<PendingEntry>,
        low_scoring: &mut Vec<PendingEntry>,
        taken: &mut TakenEntries,
    ) -> Result<(), Interrupt> {
        let threshold = self.request.movement.moves.unwrap_or(0);
        let text = self.text(parent)?;
        let (mut excluded, mut finished) = (Vec::new(), Vec::new());
        let mut todo = std::mem::take(pending);
        while !todo.is_empty() {
            let mut found = Vec::with_capacity(todo.len());
            self.presence.load(&text.tokens, &self.caches.lines);
            for entry in &todo {
                let best = self.best(image, suspect, entry, &text.tokens, threshold + 1)?;
                found.push(best.map(|best| (0, best)));
            }
            let round = moves::split_found(todo, found, threshold, &image.scores);
            for (_, entry) in round.taken {
                push_taken(taken, parent, entry);
            }
            excluded.extend(round.low_scoring);
            finished.extend(round.finished);
            todo = round.next;
        }
        prepend(low_scoring, excluded);
        *pending = finished;
        Ok(())
    }

    /// `-C`: searches the parent's other files, in rounds, until nothing more is found.
    fn find_copied(
        &mut self,
        image: &Arc<FinalImage>,
        suspect: SuspectId,
        header: &InternedHeader,
        parent: CommitIndex,
        own: Option<SuspectId>,
        lists: &mut EntryLists<'_>,
    ) -> Result<(), Interrupt> {
        let threshold = self.request.movement.copies.unwrap_or(0);
        let files = self.copy_sources(suspect, header, parent, own)?;
        let (mut excluded, mut finished) = (Vec::new(), Vec::new());
        let mut todo = std::mem::take(lists.pending);
        while !todo.is_empty() {
            for (path, _) in &files {
                self.count_candidate(parent, path, lists.taken);
            }
            let found = self.best_matches(image, suspect, header, &files, &todo)?;
            let round = moves::split_found(todo, found, threshold, &image.scores);
            let taking_origins = self.taking_origins(parent, &files, &round.taken, lists.taken);
            for (file, entry) in round.taken {
                if let Some(&(_, to)) = taking_origins.iter().find(|(winner, _)| *winner == file) {
                    push_taken(lists.taken, to, entry);
                }
            }
            excluded.extend(round.low_scoring);
            finished.extend(round.finished);
            todo = round.next;
        }
        prepend(lists.low_scoring, excluded);
        *lists.pending = finished;
        Ok(())
    }

    /// For each entry the file with the best match, the last one among equals. The prefetch thread
    /// searches some of the files.
    fn best_matches(
        &mut self,
        image: &Arc<FinalImage>,
        suspect: SuspectId,
        header: &InternedHeader,
        files: &[SourceFile],
        entries: &[PendingEntry],
    ) -> Result<Vec<Option<(usize, MovedRun)>>, Interrupt> {
        let min_score = self.request.movement.copies.unwrap_or(0) + 1;
        let mut best = BestCopies::new(entries.len(), min_score);
        let shared = self.request_search(image, files, entries, min_score);
        let mut search_file = |file: usize| {
            self.notify(|sink| sink.progress(header.time))?;
            let (path, entry) = &files[file];
            let text = self.stored_text(path, *entry)?;
            self.presence.load(&text.tokens, &self.caches.lines);
            for (nth, entry) in entries.iter().enumerate() {
                let min_score = best.min_score(nth);
                let found = self.best(image, suspect, entry, &text.tokens, min_score)?;
                if let Some(found) = found {
                    best.consider(CopyMatch {
                        entry: nth,
                        file,
                        found,
                    });
                }
            }
            Ok::<(), Interrupt>(())
        };
        let Some(search) = shared else {
            (0..files.len()).try_for_each(search_file)?;
            return Ok(best.found());
        };
        let own =
            (0..files.len()).filter(|&file| !CopySearch::is_for_prefetch_thread(&files[file].0));
        own.chain(std::iter::from_fn(|| search.reclaim()))
            .try_for_each(&mut search_file)?;
        let (hits, unread) = search.wait();
        unread.into_iter().try_for_each(search_file)?;
        for hit in hits {
            best.consider(hit);
        }
        Ok(best.found())
    }

    /// Requests a search of some of the files by the prefetch thread, if there is one.
    fn request_search(
        &mut self,
        image: &Arc<FinalImage>,
        files: &[SourceFile],
        entries: &[PendingEntry],
        min_score: u32,
    ) -> Option<Arc<CopySearch>> {
        let prefetch = self.prefetch.as_ref()?;
        if files.len() < 2 || self.request.text_conversion.is_some() {
            return None;
        }
        let files = files.iter().enumerate();
        let theirs = files.filter(|(_, (path, _))| CopySearch::is_for_prefetch_thread(path));
        let theirs = theirs.map(|(file, (_, entry))| (file, entry.id));
        let search = Arc::new(CopySearch::new(image, entries, min_score, theirs.collect()));
        prefetch.search(&search);
        Some(search)
    }

    /// The files of `parent` that lines may have been copied from.
    pub(crate) fn copy_sources(
        &mut self,
        suspect: SuspectId,
        header: &InternedHeader,
        parent: CommitIndex,
        own: Option<SuspectId>,
    ) -> Result<Vec<SourceFile>, Interrupt> {
        let suspected = self.board.get(suspect);
        let (commit, path) = (suspected.commit, suspected.path);
        let own_path = own.map(|own| self.board.get(own).path);
        let level = self.request.movement.copy_level;
        let all = level >= 3 || (level == 2 && own_path != Some(path));
        let tree = self.tree(commit, header);
        let Some(parent_header) = self.parent_header(parent)? else {
            return Ok(Vec::new());
        };
        let parent_tree = self.caches.commits.tree(&parent_header);
        let reader = &mut self.caches.reader;
        let before = self.timer.enter(Phase::Trees);
        let compared = tree.stored().filter(|_| !all);
        reader.fetch_differing_trees(parent_tree, compared);
        let mut files = candidates::copy_sources(parent_tree, tree, all, reader)?;
        self.timer.enter(before);
        if let Some(own) = own_path {
            let own = self.board.path(own);
            files.retain(|(path, _)| path != own.as_ref());
        }
        let reader = &mut self.caches.reader;
        reader.fetch_missing(files.iter().map(|(_, entry)| &entry.id));
        Ok(files)
    }

    /// Counts a searched file as read, unless git would have its text in memory.
    fn count_candidate(&mut self, parent: CommitIndex, path: &BString, taken: &TakenEntries) {
        match self.live_origin(parent, path, taken) {
            Some(origin) => self.count_read(origin),
            None => self.stats.blobs_read += 1,
        }
    }

    /// The origin of a file of `parent`, if it is live or has taken entries.
    fn live_origin(
        &self,
        parent: CommitIndex,
        path: &BString,
        taken: &TakenEntries,
    ) -> Option<SuspectId> {
        let path = self.board.find_path_index(path)?;
        let took = taken.iter().map(|(to, _)| *to).find(|to| {
            let to = self.board.get(*to);
            to.commit == parent && to.path == path
        });
        took.or_else(|| self.board.find(parent, path))
    }

    /// The origins of the files that took entries. Like git, moves every origin that is live or
    /// took entries in an earlier round (`before`) to the front of its commit's list.
    fn taking_origins(
        &mut self,
        parent: CommitIndex,
        files: &[SourceFile],
        taken: &[(usize, PendingEntry)],
        before: &TakenEntries,
    ) -> Vec<(usize, SuspectId)> {
        let mut taking_origins = Vec::new();
        for (file, (path, entry)) in files.iter().enumerate() {
            let wins = taken.iter().any(|(winner, _)| *winner == file);
            if wins || self.live_origin(parent, path, before).is_some() {
                let path = self.board.path_index(path);
                let origin = self.board.make(parent, path, *entry, None);
                if wins {
                    self.board.get_mut(origin).loaded = true;
                    taking_origins.push((file, origin));
                }
            }
        }
        taking_origins
    }

    /// The best match for `entry` in `text`, whose lines are in `self.presence`; `None` if it
    /// scores less than `min_score`.
    fn best(
        &mut self,
        image: &FinalImage,
        suspect: SuspectId,
        entry: &PendingEntry,
        text: &[Token],
        min_score: u32,
    ) -> Result<Option<MovedRun>, Interrupt> {
        let before = self.timer.enter(Phase::Diff);
        self.work.diffs += 1;
        let mut matcher = MoveMatcher {
            lines: &self.caches.lines,
            differ: &mut self.caches.differ,
            options: &self.request.diff,
            scores: &image.scores,
            image: &image.version.tokens,
            hunks: &mut self.buffers.hunks,
        };
        let best = if matcher.max_score(entry, &self.presence) < min_score {
            Ok(None)
        } else {
            matcher.best_run(entry, text)
        };
        self.timer.enter(before);
        best.map_err(|source| self.diff_error(suspect, suspect, source))
    }
}

/// The entries of a suspect during the search.
struct EntryLists<'l> {
    pending: &'l mut Vec<PendingEntry>,
    low_scoring: &'l mut Vec<PendingEntry>,
    taken: &'l mut TakenEntries,
}

fn push_taken(taken: &mut TakenEntries, to: SuspectId, entry: PendingEntry) {
    match taken.iter_mut().find(|(other, _)| *other == to) {
        Some((_, entries)) => entries.push(entry),
        None => taken.push((to, vec![entry])),
    }
}

/// Puts a batch of low-scoring entries before the older ones, as git does.
fn prepend(low_scoring: &mut Vec<PendingEntry>, mut batch: Vec<PendingEntry>) {
    batch.append(low_scoring);
    *low_scoring = batch;
}
