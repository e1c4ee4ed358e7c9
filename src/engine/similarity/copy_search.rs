//! Looking for lines in other files, on two threads.
//!
//! Whose file it is follows from its path: versions of a file are mostly stored as differences from
//! each other, so who made one has what the next one needs. When the walk is done with its own
//! files it takes those of the other thread that are not begun.

use std::{
    hash::{Hash, Hasher},
    ops::Range,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use bstr::BString;
use rustc_hash::FxHasher;

use crate::{
    diff::{Differ, Hunk, Options, lines::interner::Lines},
    engine::{
        api::error::Error,
        board::split::Pending,
        similarity::moves::{Image, Match, Matcher, Presence},
        versions::{version::Version, version_cache::Versions},
    },
    objects::{ObjectId, Reader},
};

/// What a file has of an entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    /// The entry's number.
    pub(crate) entry: usize,
    /// The file's number.
    pub(crate) file: usize,
    pub(crate) found: Match,
}

/// The best that was found so far for each entry.
#[derive(Debug)]
pub(crate) struct Best {
    of: Vec<Option<(usize, Match)>>,
    enough: u32,
}

impl Best {
    /// Of so many entries; less than `enough` is of no use.
    pub(crate) fn new(entries: usize, enough: u32) -> Self {
        Best {
            of: vec![None; entries],
            enough,
        }
    }

    /// What a file has to score for an entry that it could be the best for.
    pub(crate) fn enough(&self, entry: usize) -> u32 {
        self.of[entry].map_or(self.enough, |(_, best)| best.score)
    }

    /// Takes a hit in. Of those that score the same the last file's is the best.
    pub(crate) fn offer(&mut self, hit: Hit) {
        let best = &mut self.of[hit.entry];
        let rank = (hit.found.score, hit.file);
        if rank.0 >= self.enough && best.is_none_or(|(file, best)| rank > (best.score, file)) {
            *best = Some((hit.file, hit.found));
        }
    }

    /// For each entry the file and what it has.
    pub(crate) fn found(self) -> Vec<Option<(usize, Match)>> {
        self.of
    }
}

/// The part of a search that another thread is asked to do.
#[derive(Debug)]
pub(crate) struct Search {
    image: Arc<Image>,
    entries: Vec<Pending>,
    enough: u32,
    /// The files' numbers, and what they are.
    files: Vec<(usize, ObjectId)>,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Which of the files nobody has begun with.
    left: Range<usize>,
    /// How many the other thread is at.
    begun: usize,
    hits: Vec<Hit>,
    /// Files that the other thread could not read.
    unread: Vec<usize>,
}

impl Search {
    pub(crate) fn new(
        image: &Arc<Image>,
        entries: &[Pending],
        enough: u32,
        files: Vec<(usize, ObjectId)>,
    ) -> Search {
        let state = State {
            left: 0..files.len(),
            ..State::default()
        };
        Search {
            image: Arc::clone(image),
            entries: entries.to_vec(),
            enough,
            files,
            state: Mutex::new(state),
            ended: Condvar::new(),
        }
    }

    /// Whether a file of this path is the other thread's.
    pub(crate) fn is_theirs(path: &BString) -> bool {
        let mut hasher = FxHasher::default();
        path.hash(&mut hasher);
        hasher.finish() >> 63 == 1
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A file that the other thread has not begun with, for the walk.
    pub(crate) fn take_back(&self) -> Option<usize> {
        let at = self.state().left.next_back()?;
        Some(self.files[at].0)
    }

    /// Waits until nothing is begun, and gives what was found and which files are still to be read.
    pub(crate) fn end(&self) -> (Vec<Hit>, Vec<usize>) {
        let mut state = self.state();
        while state.begun > 0 {
            let waited = self.ended.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        let hits = std::mem::take(&mut state.hits);
        (hits, std::mem::take(&mut state.unread))
    }

    /// A file for the other thread.
    fn begin(&self) -> Option<Begun<'_>> {
        let mut state = self.state();
        let (file, blob) = self.files[state.left.next()?];
        state.begun += 1;
        Some(Begun {
            search: self,
            file,
            blob,
            hits: None,
        })
    }
}

/// A file that the other thread is at.
struct Begun<'s> {
    search: &'s Search,
    file: usize,
    blob: ObjectId,
    hits: Option<Vec<Hit>>,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        let mut state = self.search.state();
        state.begun -= 1;
        match self.hits.take() {
            Some(hits) => state.hits.extend(hits),
            None => state.unread.push(self.file),
        }
        drop(state);
        self.search.ended.notify_one();
    }
}

/// What the other thread looks with.
#[derive(Debug)]
pub(crate) struct Tools<'t> {
    pub(crate) reader: &'t mut Reader,
    pub(crate) lines: &'t mut Lines,
    pub(crate) versions: &'t mut Versions,
    pub(crate) differ: &'t mut Differ,
    pub(crate) options: &'t Options,
}

/// The other thread's part in searches of one blame.
#[derive(Debug, Default)]
pub(crate) struct Seeker {
    /// The final image in this thread's numbers.
    image: Option<Version>,
    presence: Presence,
    hunks: Vec<Hunk>,
}

impl Seeker {
    /// Looks into the next file of a search; says whether there was one. What cannot be read is
    /// left to the walk, which will say so.
    pub(crate) fn look(&mut self, search: &Search, tools: &mut Tools<'_>) -> bool {
        let Some(mut begun) = search.begin() else {
            return false;
        };
        begun.hits = self.hits(search, begun.file, &begun.blob, tools).ok();
        true
    }

    fn hits(
        &mut self,
        search: &Search,
        file: usize,
        blob: &ObjectId,
        tools: &mut Tools<'_>,
    ) -> Result<Vec<Hit>, Error> {
        let image = match &mut self.image {
            Some(image) => image,
            none => none.insert(Version::of(&search.image.contents, tools.lines)?),
        };
        let text = tools.versions.blob(blob, tools.reader, tools.lines)?;
        self.presence.load(&text.tokens, tools.lines);
        let mut matcher = Matcher {
            lines: tools.lines,
            differ: tools.differ,
            options: tools.options,
            scores: &search.image.scores,
            image: &image.tokens,
            hunks: &mut self.hunks,
        };
        let mut hits = Vec::new();
        for (nth, entry) in search.entries.iter().enumerate() {
            if matcher.at_most(entry, &self.presence) < search.enough {
                continue;
            }
            let best = matcher.best(entry, &text.tokens);
            if let Some(found) = best.map_err(|_| Error::TooLarge)? {
                hits.push(Hit {
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
        engine::similarity::moves::Scores,
        objects::{HashKind, ObjectId},
    };

    fn hit(file: usize, score: u32) -> Hit {
        Hit {
            entry: 0,
            file,
            found: Match::of_score(score),
        }
    }

    /// Whatever the order in which files are looked into, the last of the best ones wins.
    #[test]
    fn the_order_of_files_decides_and_not_that_of_hits() {
        let hits = [hit(0, 50), hit(1, 70), hit(2, 9), hit(3, 70), hit(4, 41)];
        for first in 0..hits.len() {
            let mut best = Best::new(2, 41);
            for nth in 0..hits.len() {
                best.offer(hits[(first + nth * 2) % hits.len()]);
            }
            assert_eq!((best.enough(0), best.enough(1)), (70, 41));
            let found = best.found();
            assert_eq!(found[0].map(|(file, _)| file), Some(3));
            assert_eq!(found[1], None);
        }
        let mut best = Best::new(1, 41);
        best.offer(hit(0, 40));
        assert_eq!(best.found(), [None]);
    }

    #[test]
    fn what_one_thread_does_not_finish_the_other_one_reads() {
        let image = Arc::new(Image {
            contents: Arc::from(&b""[..]),
            version: Version::default(),
            scores: Scores::default(),
        });
        let blob = ObjectId::null(HashKind::Sha1);
        let files = (0..4).map(|file| (file * 2, blob)).collect();
        let search = Search::new(&image, &[], 1, files);
        let mut begun = search.begin().expect("there are four");
        begun.hits = Some(vec![hit(begun.file, 5)]);
        drop(begun);
        drop(search.begin());
        assert_eq!(search.take_back(), Some(6));
        assert_eq!(search.take_back(), Some(4));
        assert_eq!(search.take_back(), None);
        assert!(search.begin().is_none());
        let (hits, unread) = search.end();
        assert_eq!(hits.iter().map(|hit| hit.file).collect::<Vec<_>>(), [0]);
        assert_eq!(unread, [2]);
    }
}
