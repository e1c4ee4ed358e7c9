//! The walk through history. Commits, the origins of a commit and its parents are visited in git's
//! order. A line's attribution depends on its (commit, path) alone; the order decides the output of
//! `--incremental` and which commits are visited twice.

use std::{collections::HashSet, ops::ControlFlow, sync::Arc};

use bstr::BString;
use smallvec::SmallVec;

use crate::{
    diff::{DiffError, Hunk},
    engine::{
        api::{
            blame::{Blame, Entry, Sink, Stats},
            error::Error,
            profile::{Phase, Profile, Watch, Work},
            request::{Request, Start, Uncommitted},
        },
        board::{
            caches::Caches,
            scoreboard::{self, PathIndex, Scoreboard, Suspect},
            split::Pending,
        },
        history::{
            children::Children,
            commits::{CommitIndex, Head},
            queue::{Direction, Queue},
        },
        prefetch::exchange::Known,
        similarity::{
            candidates::Tree,
            moves::{Image, Presence, Scores},
        },
        versions::version::Version,
        walk::parents::Passed,
    },
    objects::{self, ObjectId, ObjectKind, PathFilter, TreeEntry},
};

/// Why the walk stopped early.
pub(crate) enum Stop {
    /// The sink returned `Break`.
    Asked,
    Failed(Error),
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Stop::Failed(error.into())
    }
}

/// Buffers reused from one diff to the next.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) hunks: Vec<Hunk>,
    pub(crate) moved: Vec<Pending>,
    pub(crate) stays: Vec<Pending>,
}

/// For each parent, the origin to compare with, if any.
pub(crate) type Retained = SmallVec<[Option<Suspect>; 2]>;

/// The state of one running blame.
pub(crate) struct Walk<'a> {
    pub(crate) caches: &'a mut Caches,
    pub(crate) request: &'a Request,
    pub(crate) sink: &'a mut dyn Sink,
    pub(crate) board: Scoreboard,
    pub(crate) queue: Queue,
    pub(crate) stats: Stats,
    /// The pseudo-commit of uncommitted contents.
    pub(crate) uncommitted: Option<(CommitIndex, &'a Uncommitted)>,
    /// With `--reverse`, the children of each commit, which take the role of the parents.
    pub(crate) children: Option<Children>,
    /// The changed-path filter of the path asked for last.
    pub(crate) filter: Option<(PathIndex, Option<Arc<PathFilter>>)>,
    pub(crate) image: Option<Arc<Image>>,
    pub(crate) presence: Presence,
    /// Results of the prefetch thread.
    pub(crate) known: Option<Known<'a>>,
    pub(crate) watch: Watch,
    pub(crate) work: Work,
    pub(crate) scratch: Scratch,
    /// Missing parents and their errors.
    absent: Vec<(CommitIndex, Arc<objects::Error>)>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        caches: &'a mut Caches,
        request: &'a Request,
        known: Option<Known<'a>>,
        watch: Watch,
        sink: &'a mut dyn Sink,
    ) -> Self {
        caches.versions.begin_count();
        let copies = request.movement.copy_level > 0;
        caches.versions.expect_many_files(copies);
        let direction = match request.reverse {
            Some(_) => Direction::OldestFirst,
            None => Direction::NewestFirst,
        };
        Walk {
            caches,
            request,
            sink,
            board: Scoreboard::default(),
            queue: Queue::new(direction),
            stats: Stats::default(),
            uncommitted: None,
            children: None,
            filter: None,
            image: None,
            presence: Presence::default(),
            known,
            watch,
            work: Work::default(),
            scratch: Scratch::default(),
            absent: Vec::new(),
        }
    }

    /// Runs the blame.
    pub(crate) fn run(mut self) -> Result<Blame, Error> {
        let (suspect, contents) = self.final_image()?;
        let stopped = match self.follow(suspect, &contents) {
            Ok(()) => false,
            Err(Stop::Asked) => true,
            Err(Stop::Failed(error)) => return Err(error),
        };
        let mut profile = Profile::default();
        if let Some(known) = self.known.take() {
            known.report(&mut profile);
        }
        let commits = &self.caches.commits;
        let boundaries = self.board.uninteresting().map(|commit| commits.id(commit));
        let boundaries: HashSet<ObjectId> = boundaries.collect();
        self.board.publish_previous(&|commit| commits.id(commit));
        let mut entries = self.board.guilty;
        scoreboard::coalesce(&mut entries);
        self.caches.versions.report(&mut self.work);
        self.work.times = self.watch.stop();
        profile.own = self.work;
        Ok(Blame {
            contents,
            entries,
            origins: self.board.origins,
            boundaries,
            stats: self.stats,
            profile,
            absent: self.absent.into_iter().map(|(_, error)| error).collect(),
            stopped,
        })
    }

    /// The suspect of all lines, and the final image.
    fn final_image(&mut self) -> Result<(Suspect, Arc<[u8]>), Error> {
        let request = self.request;
        let path = self.board.path_index(&request.path);
        match &request.start {
            Start::Uncommitted(uncommitted) => {
                let commit = self
                    .caches
                    .commits
                    .intern(ObjectId::null(uncommitted.entry.id.kind()));
                let tree = ObjectId::null(uncommitted.entry.id.kind());
                self.caches
                    .commits
                    .set_head(commit, tree, uncommitted.time, &uncommitted.parents);
                self.uncommitted = Some((commit, uncommitted));
                let suspect = self.board.make(commit, path, uncommitted.entry, None);
                Ok((suspect, Arc::clone(&uncommitted.contents)))
            }
            Start::Commit(id) => {
                let commit = self.caches.commits.intern(*id);
                let head = self.head(commit)?;
                let tree = self.caches.commits.tree(&head);
                let reader = &mut self.caches.reader;
                let chain = reader.find_path(tree, &request.path, None);
                let chain = chain.map_err(Error::in_trees)?;
                let missing = || Error::NoSuchPath {
                    path: request.path.clone(),
                    commit: *id,
                };
                let chain = chain
                    .filter(|chain| holds_text(chain.entry))
                    .ok_or_else(missing)?;
                let entry = chain.entry;
                let suspect = self.board.make(commit, path, entry, Some(Arc::new(chain)));
                let object = self.caches.reader.object(&entry.id);
                let object = object.map_err(|error| Error::from(error).for_path(&request.path))?;
                if object.kind != ObjectKind::Blob {
                    return Err(missing());
                }
                let contents = match self.converted(&request.path, entry, &object.data)? {
                    Some(converted) => converted,
                    None => object.data,
                };
                Ok((suspect, contents))
            }
        }
    }

    fn follow(&mut self, suspect: Suspect, contents: &Arc<[u8]>) -> Result<(), Stop> {
        let count = count_lines(contents)?;
        self.stats.blobs_read += 1;
        // For a committed file git reads the blob twice: for the image, and for the first diff.
        self.board.get_mut(suspect).loaded = self.uncommitted.is_some();
        self.tell(|sink| sink.started(contents, count))?;
        match &self.request.reverse {
            Some(heads) => self.find_children(suspect, heads)?,
            None => self.mark_negatives(&[self.board.get(suspect).commit], Vec::new())?,
        }
        if self.request.movement.moves.is_some() {
            let version = Version::of(contents, &mut self.caches.lines)?;
            let scores = Scores::of(&version.tokens, &self.caches.lines);
            self.image = Some(Arc::new(Image {
                contents: Arc::clone(contents),
                version,
                scores,
            }));
        }
        let whole = 0..count;
        let whole = std::slice::from_ref(&whole);
        let ranges = self.request.ranges.as_deref().unwrap_or(whole);
        let mut entries: Vec<Pending> = ranges
            .iter()
            .map(|range| (range.start, range.end.min(count)))
            .filter(|(start, end)| start < end)
            .map(|(start, end)| Pending {
                start,
                len: end - start,
                source: start,
                ignored: false,
                unblamable: false,
            })
            .collect();
        if entries.is_empty() {
            return Ok(());
        }
        self.hand_over(suspect, &mut entries)?;
        while let Some(commit) = self.queue.pop() {
            if self.board.next_suspect(commit).is_some() {
                self.visit(commit)?;
            }
        }
        Ok(())
    }

    /// Marks the negative revisions and their ancestors as uninteresting.
    fn mark_negatives(
        &mut self,
        positives: &[CommitIndex],
        mut negatives: Vec<CommitIndex>,
    ) -> Result<(), Stop> {
        for id in &self.request.negatives {
            negatives.push(self.caches.commits.intern(*id));
        }
        self.limit(positives, &negatives)
    }

    /// Visits a commit and, without going through the queue, those after it that leave the file
    /// alone.
    fn visit(&mut self, commit: CommitIndex) -> Result<(), Stop> {
        let mut next = Some(commit);
        while let Some(commit) = next {
            next = self.visit_one(commit)?;
        }
        Ok(())
    }

    /// Passes a commit's lines to its parents; the commit is guilty of the rest. Returns the commit
    /// to visit next, if that is certain.
    fn visit_one(&mut self, commit: CommitIndex) -> Result<Option<CommitIndex>, Stop> {
        let head = self.head(commit)?;
        self.stats.visited += 1;
        while let Some(suspect) = self.board.next_suspect(commit) {
            self.tell(|sink| sink.progress(head.time))?;
            let mut small = Vec::new();
            if self.children.is_none() && self.is_beyond_boundary(commit, &head) {
                self.mark_with_parents(commit);
            } else {
                match self.pass(suspect, &head)? {
                    Passed::Lines(rest) => small = rest,
                    Passed::Slid(parent) => return Ok(Some(parent)),
                }
            }
            if self.caches.commits.parents(&head).is_empty() && !self.request.show_root {
                self.board.mark_uninteresting(commit);
            }
            self.convict(suspect, small)?;
            self.board.get_mut(suspect).chain = None;
            self.board.release(suspect);
        }
        Ok(None)
    }

    fn is_beyond_boundary(&self, commit: CommitIndex, head: &Head) -> bool {
        let too_old = self.request.since.is_some_and(|since| head.time < since);
        too_old || self.board.is_uninteresting(commit)
    }

    /// Reads the range of a `--reverse` blame and records the children of each of its commits.
    fn find_children(&mut self, suspect: Suspect, heads: &[ObjectId]) -> Result<(), Stop> {
        let start = self.board.get(suspect).commit;
        let heads: Vec<_> = heads
            .iter()
            .map(|head| self.caches.commits.intern(*head))
            .collect();
        self.mark_negatives(&heads, vec![start])?;
        let board = &self.board;
        let excluded = |commit| board.is_uninteresting(commit);
        let (commits, reader) = (&mut self.caches.commits, &mut self.caches.reader);
        let (first_parent, listing) = (self.request.first_parent, &self.request.listing);
        let before = self.watch.enter(Phase::Walk);
        let children = Children::find(
            start,
            &heads,
            excluded,
            listing,
            first_parent,
            commits,
            reader,
        );
        self.watch.enter(before);
        self.children = Some(children?);
        for id in &self.request.boundaries {
            let commit = self.caches.commits.intern(*id);
            self.board.mark_uninteresting(commit);
        }
        Ok(())
    }

    /// Marks a commit and those of its ancestors that were read as boundaries.
    fn mark_with_parents(&mut self, commit: CommitIndex) {
        self.board.mark_uninteresting(commit);
        let mut todo = vec![commit];
        while let Some(commit) = todo.pop() {
            if let Some(head) = self.caches.commits.known_head(commit)
                && self.board.is_read(commit)
            {
                let parents = self.caches.commits.parents(&head);
                for &parent in self.request.left_out_with(parents) {
                    if self.board.mark_uninteresting(parent) {
                        todo.push(parent);
                    }
                }
            }
        }
    }

    /// The suspect is guilty of all its remaining lines, first of `pending`, which scored too low
    /// to search.
    fn convict(&mut self, suspect: Suspect, mut pending: Vec<Pending>) -> Result<(), Stop> {
        pending.append(&mut self.board.get_mut(suspect).pending);
        if pending.is_empty() {
            return Ok(());
        }
        let commits = &self.caches.commits;
        let origin = self.board.publish(suspect, &|commit| commits.id(commit));
        if self.caches.store.is_graph_lost() {
            return Err(Error::Damaged("commit-graph became unreadable during the blame").into());
        }
        let boundary = self.board.is_uninteresting(self.board.get(suspect).commit);
        for entry in pending {
            let entry = Entry {
                lines: entry.start..entry.start + entry.len,
                source_start: entry.source,
                origin,
                ignored: entry.ignored,
                unblamable: entry.unblamable,
            };
            self.board.convict(suspect, entry.clone());
            let before = self.watch.enter(Phase::Output);
            let flow = self.sink.entry(&entry, &self.board.origins, boundary);
            self.watch.enter(before);
            check(flow)?;
        }
        Ok(())
    }

    /// The header of a commit, read on first use.
    pub(crate) fn head(&mut self, commit: CommitIndex) -> Result<Head, objects::Error> {
        self.mark_read(commit);
        let commits = &mut self.caches.commits;
        if let Some(head) = commits.known_head(commit) {
            return Ok(head);
        }
        if let Some(known) = &mut self.known
            && !commits.is_in_graph(commit)
            && let Some(head) = known.head(&commits.id(commit))
        {
            return Ok(commits.supply(commit, head));
        }
        let before = self.watch.enter(Phase::Walk);
        let head = commits.head(commit, &mut self.caches.reader);
        self.watch.enter(before);
        head
    }

    pub(crate) fn mark_read(&mut self, commit: CommitIndex) {
        if self.board.mark_read(commit) && self.caches.commits.is_in_graph(commit) {
            self.caches.reader.count_graph_head();
        }
    }

    /// Calls the sink, other than with an entry.
    pub(crate) fn tell(
        &mut self,
        say: impl FnOnce(&mut dyn Sink) -> ControlFlow<()>,
    ) -> Result<(), Stop> {
        let before = self.watch.enter(Phase::Output);
        let flow = say(self.sink);
        self.watch.enter(before);
        check(flow)
    }

    /// The header of a parent. Like git, goes on without a missing one, but not without a damaged
    /// one.
    pub(crate) fn parent_head(&mut self, parent: CommitIndex) -> Result<Option<Head>, Error> {
        let head = self.head(parent);
        self.unless_absent(parent, head)
    }

    /// Turns the error of a missing commit into `None`, and records it.
    pub(crate) fn unless_absent(
        &mut self,
        commit: CommitIndex,
        head: Result<Head, objects::Error>,
    ) -> Result<Option<Head>, Error> {
        match head {
            Ok(head) => Ok(Some(head)),
            Err(error) if error.is_absence() => {
                if !self.absent.iter().any(|(absent, _)| *absent == commit) {
                    self.absent.push((commit, Arc::new(error)));
                }
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The tree of `commit`, which for uncommitted contents is the index.
    pub(crate) fn tree(&self, commit: CommitIndex, head: &Head) -> Tree<'a> {
        match self.uncommitted {
            Some((uncommitted, start)) if uncommitted == commit => {
                Tree::Index(start, &self.request.path)
            }
            _ => Tree::Stored(self.caches.commits.tree(head)),
        }
    }

    /// Gives entries, sorted by original line, to an origin, and queues its commit.
    pub(crate) fn hand_over(
        &mut self,
        to: Suspect,
        entries: &mut Vec<Pending>,
    ) -> Result<(), Stop> {
        if self.board.hand_over(to, entries) {
            let commit = self.board.get(to).commit;
            let head = self.head(commit)?;
            self.queue.push(commit, head.time);
        }
        Ok(())
    }

    /// The diff from the parent's file to the suspect's.
    pub(crate) fn compare(
        &mut self,
        suspect: Suspect,
        parent: Suspect,
        hunks: &mut Vec<Hunk>,
    ) -> Result<(), Stop> {
        let pair = (
            self.board.get(parent).entry.id,
            self.board.get(suspect).entry.id,
        );
        if let Some(known) = &mut self.known
            && let Some(changes) = known.changes(&pair)
        {
            *hunks = changes;
            self.count_read(parent);
            self.count_read(suspect);
            return Ok(());
        }
        let old = self.text(parent)?;
        let new = self.text(suspect)?;
        let caches = &mut *self.caches;
        let options = &self.request.diff;
        let before = self.watch.enter(Phase::Diff);
        self.work.diffs += 1;
        let diffed =
            caches
                .differ
                .hunks_by_ends(&caches.lines, old.numbered(), &new.tokens, options, hunks);
        self.watch.enter(before);
        diffed.map_err(|source| self.diff_error(suspect, parent, source))
    }

    pub(crate) fn diff_error(&self, suspect: Suspect, parent: Suspect, source: DiffError) -> Stop {
        let id = |suspect| self.caches.commits.id(self.board.get(suspect).commit);
        Stop::Failed(Error::Diff {
            old: id(parent),
            new: id(suspect),
            source,
        })
    }

    /// The lines of an origin's file.
    pub(crate) fn text(&mut self, suspect: Suspect) -> Result<Arc<Version>, Error> {
        self.count_read(suspect);
        let suspected = self.board.get(suspect);
        let (commit, path, entry) = (suspected.commit, suspected.path, suspected.entry);
        if let Some((uncommitted, start)) = self.uncommitted
            && uncommitted == commit
        {
            return Ok(Arc::new(Version::of(
                &start.contents,
                &mut self.caches.lines,
            )?));
        }
        let path = Arc::clone(self.board.path(path));
        self.stored_text(&path, entry)
    }

    /// Counts a blob as read, unless git would still have it in memory.
    pub(crate) fn count_read(&mut self, suspect: Suspect) {
        if !std::mem::replace(&mut self.board.get_mut(suspect).loaded, true) {
            self.stats.blobs_read += 1;
        }
    }

    /// The lines of a stored file, converted if its path asks for that.
    pub(crate) fn stored_text(
        &mut self,
        path: &BString,
        entry: TreeEntry,
    ) -> Result<Arc<Version>, Error> {
        let before = self.watch.enter(Phase::Rebuild);
        let text = match self.request.text_conversion {
            Some(_) => self.converted_text(path, entry),
            None => Ok(None),
        };
        let text = match text {
            Ok(Some(text)) => Ok(text),
            Ok(None) => {
                let caches = &mut *self.caches;
                caches
                    .versions
                    .blob(&entry.id, &mut caches.reader, &mut caches.lines)
            }
            Err(error) => Err(error),
        };
        self.watch.enter(before);
        text.map_err(|error| error.for_path(path))
    }

    fn converted_text(
        &mut self,
        path: &BString,
        entry: TreeEntry,
    ) -> Result<Option<Arc<Version>>, Error> {
        let data = self.caches.reader.object(&entry.id)?.data;
        match self.converted(path, entry, &data)? {
            Some(text) => Ok(Some(Arc::new(Version::of(&text, &mut self.caches.lines)?))),
            None => Ok(None),
        }
    }

    fn converted(
        &self,
        path: &BString,
        entry: TreeEntry,
        data: &[u8],
    ) -> Result<Option<Arc<[u8]>>, Error> {
        match &self.request.text_conversion {
            Some(conversion) => Ok(conversion.convert(path, entry.mode, &entry.id, data)?),
            None => Ok(None),
        }
    }
}

fn holds_text(entry: TreeEntry) -> bool {
    entry.is_regular() || entry.is_link()
}

/// The number of lines; the last one may lack its LF.
fn count_lines(contents: &[u8]) -> Result<u32, Error> {
    let newlines = memchr::memchr_iter(b'\n', contents).count();
    let unfinished = contents.last().is_some_and(|&last| last != b'\n');
    u32::try_from(newlines + usize::from(unfinished)).map_err(|_| Error::TooLarge)
}

pub(crate) fn check(flow: ControlFlow<()>) -> Result<(), Stop> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Stop::Asked),
    }
}
