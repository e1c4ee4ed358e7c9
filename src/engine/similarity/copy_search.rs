//! Searches other files for copied lines, on two threads.
//!
//! A file's path decides which thread searches it: versions of a file are mostly stored as deltas
//! against each other, so the thread that built one has the base of the next. When the walk is done
//! with its own files it takes over those that the other thread has not started.

use std::{
    hash::{Hash, Hasher},
    ops::Range,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use bstr::BString;
use rustc_hash::FxHasher;

use crate::{
    diff::{DiffOptions, Differ, Hunk, LineInterner},
    engine::{
        api::error::Error,
        board::split::PendingEntry,
        similarity::moves::{FinalImage, LineSet, MoveMatcher, MovedRun},
        versions::{version::Version, version_cache::VersionCache},
    },
    objects::{ObjectId, Reader},
};

/// A file's best match for an entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CopyMatch {
    /// Index of the entry.
    pub(crate) entry: usize,
    /// Index of the file.
    pub(crate) file: usize,
    pub(crate) found: MovedRun,
}

/// The best match for each entry so far.
#[derive(Debug)]
pub(crate) struct BestCopies {
    /// By entry: the best file and its match.
    by_entry: Vec<Option<(usize, MovedRun)>>,
    min_score: u32,
}

impl BestCopies {
    /// For this many entries; scores below `min_score` do not count.
    pub(crate) fn new(entries: usize, min_score: u32) -> Self {
        BestCopies {
            by_entry: vec![None; entries],
            min_score,
        }
    }

    /// The score from which a match can be the best for an entry.
    pub(crate) fn min_score(&self, entry: usize) -> u32 {
        self.by_entry[entry].map_or(self.min_score, |(_, best)| best.score)
    }

    /// Adds a match. Among equal scores the last file wins.
    pub(crate) fn consider(&mut self, hit: CopyMatch) {
        let best = &mut self.by_entry[hit.entry];
        let rank = (hit.found.score, hit.file);
        if rank.0 >= self.min_score && best.is_none_or(|(file, best)| rank > (best.score, file)) {
            *best = Some((hit.file, hit.found));
        }
    }

    /// For each entry the best file and its match.
    pub(crate) fn found(self) -> Vec<Option<(usize, MovedRun)>> {
        self.by_entry
    }
}

/// The prefetch thread's share of one search for copied lines.
#[derive(Debug)]
pub(crate) struct CopySearch {
    image: Arc<FinalImage>,
    entries: Vec<PendingEntry>,
    min_score: u32,
    /// Index and blob of each file.
    files: Vec<(usize, ObjectId)>,
    state: Mutex<CopySearchState>,
    /// Notified when the prefetch thread is done with a file.
    ended: Condvar,
}

#[derive(Debug, Default)]
struct CopySearchState {
    /// Indexes in `files` that no thread has started.
    unclaimed: Range<usize>,
    /// The number of files that the prefetch thread is searching.
    in_progress: usize,
    hits: Vec<CopyMatch>,
    /// Files that the prefetch thread could not read.
    unread: Vec<usize>,
}

impl CopySearch {
    pub(crate) fn new(
        image: &Arc<FinalImage>,
        entries: &[PendingEntry],
        min_score: u32,
        files: Vec<(usize, ObjectId)>,
    ) -> CopySearch {
        let state = CopySearchState {
            unclaimed: 0..files.len(),
            ..CopySearchState::default()
        };
        CopySearch {
            image: Arc::clone(image),
            entries: entries.to_vec(),
            min_score,
            files,
            state: Mutex::new(state),
            ended: Condvar::new(),
        }
    }

    /// True if the prefetch thread searches this path.
    pub(crate) fn is_for_prefetch_thread(path: &BString) -> bool {
        let mut hasher = FxHasher::default();
        path.hash(&mut hasher);
        hasher.finish() >> 63 == 1
    }

    fn state(&self) -> MutexGuard<'_, CopySearchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a file that the prefetch thread has not started.
    pub(crate) fn reclaim(&self) -> Option<usize> {
        let at = self.state().unclaimed.next_back()?;
        Some(self.files[at].0)
    }

    /// Waits for the files in progress; returns the matches and the files that could not be read.
    pub(crate) fn wait(&self) -> (Vec<CopyMatch>, Vec<usize>) {
        let mut state = self.state();
        while state.in_progress > 0 {
            let waited = self.ended.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        let hits = std::mem::take(&mut state.hits);
        (hits, std::mem::take(&mut state.unread))
    }

    /// Takes a file for the prefetch thread.
    fn claim(&self) -> Option<ClaimedFile<'_>> {
        let mut state = self.state();
        let (file, blob) = self.files[state.unclaimed.next()?];
        state.in_progress += 1;
        Some(ClaimedFile {
            search: self,
            file,
            blob,
            hits: None,
        })
    }
}

/// A file that the prefetch thread is searching.
struct ClaimedFile<'s> {
    search: &'s CopySearch,
    file: usize,
    blob: ObjectId,
    hits: Option<Vec<CopyMatch>>,
}

impl Drop for ClaimedFile<'_> {
    fn drop(&mut self) {
        let mut state = self.search.state();
        state.in_progress -= 1;
        match self.hits.take() {
            Some(hits) => state.hits.extend(hits),
            None => state.unread.push(self.file),
        }
        drop(state);
        self.search.ended.notify_one();
    }
}

/// The prefetch thread's state that a search needs.
#[derive(Debug)]
pub(crate) struct CopySearchContext<'t> {
    pub(crate) reader: &'t mut Reader,
    pub(crate) lines: &'t mut LineInterner,
    pub(crate) versions: &'t mut VersionCache,
    pub(crate) differ: &'t mut Differ,
    pub(crate) options: &'t DiffOptions,
}

/// The prefetch thread's side of all searches of one blame.
#[derive(Debug, Default)]
pub(crate) struct CopySearcher {
    /// The final image in this thread's tokens.
    image: Option<Version>,
    /// The lines of the file being searched.
    presence: LineSet,
    hunks: Vec<Hunk>,
}

impl CopySearcher {
    /// Searches the next file; returns whether there was one. An unreadable file is left to the
    /// walk, which reports the error.
    pub(crate) fn search_next_file(
        &mut self,
        search: &CopySearch,
        context: &mut CopySearchContext<'_>,
    ) -> bool {
        let Some(mut claimed) = search.claim() else {
            return false;
        };
        claimed.hits = self.hits(search, claimed.file, &claimed.blob, context).ok();
        true
    }

    fn hits(
        &mut self,
        search: &CopySearch,
        file: usize,
        blob: &ObjectId,
        context: &mut CopySearchContext<'_>,
    ) -> Result<Vec<CopyMatch>, Error> {
        let image = match &mut self.image {
            Some(image) => image,
            none => none.insert(Version::new(&search.image.contents, context.lines)?),
        };
        let text = context.versions.blob(blob, context.reader, context.lines)?;
        self.presence.load(&text.tokens, context.lines);
        let mut matcher = MoveMatcher {
            lines: context.lines,
            differ: context.differ,
            options: context.options,
            scores: &search.image.scores,
            image: &image.tokens,
            hunks: &mut self.hunks,
        };
        let mut hits = Vec::new();
        for (nth, entry) in search.entries.iter().enumerate() {
            if matcher.max_score(entry, &self.presence) < search.min_score {
                continue;
            }
            let best = matcher.best_run(entry, &text.tokens);
            if let Some(found) = best.map_err(|_| Error::TooLarge)? {
                hits.push(CopyMatch {
                    entry: nth,
                    file,
                    found,
                });
            }
        }
        Ok(hits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::similarity::moves::LineScores,
        objects::{HashKind, ObjectId},
    };

    fn hit(file: usize, score: u32) -> CopyMatch {
        CopyMatch {
            entry: 0,
            file,
            found: MovedRun::of_score(score),
        }
    }

    /// The last of the best files wins, whatever the order in which they are searched.
    #[test]
    fn the_last_best_file_wins_in_any_search_order() {
        let hits = [hit(0, 50), hit(1, 70), hit(2, 9), hit(3, 70), hit(4, 41)];
        for first in 0..hits.len() {
            let mut best = BestCopies::new(2, 41);
            for nth in 0..hits.len() {
                best.consider(hits[(first + nth * 2) % hits.len()]);
            }
            assert_eq!((best.min_score(0), best.min_score(1)), (70, 41));
            let found = best.found();
            assert_eq!(found[0].map(|(file, _)| file), Some(3));
            assert_eq!(found[1], None);
        }
        let mut best = BestCopies::new(1, 41);
        best.consider(hit(0, 40));
        assert_eq!(best.found(), [None]);
    }

    #[test]
    fn unfinished_files_go_back_to_the_walk() {
        let image = Arc::new(FinalImage {
            contents: Arc::from(&b""[..]),
            version: Version::default(),
            scores: LineScores::default(),
        });
        let blob = ObjectId::null(HashKind::Sha1);
        let files = (0..4).map(|file| (file * 2, blob)).collect();
        let search = CopySearch::new(&image, &[], 1, files);
        let mut claimed = search.claim().expect("four files are unclaimed");
        claimed.hits = Some(vec![hit(claimed.file, 5)]);
        drop(claimed);
        drop(search.claim());
        assert_eq!(search.reclaim(), Some(6));
        assert_eq!(search.reclaim(), Some(4));
        assert_eq!(search.reclaim(), None);
        assert!(search.claim().is_none());
        let (hits, unread) = search.wait();
        assert_eq!(hits.iter().map(|hit| hit.file).collect::<Vec<_>>(), [0]);
        assert_eq!(unread, [2]);
    }
}
