//! Takes lines from cached blames, and makes a cached blame of a finished walk.

use std::{borrow::Borrow, collections::HashSet, sync::Arc};

use bstr::{BString, ByteSlice};

use crate::{
    engine::{
        api::{
            blame::{CachedBlame, Entry, Origin, OriginId, entries_of_old},
            profile::Phase,
            request::Start,
        },
        board::{
            scoreboard::{PathIndex, SuspectId},
            split::PendingEntry,
        },
        history::commits::CommitIndex,
        walk::{
            state::{Interrupt, Walk, check_flow},
            walk_cache::{FirstVersion, VisitedVersion, WalkCache, common_with_image, has_marks},
        },
    },
    objects::ObjectId,
};

/// Commits visited without meeting a cached blame before prefetching begins. Most walks that stop
/// at a cached blame are shorter, and what the second thread does until it is ahead is lost: with
/// 64, five blames 300 commits later took 1.3 to 1.6 times the CPU time and 1.05 to 1.2 times as
/// long; with 1024, such 3,000 commits later took up to 1.08 times as long.
const WALKED_ALONE: u64 = 512;

/// Most older versions that a cached blame can serve.
const MAX_OLDER: usize = 12;

impl Walk<'_> {
    /// Remembers the first stored version, and takes the lines of `suspect` that a cached blame
    /// knows.
    pub(crate) fn take_cached(&mut self, suspect: SuspectId) -> Result<(), Interrupt> {
        let Some(mut walk_cache) = self.cache.take() else {
            return Ok(());
        };
        let result = self.take_from(&mut walk_cache, suspect);
        self.cache = Some(walk_cache);
        result
    }

    fn take_from(
        &mut self,
        walk_cache: &mut WalkCache<'_>,
        suspect: SuspectId,
    ) -> Result<(), Interrupt> {
        let suspected = self.board.get(suspect);
        let (commit, path, blob) = (suspected.commit, suspected.path, suspected.entry.id);
        if self.is_uncommitted(commit) {
            return Ok(());
        }
        // Its lines are those of the uncommitted contents, not those of the blob that replaces this
        // one.
        let has_other_lines = suspected.holds_image && self.caches.reader.is_replaced(&blob);
        let is_whole = self.is_whole(suspect);
        if walk_cache.first.is_none() {
            walk_cache.first = Some(FirstVersion {
                commit,
                last: None,
                path,
                blob,
                lines: suspected.pending.clone(),
                is_whole,
                is_kept: !has_other_lines,
            });
        }
        if has_other_lines {
            return Ok(());
        }
        self.start_prefetching(walk_cache, suspect);
        let text = self.board.path(path);
        let id = || self.caches.commits.id(commit);
        if !walk_cache.reads.knows(path, text.as_bstr(), id) {
            return Ok(());
        }
        let (text, id) = (Arc::clone(text), id());
        if !is_whole && (self.request.movement.depends_on_file() || self.request.in_order) {
            return Ok(());
        }
        let before = self.timer.enter(Phase::Walk);
        let cached = walk_cache.reads.read(&id, text.as_bstr(), &blob);
        self.timer.enter(before);
        let Some(mut cached) = cached else {
            return Ok(());
        };
        if self.request.in_order && !cached.is_ordered {
            return Ok(());
        }
        walk_cache.was_used = true;
        let pending = std::mem::take(&mut self.board.get_mut(suspect).pending);
        let ends_walk = is_whole && cached.is_ordered;
        let (known, unknown) = if ends_walk {
            (std::mem::take(&mut cached.entries), Vec::new())
        } else {
            known_lines(&by_line(&cached.entries), &pending)
        };
        if ends_walk && self.board.origins.is_empty() {
            self.board.origins = std::mem::take(&mut cached.origins);
        }
        if unknown.is_empty()
            && let Some(first) = &mut walk_cache.first
            && first.commit == commit
        {
            first.is_kept = false;
        }
        self.board.get_mut(suspect).pending = unknown;
        self.record_cached(&cached, known)
    }

    /// Starts the prefetch thread when the walk has become long. It starts where the walk is.
    fn start_prefetching(&mut self, walk_cache: &mut WalkCache<'_>, suspect: SuspectId) {
        if !walk_cache.prefetches || self.stats.visited < WALKED_ALONE {
            return;
        }
        walk_cache.prefetches = false;
        let suspected = self.board.get(suspect);
        let (commit, path) = (suspected.commit, suspected.path);
        self.prefetch_from(commit, path);
    }

    /// Starts the prefetch thread when a walk after others has made enough lookups of its own.
    pub(crate) fn prefetch_after_shared(&mut self, commit: CommitIndex, path: PathIndex) {
        let Some(count) = &mut self.unshared_lookups else {
            return;
        };
        *count += 1;
        if *count == WALKED_ALONE {
            self.unshared_lookups = None;
            self.prefetch_from(commit, path);
        }
    }

    fn prefetch_from(&mut self, commit: CommitIndex, path: PathIndex) {
        let path = Arc::clone(self.board.path(path));
        let key = self.caches.commits.key(commit);
        if let Some(prefetch) = &mut self.prefetch {
            prefetch.redirect_to(key, &path);
            prefetch.start();
        }
    }

    /// True if [`Walk::take_cached`] may have something to do where the file is at `path`.
    pub(crate) fn may_take_cached(&self, path: PathIndex) -> bool {
        self.cache.as_ref().is_some_and(|cache| {
            cache.first.is_none() || cache.prefetches || cache.reads.may_know(&path)
        })
    }

    fn is_uncommitted(&self, commit: CommitIndex) -> bool {
        self.uncommitted.is_some_and(|(it, _)| it == commit)
    }

    /// True if `suspect` has the final image as its file, and is suspected of all lines of it.
    /// Lines that came through an ignored commit carry marks, which the blame of the whole file
    /// does not have.
    fn is_whole(&self, suspect: SuspectId) -> bool {
        let suspected = self.board.get(suspect);
        let [pending] = &suspected.pending[..] else {
            return false;
        };
        self.request.ranges.is_none()
            && suspected.entry.id == self.image_blob
            && pending.len == self.line_count
            && !has_marks(pending)
    }

    /// Records the entries of a cached blame, whose `lines` are those of the final image. Their
    /// origins are those of the cached blame, or those of the board if the cached blame has none
    /// left.
    fn record_cached(
        &mut self,
        cached: &CachedBlame,
        entries: Vec<Entry>,
    ) -> Result<(), Interrupt> {
        for path in &cached.paths {
            // A blame that is made of this one depends on the same paths.
            self.board.path_index(path);
        }
        for commit in &cached.boundaries {
            let commit = self.caches.commits.intern(*commit);
            self.board.mark_uninteresting(commit);
        }
        let are_of_board = cached.origins.is_empty();
        self.board
            .reserve_cached(cached.origins.len(), entries.len());
        let mut origins: Vec<Option<OriginId>> = vec![None; cached.origins.len()];
        for mut entry in entries {
            let at = entry.origin.0 as usize;
            if !are_of_board {
                let Some(of_cache) = cached.origins.get(at) else {
                    continue;
                };
                let previous = of_cache.previous;
                let previous = previous.and_then(|id| cached.origins.get(id.0 as usize));
                let publish = || self.board.publish_cached(of_cache, previous);
                entry.origin = *origins[at].get_or_insert_with(publish);
            }
            let Some(origin) = self.board.origins.get(entry.origin.0 as usize) else {
                continue;
            };
            let boundary = cached.boundaries.contains(&origin.commit);
            self.stats.cached_lines += u64::from(entry.lines.end - entry.lines.start);
            self.board.guilty.push(entry.clone());
            let before = self.timer.enter(Phase::Output);
            let flow = self.sink.entry(&entry, &self.board.origins, boundary);
            self.timer.enter(before);
            check_flow(flow)?;
        }
        Ok(())
    }

    /// Remembers that the parents of `suspect` have another version: before the first such suspect,
    /// all commits had the first version.
    pub(crate) fn note_change(&mut self, suspect: SuspectId) {
        let Some(walk_cache) = &mut self.cache else {
            return;
        };
        let suspected = self.board.get(suspect);
        let Some(first) = &mut walk_cache.first else {
            return;
        };
        if first.last.is_some() {
            if walk_cache.older.len() < MAX_OLDER
                && suspected.path == first.path
                && !self.request.movement.depends_on_file()
            {
                walk_cache.older.push(VisitedVersion {
                    commit: suspected.commit,
                    blob: suspected.entry.id,
                    lines: suspected.pending.clone(),
                });
            }
        } else if !walk_cache.was_used {
            let has_all = suspected.pending == first.lines
                && suspected.path == first.path
                && suspected.entry.id == first.blob;
            first.last = Some(if has_all {
                suspected.commit
            } else {
                first.commit
            });
        }
    }

    /// The blame of the first stored version, if it can serve later blames.
    pub(crate) fn blame_to_cache(&self) -> Option<CachedBlame> {
        let walk_cache = self.cache.as_ref()?;
        let first = walk_cache.first.as_ref()?;
        let is_of_start = match &self.request.start {
            Start::Commit(commit) => self.caches.commits.id(first.commit) == *commit,
            Start::Uncommitted(uncommitted) => {
                uncommitted.parents.first() == Some(&self.caches.commits.id(first.commit))
            }
        };
        // A blame of fewer lines, or without order, must not take the place of the one that was
        // used.
        if !first.is_kept
            || !is_of_start
            || self.request.ranges.is_some()
            || first.lines.iter().any(has_marks)
        {
            return None;
        }
        if !first.is_whole && self.request.movement.depends_on_file() {
            return None;
        }
        let entries = if first.is_whole {
            self.board.guilty.clone()
        } else {
            entries_of_old(&self.board.guilty, &common_with_image(&first.lines))
        };
        let id = |commit| self.caches.commits.id(commit);
        let mut commits = vec![id(first.commit)];
        commits.extend(first.last.map(id).filter(|last| *last != commits[0]));
        let (entries, origins) = renumbered(entries, &self.board.origins);
        let boundaries: HashSet<ObjectId> = self.board.boundaries().map(id).collect();
        let of_origins = origins.iter().map(|origin| origin.commit);
        Some(CachedBlame {
            commits,
            path: BString::clone(self.board.path(first.path)),
            blob: first.blob,
            entries,
            is_ordered: first.is_whole && !walk_cache.was_used,
            boundaries: of_origins
                .filter(|commit| boundaries.contains(commit))
                .collect(),
            origins,
            paths: self
                .board
                .paths()
                .iter()
                .map(|path| BString::clone(path))
                .collect(),
            older: walk_cache.older_versions(first, id),
        })
    }
}

/// The entries of a cached blame, sorted by line.
pub(crate) fn by_line(entries: &[Entry]) -> Vec<&Entry> {
    let mut by_line: Vec<&Entry> = entries.iter().collect();
    by_line.sort_unstable_by_key(|entry| entry.lines.start);
    by_line
}

/// The entries of a known blame, sorted by line, for lines of `pending`, with final line numbers,
/// and the rest of `pending`.
pub(crate) fn known_lines<E: Borrow<Entry>>(
    by_line: &[E],
    pending: &[PendingEntry],
) -> (Vec<Entry>, Vec<PendingEntry>) {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for range in pending {
        let mut next = range.source;
        let rest = |from: u32, to: u32| PendingEntry {
            start: range.start + (from - range.source),
            len: to - from,
            source: from,
            ..*range
        };
        let from = by_line.partition_point(|entry| entry.borrow().lines.end <= range.source);
        for entry in by_line[from..].iter().map(Borrow::borrow) {
            if entry.lines.start >= range.source_end() {
                break;
            }
            let start = entry.lines.start.max(range.source);
            let end = entry.lines.end.min(range.source_end());
            if next < start {
                unknown.push(rest(next, start));
            }
            next = end;
            let final_start = range.start + (start - range.source);
            known.push(Entry {
                lines: final_start..final_start + (end - start),
                source_start: entry.source_start + (start - entry.lines.start),
                origin: entry.origin,
                ignored: entry.ignored || range.ignored,
                unblamable: entry.unblamable || range.unblamable,
            });
        }
        if next < range.source_end() {
            unknown.push(rest(next, range.source_end()));
        }
    }
    (known, unknown)
}

/// The entries with only the origins that they need, and the `previous` of these.
fn renumbered(mut entries: Vec<Entry>, origins: &[Origin]) -> (Vec<Entry>, Vec<Origin>) {
    let mut kept = Vec::new();
    let mut new_ids: Vec<Option<OriginId>> = vec![None; origins.len()];
    let mut keep = |id: OriginId, kept: &mut Vec<Origin>| {
        let at = id.0 as usize;
        *new_ids[at].get_or_insert_with(|| {
            kept.push(Origin {
                previous: None,
                ..origins[at].clone()
            });
            OriginId(kept.len() as u32 - 1)
        })
    };
    for entry in &mut entries {
        let previous = origins[entry.origin.0 as usize].previous;
        entry.origin = keep(entry.origin, &mut kept);
        if let Some(previous) = previous {
            let previous = keep(previous, &mut kept);
            kept[entry.origin.0 as usize].previous = Some(previous);
        }
    }
    (entries, kept)
}
