//! The commits that bound a blame: where it starts, what it excludes, and whether the file is
//! there.

use std::{
    cell::{OnceCell, RefCell},
    collections::HashSet,
    sync::Arc,
};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    engine::{Request, Start, Uncommitted},
    error::{Error, Kind, Result},
    objects::{self, ObjectId, ObjectKind},
    repository::{
        content::{
            similar_paths::similar_paths,
            textconv::TextConverter,
            work_tree::{ContentsSource, UncommittedReader, find_entry},
        },
        open::{grafts::Grafts, paths::relative_path, repository::Repository},
        places::place::places,
        request::{
            history_limiting::{self, CommitRange, RangeLimits},
            named_commits::{NamedCommits, more_than_one},
            options::BlameOptions,
        },
        revisions::{
            arguments::Revision,
            peel::{damaged, note_of, peel_to_named_commit},
            resolver::RevisionResolver,
        },
    },
    sanitize,
};

/// The message where a directory is wanted and `HEAD` has no commit. For a file it is git's.
pub(crate) const NO_COMMIT: &str = "there is no commit yet";

/// The first and the last line (1-based) that a place names, in the order in which they are written.
pub type NamedLines = (u32, u32);

/// The bounds of a blame, its file, and the lines that were named with it.
type FoundPlace = (CommitBounds, BString, Option<NamedLines>);

/// A directory whose files the user chooses from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// The path from the root of the tree, without a slash at its end; empty for the root.
    pub path: BString,
    /// The commit; `None` for the work tree.
    pub commit: Option<ObjectId>,
}

/// A request while it is prepared.
pub(super) struct Preparation<'a> {
    repository: &'a Repository,
    options: &'a BlameOptions,
    revisions: NamedCommits<'a>,
    /// False if `--no-walk` applies.
    walked: bool,
    /// The converter, once it is needed.
    converter: OnceCell<Option<Arc<TextConverter>>>,
    grafts: Arc<Grafts>,
    now: i64,
    /// `--since`, `--max-age`.
    since: Option<i64>,
    /// Warnings of reading the uncommitted contents.
    notes: RefCell<Vec<BString>>,
}

/// The commits that bound the blame.
pub(super) struct CommitBounds {
    pub(super) start: Start,
    /// The start as typed, or `HEAD`.
    pub(super) name: BString,
    pub(super) negatives: Vec<ObjectId>,
    /// With `--reverse`, the newest commits of the range.
    pub(super) reverse: Option<Vec<ObjectId>>,
    /// Commits marked as boundaries, unlike their ancestors.
    pub(super) boundaries: Vec<ObjectId>,
}

impl<'a> Preparation<'a> {
    /// A preparation with these revisions, which are walked unless `--no-walk` applies. The current
    /// time and the limit of age are in seconds since the epoch.
    pub(super) fn new(
        repository: &'a Repository,
        options: &'a BlameOptions,
        (revisions, walked): (Vec<Revision>, bool),
        grafts: &Arc<Grafts>,
        (now, since): (i64, Option<i64>),
    ) -> Preparation<'a> {
        Preparation {
            repository,
            options,
            revisions: NamedCommits::new(repository, revisions),
            walked,
            converter: OnceCell::new(),
            grafts: Arc::clone(grafts),
            now,
            since,
            notes: RefCell::default(),
        }
    }

    /// The converter, if text is converted. It runs commands where git works when it is first
    /// needed.
    pub(super) fn converter(&self) -> Option<&Arc<TextConverter>> {
        let wanted = || self.options.text_conversion.then_some(self.repository);
        let make = || wanted().and_then(TextConverter::new).map(Arc::new);
        self.converter.get_or_init(make).as_ref()
    }

    /// Takes the warnings of reading the uncommitted contents.
    pub(super) fn take_notes(&self) -> Vec<BString> {
        self.notes.take()
    }

    /// The bounds of a blame of `path`, the path, and the first and the last line that are named:
    /// `line`, or those of the [place](places) that `path` is.
    pub(super) fn find(&self, path: BString, line: Option<u32>) -> Result<FoundPlace> {
        match self.bounds(path.as_bstr()) {
            Ok(bounds) => Ok((bounds, path, line.map(|line| (line, line)))),
            Err(err) => {
                let is_place = self.options.file_and_line;
                match is_place
                    .then(|| self.bounds_of_place(path.as_bstr()))
                    .flatten()
                {
                    Some(Ok(found)) => Ok(found),
                    Some(Err((err, file))) => Err(self.with_suggestions(err, file)),
                    None => Err(self.with_suggestions(err, path.as_bstr())),
                }
            }
        }
    }

    /// Interprets the path as a file with a line; `None` if it is none. The error is that of the
    /// first file that it can name.
    fn bounds_of_place<'p>(
        &self,
        path: &'p BStr,
    ) -> Option<std::result::Result<FoundPlace, (Error, &'p BStr)>> {
        let mut first = None;
        for place in places(path) {
            match self.bounds(place.file) {
                Ok(bounds) => {
                    let lines = (place.line, place.last_line);
                    return Some(Ok((bounds, place.file.to_owned(), Some(lines))));
                }
                Err(err) => first = first.or(Some((err, place.file))),
            }
        }
        first.map(Err)
    }

    /// The directory that `request` names.
    ///
    /// # Errors
    ///
    /// If it does not exist.
    pub(super) fn directory(&self, request: &Request) -> Result<Directory> {
        let path: &[u8] = request.path.strip_suffix(b"/").unwrap_or(&request.path);
        let work_tree = self.repository.paths().work_tree.as_ref();
        let is_committed = self.revisions.single_positive()?.is_some();
        let work_tree = work_tree.filter(|_| !is_committed);
        let (is_directory, is_there, commit) = match (work_tree, &request.start) {
            (Some(root), _) => {
                // A symbolic link to a directory is none to git.
                let there = root.join(path.to_path_lossy()).symlink_metadata();
                let is_directory = match &there {
                    Ok(there) => there.is_dir(),
                    Err(_) => self.repository.leaves_out(path),
                };
                (is_directory, there.is_ok(), None)
            }
            (None, Start::Commit(commit)) => {
                let found = self.repository.directory_tree(commit, path);
                let is_directory = found.map_err(damaged)?.is_some();
                let entry = find_entry(&mut self.repository.reader(), commit, path.as_bstr());
                let is_there = entry.is_ok_and(|entry| entry.is_some());
                (is_directory, is_there, Some(*commit))
            }
            (None, Start::Uncommitted(_)) => (false, false, None),
        };
        let path = BString::from(path);
        match (is_directory, is_there) {
            (true, _) => Ok(Directory { path, commit }),
            (false, true) => Err(Error::no_such_path(format!("{path} is not a directory"))),
            (false, false) => Err(Error::no_such_path(format!("no such directory {path}"))),
        }
    }

    /// Adds similar paths of the final commit to the error for a file that does not exist.
    fn with_suggestions(&self, err: Error, path: &BStr) -> Error {
        if !self.options.suggest_paths || err.kind() != Kind::NoSuchPath {
            return err;
        }
        let commit = match self.revisions.single_positive() {
            Ok(Some((_, commit))) => commit,
            _ => match self.head() {
                Ok(head) => head,
                Err(_) => return err,
            },
        };
        let mut reader = self.repository.reader();
        let similar = similar_paths(&mut reader, self.repository.hash(), &commit, path);
        let prefix = &self.repository.paths().prefix;
        let similar = similar.iter().map(|file| {
            let typed = relative_path(file.as_bstr(), prefix.as_bstr());
            sanitize::line(&typed)
        });
        let similar: Vec<String> = similar.collect();
        match similar.split_last() {
            None => err,
            Some((only, [])) => err.with_hint(format!("did you mean {only}?")),
            Some((last, others)) => {
                err.with_hint(format!("did you mean {} or {last}?", others.join(", ")))
            }
        }
    }

    /// The bounds of a blame of `path`; reads the uncommitted contents if they are the start.
    fn bounds(&self, path: &BStr) -> Result<CommitBounds> {
        if self.options.reverse {
            if self.options.contents.is_some() || self.options.buffer.is_some() {
                return Err(Error::fatal("--contents and --reverse do not blend well."));
            }
            return self.bounds_of_reverse(path);
        }
        let last = self.revisions.single_positive()?;
        if last.is_none() && self.options.of_commit {
            return Err(Error::fatal("the revisions leave no commit to blame"));
        }
        let negatives = self.revisions.negatives()?;
        let source = match (&self.options.buffer, &self.options.contents) {
            (Some(buffer), _) => Some(ContentsSource::Buffer(buffer)),
            (None, Some(name)) => Some(ContentsSource::File(name.as_bstr())),
            _ if self.options.directory => None,
            _ if last.is_some() || self.is_bare_without_revisions() => None,
            _ => Some(ContentsSource::WorkTree),
        };
        let (name, commit) = match last {
            Some(last) => last,
            None => {
                if matches!(source, Some(ContentsSource::WorkTree)) {
                    self.enter_work_tree()?;
                }
                ("HEAD".into(), self.head()?)
            }
        };
        let start = match source {
            Some(source) => Start::Uncommitted(self.uncommitted(path, commit, source)?),
            None => Start::Commit(commit),
        };
        self.check_bottoms()?;
        if matches!(start, Start::Commit(_)) && !self.options.directory {
            self.check_file_exists(&commit, path, name.as_bstr())?;
        }
        Ok(CommitBounds {
            start,
            name,
            negatives,
            reverse: None,
            boundaries: Vec::new(),
        })
    }

    /// The uncommitted contents of `path` on top of `base`.
    fn uncommitted(
        &self,
        path: &BStr,
        base: ObjectId,
        source: ContentsSource<'_>,
    ) -> Result<Uncommitted> {
        let notes = &mut self.notes.borrow_mut();
        let converter = self.converter().cloned();
        let mut reader = UncommittedReader::new(self.repository, base, converter, self.now)?;
        if self.options.silences_commands {
            reader.silence();
        }
        let read = reader.read(path, source, notes);
        reader.finish(notes);
        read
    }

    fn enter_work_tree(&self) -> Result<()> {
        if self.repository.paths().existing_work_tree().is_some() {
            self.repository.enter_work_tree();
            return Ok(());
        }
        let mut references = self.repository.references();
        if references.object("HEAD".into()).is_none() {
            self.head()?;
        }
        Err(Error::fatal("this operation must be run in a work tree"))
    }

    /// `--ancestry-path`: commits off the path become boundaries, their ancestors do not.
    pub(super) fn limit_to_ancestry_path(
        &self,
        mut bounds: CommitBounds,
        notes: &mut Vec<BString>,
    ) -> Result<CommitBounds> {
        let given = &self.options.ancestry_path;
        if !self.walked || given.is_empty() {
            return Ok(bounds);
        }
        let mut resolver = RevisionResolver::new(self.repository, notes);
        let (mut bottoms, mut middles) = (Vec::new(), Vec::new());
        for commit in given {
            match commit {
                None => bottoms.clone_from(&self.revisions.negatives()?),
                Some(name) => middles.push(resolver.commit(name.as_bstr())?.ok_or_else(|| {
                    let message = b"could not get commit for --ancestry-path argument ";
                    Error::option([&message[..], name].concat())
                })?),
            }
        }
        let heads = match &bounds.reverse {
            Some(heads) => heads,
            None => bounds.start.heads(),
        };
        let range = self.range(heads, &bounds.negatives, &self.grafts)?;
        let descendants = range.descendants(&[bottoms, middles.clone()].concat());
        bounds.boundaries = range.off_path(&descendants, &middles);
        if let Start::Uncommitted(uncommitted) = &bounds.start {
            let followed = if self.options.first_parent {
                1
            } else {
                usize::MAX
            };
            let mut parents = uncommitted.parents.iter().take(followed);
            if !parents.any(|parent| descendants.contains(parent)) {
                bounds
                    .boundaries
                    .push(ObjectId::null(self.repository.hash()));
            }
        }
        Ok(bounds)
    }

    /// Fails if `--ancestry-path` has neither a commit nor negative revisions to start from.
    fn check_bottoms(&self) -> Result<()> {
        let given = &self.options.ancestry_path;
        if self.walked
            && !given.is_empty()
            && given.iter().all(Option::is_none)
            && self.revisions.negatives()?.is_empty()
        {
            let message = "--ancestry-path given but there are no bottom commits";
            return Err(Error::fatal(message));
        }
        Ok(())
    }

    fn range(
        &self,
        heads: &[ObjectId],
        excluded: &[ObjectId],
        grafts: &Grafts,
    ) -> Result<CommitRange> {
        let limits = RangeLimits {
            first_parent: self.options.first_parent,
            exclude_first_parent_only: self.options.exclude_first_parent_only,
            since: self.since,
        };
        CommitRange::read(self.repository, heads, excluded, grafts, limits)
    }

    /// `--simplify-by-decoration`: skips commits without references.
    pub(super) fn simplify_by_decoration(
        &self,
        mut bounds: CommitBounds,
    ) -> Result<(CommitBounds, Arc<Grafts>)> {
        let mut grafts = Arc::clone(&self.grafts);
        let applies = self.walked && self.options.simplify_by_decoration;
        if applies && bounds.reverse.is_none() {
            let heads = bounds.start.heads();
            let range = self.range(heads, &bounds.negatives, &grafts)?;
            let range = range.without(&bounds.boundaries);
            let simple = range.by_decoration(&history_limiting::decorated(self.repository));
            if let Start::Uncommitted(uncommitted) = &mut bounds.start {
                uncommitted.parents = simple.parents_of(&uncommitted.parents);
            }
            Arc::make_mut(&mut grafts).extend(simple.parents);
        }
        Ok((bounds, grafts))
    }

    /// As [`bounds`](Self::bounds), with `--reverse`.
    fn bounds_of_reverse(&self, path: &BStr) -> Result<CommitBounds> {
        let positive = if self.options.first_parent {
            self.revisions.single_positive()?
        } else {
            None
        };
        let (name, start, ends) = self.reverse_range()?;
        if self.options.first_parent {
            if positive.is_none() || ends.contains(&start) {
                return Err(Error::fatal(
                    "--reverse and --first-parent together require specified latest commit",
                ));
            }
            self.check_bottoms()?;
            if !ends.iter().any(|end| self.leads_to(*end, start)) {
                return Err(Error::fatal(
                    "--reverse --first-parent together require range along first-parent chain",
                ));
            }
        }
        self.check_bottoms()?;
        self.check_file_exists(&start, path, name.as_bstr())?;
        Ok(CommitBounds {
            start: Start::Commit(start),
            name,
            negatives: vec![start],
            reverse: Some(ends),
            boundaries: Vec::new(),
        })
    }

    /// The name and id of the oldest commit of `--reverse`, and the newest commits.
    fn reverse_range(&self) -> Result<(BString, ObjectId, Vec<ObjectId>)> {
        let revisions = &self.revisions;
        let mut negatives = revisions
            .all
            .iter()
            .filter(|revision| revision.negative || revisions.is_negated(revision));
        let heads = self.revisions.positives();
        if let Some(first) = negatives.next() {
            let start = self.revisions.commit(first)?;
            if let Some(second) = negatives.next() {
                self.revisions.commit(second)?;
                let what = "dig up from, ";
                return Err(more_than_one(
                    what,
                    second.name.as_bstr(),
                    first.name.as_bstr(),
                ));
            }
            return Ok((first.name.clone(), start, self.ends(&heads)?));
        }
        // `A` alone means `A..HEAD`.
        let nothing = || Error::fatal("No commit to dig up from?");
        let [only] = heads[..] else {
            return Err(nothing());
        };
        let start =
            peel_to_named_commit(&mut self.repository.reader(), only.id)?.ok_or_else(nothing)?;
        // `--no-walk` has no effect with `--first-parent`.
        let ends = if self.walked || self.options.first_parent {
            vec![self.head()?]
        } else {
            Vec::new()
        };
        Ok((only.name.clone(), start, ends))
    }

    /// The commits among `heads`; none with `--no-walk`.
    fn ends(&self, heads: &[&Revision]) -> Result<Vec<ObjectId>> {
        let walked = self.walked || self.options.first_parent;
        self.revisions
            .commits(heads.iter().copied().filter(|_| walked))
    }

    /// True if `start` is on the first-parent chain of `end`.
    fn leads_to(&self, end: ObjectId, start: ObjectId) -> bool {
        let mut reader = self.repository.reader();
        // Grafts can form cycles.
        let mut seen = HashSet::new();
        let mut next = Some(end);
        while let Some(commit) = next.filter(|commit| seen.insert(*commit)) {
            if commit == start {
                return true;
            }
            next = match self.grafts.get(&commit) {
                Some(parents) => parents.first().copied(),
                None => match reader.commit_head(&commit) {
                    Ok(head) => head.parents.first().copied(),
                    // The walk will report it, before it looks for the chain's end.
                    Err(_) => return true,
                },
            };
        }
        false
    }

    fn is_bare_without_revisions(&self) -> bool {
        self.repository.is_bare() && self.revisions.all.is_empty()
    }

    fn head(&self) -> Result<ObjectId> {
        let for_directory = self.options.directory;
        let message = if for_directory {
            NO_COMMIT
        } else {
            "no such ref: HEAD"
        };
        let unborn = || Error::fatal(message);
        let mut references = self.repository.references();
        let Some(id) = references.object("HEAD".into()) else {
            return Err(unborn().with_hint_if(references.problem()));
        };
        let commit = peel_to_named_commit(&mut self.repository.reader(), id)?;
        commit.ok_or_else(|| Error::fatal(format!("no such commit {id}")))
    }

    /// Fails unless `path` is a file in `commit`. git reports `no such path` also if an object is
    /// missing; the hint gives the reason.
    fn check_file_exists(&self, commit: &ObjectId, path: &BStr, name: &BStr) -> Result<()> {
        let mut reader = self.repository.reader();
        let found = find_entry(&mut reader, commit, path);
        let mut message = b"no such path ".to_vec();
        message.push_str(path);
        message.push_str(" in ");
        message.push_str(name);
        let refused = Error::no_such_path(message);
        match found {
            Ok(Some(entry)) => match reader.kind(&entry.id) {
                Ok(Some(ObjectKind::Blob)) => Ok(()),
                Err(err) if err.ends_lookups() => Err(damaged(err)),
                Err(err @ objects::Error::NotFetched { .. }) => Err(damaged(err)),
                kind => {
                    let note = kind.err().and_then(|err| note_of(&err));
                    let refused = refused.after(note.into_iter().collect());
                    Err(refused.with_hint(format!("the blob {} cannot be read", entry.id)))
                }
            },
            Ok(None) => Err(refused),
            Err(err) if err.ends_lookups() => Err(damaged(err)),
            Err(err) => {
                let err = damaged(err);
                let notes = err.notes().to_vec();
                Err(refused.with_hint(err.to_string()).after(notes))
            }
        }
    }
}
