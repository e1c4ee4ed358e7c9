//! The walk through history. Commits, the origins of a commit and its parents are visited in git's
//! order. A line's attribution depends on its (commit, path) alone; the order decides the output of
//! `--incremental` and which commits are visited twice.

use std::{collections::HashSet, sync::Arc};

use crate::{
    engine::{
        api::{
            blame::{Blame, Entry},
            error::Error,
            line_history::HistoryEnd,
            profile::{Phase, Profile},
            request::{Start, Uncommitted},
        },
        board::{
            scoreboard::{self, PathIndex, SuspectId},
            split::PendingEntry,
        },
        history::{
            children::Children,
            commits::{CommitIndex, InternedHeader},
        },
        similarity::moves::{FinalImage, LineScores},
        versions::version::Version,
        walk::{
            parents::PassOutcome,
            state::{Interrupt, Walk, check_flow},
        },
    },
    objects::{self, ObjectId, ObjectKind},
    system::memory,
};

/// A commit is visited again when lines reach it after it was visited, which wrong dates can cause.
/// Damaged files or grafts can make a commit its own ancestor; then the walk would not end.
const VISITS_OF_COMMIT: u64 = 16;
const MIN_VISITS: u64 = 20_000;

impl<'a> Walk<'a> {
    /// Runs the blame.
    pub(crate) fn run(mut self) -> Result<Blame, Error> {
        let (suspect, contents) = self.final_image()?;
        let attributed = self.attribute(suspect, &contents);
        let (stopped, mut profile) = self.end(attributed)?;
        let commits = &self.caches.commits;
        let boundaries = self.board.boundaries().map(|commit| commits.id(commit));
        let boundaries: HashSet<ObjectId> = boundaries.collect();
        self.board.publish_previous(&|commit| commits.id(commit));
        let is_lasting = !stopped && self.unreadable_parents.is_empty() && !self.attributes_count;
        let to_cache = is_lasting.then(|| self.blame_to_cache()).flatten();
        let lasting_paths = is_lasting.then(|| self.board.paths().to_vec());
        let expected = self.initial_entries(count_lines(&contents)?);
        let mut entries = self.board.guilty;
        scoreboard::coalesce(&mut entries);
        if !stopped && !covers(&entries, &expected) {
            return Err(Error::Unattributed);
        }
        self.caches.versions.add_counters(&mut self.work);
        self.work.times = self.timer.stop();
        profile.walk = self.work;
        Ok(Blame {
            contents,
            entries,
            origins: self.board.origins,
            boundaries,
            stats: self.stats,
            profile,
            unreadable_parents: self.unreadable_parents,
            stopped,
            to_cache,
            lasting_paths,
        })
    }

    /// Ends the prefetch thread. Whether the sink stopped the walk, and what that thread did.
    fn end(&mut self, walked: Result<(), Interrupt>) -> Result<(bool, Profile), Error> {
        let stopped = match walked {
            Ok(()) => false,
            Err(Interrupt::Stopped) => true,
            Err(Interrupt::Failed(error)) => return Err(error),
        };
        let mut profile = Profile::default();
        if let Some(prefetch) = self.prefetch.take() {
            prefetch.finish(&mut profile);
        }
        Ok((stopped, profile))
    }

    /// Ends a walk that followed lines or a file; `limited` says that it met a limit of the range
    /// or a date.
    pub(crate) fn end_history(
        mut self,
        followed: Result<(), Interrupt>,
        limited: bool,
    ) -> Result<HistoryEnd, Error> {
        let (stopped, mut profile) = self.end(followed)?;
        self.caches.versions.add_counters(&mut self.work);
        self.work.times = self.timer.stop();
        profile.walk = self.work;
        Ok(HistoryEnd {
            stopped,
            limited,
            stats: self.stats,
            profile,
        })
    }

    /// The suspect of all lines, and the final image.
    pub(crate) fn final_image(&mut self) -> Result<(SuspectId, Arc<[u8]>), Error> {
        let path = self.board.path_index(&self.request.path);
        match &self.request.start {
            Start::Uncommitted(uncommitted) => Ok(self.uncommitted_image(uncommitted, path)),
            Start::Commit(id) => self.committed_image(*id, path),
        }
    }

    fn uncommitted_image(
        &mut self,
        uncommitted: &'a Uncommitted,
        path: PathIndex,
    ) -> (SuspectId, Arc<[u8]>) {
        let null = ObjectId::null(uncommitted.entry.id.kind());
        let commits = &mut self.caches.commits;
        let commit = commits.intern(null);
        commits.set_header(commit, null, uncommitted.time, &uncommitted.parents);
        self.uncommitted = Some((commit, uncommitted));
        let suspect = self.board.make(commit, path, uncommitted.entry, None);
        (suspect, Arc::clone(&uncommitted.contents))
    }

    fn committed_image(
        &mut self,
        id: ObjectId,
        path: PathIndex,
    ) -> Result<(SuspectId, Arc<[u8]>), Error> {
        let request = self.request;
        let commit = self.caches.commits.intern(id);
        let header = self.header(commit)?;
        let tree = self.caches.commits.tree(&header);
        let chain = self.caches.reader.find_path(tree, &request.path, None);
        let chain = chain.map_err(Error::in_trees)?;
        let missing = || Error::NoSuchPath {
            path: request.path.clone(),
            commit: id,
        };
        let chain = chain.ok_or_else(missing)?;
        if !self.caches.reader.is_blob(&chain.entry)? {
            return Err(missing());
        }
        let entry = chain.entry;
        let suspect = self.board.make(commit, path, entry, Some(Arc::new(chain)));
        let object = self.caches.reader.object(&entry.id);
        let object = object.map_err(|error| Error::from(error).for_path(&request.path))?;
        if object.kind != ObjectKind::Blob {
            return Err(missing());
        }
        // The tables of its lines are made by the walk, and those of the output.
        if !memory::is_available_for_lines(&object.data, 0) {
            return Err(Error::Object(objects::Error::OutOfMemory {
                what: format!("the file {}", request.path),
            }));
        }
        let contents = match self.converted(&request.path, entry, &object.data)? {
            Some(converted) => converted,
            None => object.data,
        };
        Ok((suspect, contents))
    }

    /// Prepares the walk from the final image, all of whose lines are `suspect`'s at first. Returns
    /// the number of lines.
    pub(crate) fn begin(
        &mut self,
        suspect: SuspectId,
        contents: &Arc<[u8]>,
    ) -> Result<u32, Interrupt> {
        let count = count_lines(contents)?;
        self.stats.blobs_read += 1;
        // For a committed file git reads the blob twice: for the image, and for the first diff.
        let uncommitted = self.uncommitted.is_some();
        let other_text =
            self.request.text_conversion.is_some() || self.caches.reader.has_replacements();
        let start = self.board.get_mut(suspect);
        start.loaded = uncommitted;
        start.holds_image = uncommitted && other_text;
        let blob = start.entry.id;
        self.line_count = count;
        if !(uncommitted && self.caches.reader.is_replaced(&blob)) {
            self.image_blob = blob;
        }
        self.notify(|sink| sink.started(contents, count))?;
        match &self.request.reverse {
            Some(heads) => self.find_children(suspect, heads)?,
            None => self.mark_limits(self.board.get(suspect).commit)?,
        }
        Ok(count)
    }

    /// Marks what the request excludes from the history of `start`.
    pub(crate) fn mark_limits(&mut self, start: CommitIndex) -> Result<(), Interrupt> {
        self.mark_negatives(&[start], Vec::new())?;
        self.mark_boundaries();
        Ok(())
    }

    /// Attributes the final image, all of whose lines are `suspect`'s at first.
    fn attribute(&mut self, suspect: SuspectId, contents: &Arc<[u8]>) -> Result<(), Interrupt> {
        let count = self.begin(suspect, contents)?;
        if self.request.movement.moves.is_some() {
            let version = Version::new(contents, &mut self.caches.lines)?;
            let scores = LineScores::new(&version.tokens, &self.caches.lines);
            self.image = Some(Arc::new(FinalImage {
                contents: Arc::clone(contents),
                version,
                scores,
            }));
        }
        let mut entries = self.initial_entries(count);
        if entries.is_empty() {
            return Ok(());
        }
        self.queue_entries(suspect, &mut entries)?;
        while let Some(commit) = self.queue.pop() {
            if self.board.next_suspect(commit).is_some() {
                self.visit(commit)?;
            }
        }
        Ok(())
    }

    /// The requested lines of a file of `count` lines.
    pub(crate) fn initial_entries(&self, count: u32) -> Vec<PendingEntry> {
        let whole = 0..count;
        let whole = std::slice::from_ref(&whole);
        let ranges = self.request.ranges.as_deref().unwrap_or(whole);
        ranges
            .iter()
            .map(|range| (range.start, range.end.min(count)))
            .filter(|(start, end)| start < end)
            .map(|(start, end)| PendingEntry::of_lines(&(start..end)))
            .collect()
    }

    /// Marks the negative revisions and their ancestors as uninteresting.
    pub(crate) fn mark_negatives(
        &mut self,
        positives: &[CommitIndex],
        mut negatives: Vec<CommitIndex>,
    ) -> Result<(), Interrupt> {
        for id in &self.request.negatives {
            negatives.push(self.caches.commits.intern(*id));
        }
        if negatives.is_empty() && self.request.boundaries.is_empty() {
            Ok(())
        } else {
            self.limit(positives, &negatives)
        }
    }

    /// Visits a commit and, without going through the queue, those after it that leave the file
    /// alone.
    fn visit(&mut self, commit: CommitIndex) -> Result<(), Interrupt> {
        let mut next = Some(commit);
        while let Some(commit) = next {
            next = self.visit_one(commit)?;
        }
        Ok(())
    }

    /// Passes a commit's lines to its parents; the commit is guilty of the rest. Returns the commit
    /// to visit next, if that is certain.
    fn visit_one(&mut self, commit: CommitIndex) -> Result<Option<CommitIndex>, Interrupt> {
        let header = self.header(commit)?;
        self.count_visit(commit)?;
        while let Some(suspect) = self.board.next_suspect(commit) {
            self.notify(|sink| sink.progress(header.time))?;
            self.take_cached(suspect)?;
            if !self.has_pending(suspect) {
                self.board.get_mut(suspect).chain = None;
                self.board.release(suspect);
                continue;
            }
            let mut low_scoring = Vec::new();
            if self.children.is_none() && self.is_beyond_boundary(commit, &header) {
                self.mark_with_ancestors(commit);
            } else {
                match self.pass_blame(suspect, &header)? {
                    PassOutcome::Lines(rest) => low_scoring = rest,
                    PassOutcome::Reused(parent) => {
                        return self.skip_unchanged(suspect, parent).map(Some);
                    }
                }
            }
            if self.caches.commits.parents(&header).is_empty() && !self.request.show_root {
                self.board.mark_uninteresting(commit);
            }
            self.record_guilty(suspect, low_scoring)?;
            self.board.get_mut(suspect).chain = None;
            self.board.release(suspect);
        }
        Ok(None)
    }

    /// Begins and counts the visit of a commit; an error if there are so many that the history must
    /// have a cycle.
    pub(crate) fn count_visit(&mut self, commit: CommitIndex) -> Result<(), Error> {
        self.visited = Some(commit);
        self.stats.visited += 1;
        let most = MIN_VISITS + VISITS_OF_COMMIT * self.caches.commits.count() as u64;
        if self.stats.visited > most {
            Err(Error::Damaged("the history has a cycle"))
        } else {
            Ok(())
        }
    }

    /// An error if the commit-graph, from which commits may have been read, has become unreadable.
    pub(crate) fn check_graph(&self) -> Result<(), Error> {
        if self.caches.store.is_graph_lost() {
            return Err(Error::Damaged(
                "commit-graph became unreadable during the blame",
            ));
        }
        Ok(())
    }

    pub(crate) fn is_beyond_boundary(&self, commit: CommitIndex, header: &InternedHeader) -> bool {
        let too_old = self.request.since.is_some_and(|since| header.time < since);
        too_old || self.board.is_uninteresting(commit)
    }

    /// Reads the range of a `--reverse` blame and records the children of each of its commits.
    fn find_children(&mut self, suspect: SuspectId, heads: &[ObjectId]) -> Result<(), Interrupt> {
        let start = self.board.get(suspect).commit;
        let heads: Vec<_> = heads
            .iter()
            .map(|head| self.caches.commits.intern(*head))
            .collect();
        self.mark_negatives(&heads, vec![start])?;
        let board = &self.board;
        let (commits, reader) = (&mut self.caches.commits, &mut self.caches.reader);
        let before = self.timer.enter(Phase::Walk);
        let children = if self.request.first_parent {
            Children::of_chain(start, &heads, |commit| board.is_read(commit), commits)
        } else {
            let excluded = |commit| board.is_uninteresting(commit);
            Children::find(&heads, excluded, &self.request.listing, commits, reader)
        };
        self.timer.enter(before);
        self.children = Some(children?);
        self.mark_boundaries();
        Ok(())
    }

    /// Marks the commits that the request names as boundaries.
    pub(crate) fn mark_boundaries(&mut self) {
        for id in &self.request.boundaries {
            let commit = self.caches.commits.intern(*id);
            self.board.mark_uninteresting(commit);
        }
    }

    /// Marks a commit and those of its ancestors that were read as boundaries.
    fn mark_with_ancestors(&mut self, commit: CommitIndex) {
        self.board.mark_uninteresting(commit);
        let mut todo = vec![commit];
        while let Some(commit) = todo.pop() {
            if let Some(header) = self.caches.commits.cached_header(commit)
                && self.board.is_read(commit)
            {
                let parents = self.caches.commits.parents(&header);
                for &parent in self.request.uninteresting_parents(parents) {
                    if self.board.mark_uninteresting(parent) {
                        todo.push(parent);
                    }
                }
            }
        }
    }

    /// The suspect is guilty of all its remaining lines, first of `pending`, which scored too low
    /// to search.
    fn record_guilty(
        &mut self,
        suspect: SuspectId,
        mut pending: Vec<PendingEntry>,
    ) -> Result<(), Interrupt> {
        pending.append(&mut self.board.get_mut(suspect).pending);
        if pending.is_empty() {
            return Ok(());
        }
        let commits = &self.caches.commits;
        let origin = self
            .board
            .publish_origin(suspect, &|commit| commits.id(commit));
        self.check_graph()?;
        let boundary = self.board.is_uninteresting(self.board.get(suspect).commit);
        for entry in pending {
            let entry = entry.guilty(origin);
            self.board.push_guilty(suspect, entry.clone());
            let before = self.timer.enter(Phase::Output);
            let flow = self.sink.entry(&entry, &self.board.origins, boundary);
            self.timer.enter(before);
            check_flow(flow)?;
        }
        Ok(())
    }
}

/// True if `entries`, sorted by final line, attribute every line of `expected` once, and no other.
pub(crate) fn covers(entries: &[Entry], expected: &[PendingEntry]) -> bool {
    let mut entries = entries.iter().map(|entry| &entry.lines).peekable();
    let covered = expected.iter().all(|range| {
        let mut next = range.start;
        let end = range.start + range.len;
        while next < end {
            match entries.next_if(|lines| lines.start == next && lines.start < lines.end) {
                Some(lines) => next = lines.end,
                None => return false,
            }
        }
        next == end
    });
    covered && entries.peek().is_none()
}

/// The number of lines; the last one may lack its LF.
fn count_lines(contents: &[u8]) -> Result<u32, Error> {
    let newlines = memchr::memchr_iter(b'\n', contents).count();
    let unfinished = contents.last().is_some_and(|&last| last != b'\n');
    u32::try_from(newlines + usize::from(unfinished)).map_err(|_| Error::TooLarge)
}
