//! Finds the commit that a file of a patch applies to.

use std::{collections::HashSet, ops::ControlFlow, sync::Arc};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    dates::calendar::Clock,
    engine::{DirectoryChange, DirectoryHistorySink, Engine, Request, Start},
    error::{Error, Result},
    objects::{ObjectId, ObjectKind, Reader, TreeEntry},
    output::patch::attributed::{BaseRule, PatchBase, WhyHead},
    patch::file::PatchedFile,
    repository::{
        Repository,
        content::{
            index_entries::StagedFiles,
            tree_files,
            work_tree::{entry_of_commit, find_file},
        },
        open::paths::relative_path,
        request::{
            options::BlameOptions,
            prepare::{NO_COMMIT, prepare},
        },
        revisions::{
            arguments::{RevisionArguments, RevisionOptions},
            beyond,
            peel::damaged,
            resolver::RevisionResolver,
        },
    },
    run::{errors::blame_error, patch::name_paths::NamePaths},
    sanitize,
};

/// References to commits that a merge or another command of git has left, besides `HEAD`.
const OTHER_HEADS: [&str; 4] = [
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REBASE_HEAD",
    "REVERT_HEAD",
];

/// Revisions of which one is what such a command compares both sides with, or the other side.
const MERGED_REVISIONS: [&str; 4] = [
    "HEAD...MERGE_HEAD",
    "CHERRY_PICK_HEAD^@",
    "REBASE_HEAD^@",
    "REVERT_HEAD^@",
];

/// Most steps, of 16 commits each, in which histories are searched for the contents of all files of a
/// patch: beyond that, the base is looked for by the other rules.
const MAX_STEPS: u32 = 1 << 15;

/// Most commits that were found in histories and are tried for other files of the patch.
const MAX_FOUND: usize = 8;

/// Finds the bases of the files of a patch.
pub(super) struct BaseFinder<'a> {
    repository: &'a Arc<Repository>,
    options: &'a BlameOptions,
    clock: &'a Clock,
    reader: Reader,
    given: Option<ObjectId>,
    /// `HEAD`, then the other heads that there are.
    heads: Vec<ObjectId>,
    /// The index, once it was needed.
    staged: Option<StagedFiles>,
    /// The commits that were found in histories, newest finding first: mostly, all files of a patch
    /// have one base.
    found: Vec<ObjectId>,
    /// Those of [`MAX_STEPS`] that are left.
    steps_left: u32,
    /// The request that those for files are made from.
    model: Request,
}

/// A base with the requests for blames of its texts, of one of which the patch is: as it is converted
/// for diffs, and as it is stored. Or the reason why there is none.
type FoundBase = Result<(PatchBase, Vec<Request>), String>;

/// What a patch names besides contents.
#[derive(Clone, Copy, Default)]
struct CommitOfPatch {
    /// The commit that makes the change.
    commit: Option<ObjectId>,
    /// The parent of it that an old side is of.
    parent: Option<ObjectId>,
}

/// Where a version of a file is.
struct FoundFile {
    commit: ObjectId,
    path: BString,
    rule: BaseRule,
    /// The contents, where they are not those of the commit.
    contents: Option<TreeEntry>,
}

impl<'a> BaseFinder<'a> {
    /// A finder for patches to `given`, or to what they name.
    ///
    /// # Errors
    ///
    /// If there is no commit, or the options are refused.
    pub(super) fn new(
        repository: &'a Arc<Repository>,
        options: &'a BlameOptions,
        given: Option<ObjectId>,
        clock: &'a Clock,
        notes: &mut Vec<BString>,
    ) -> Result<BaseFinder<'a>> {
        let mut heads = Vec::new();
        let mut resolver = RevisionResolver::new(repository, notes);
        for name in ["HEAD"].iter().chain(&OTHER_HEADS) {
            let commit = resolver.commit(BStr::new(name))?;
            if commit.is_none() && heads.is_empty() {
                break;
            }
            heads.extend(commit);
        }
        let no_commit = || Error::fatal(NO_COMMIT);
        let commit = given.or(heads.first().copied()).ok_or_else(no_commit)?;
        let root = relative_path("".into(), repository.paths().prefix.as_bstr());
        let options_of_root = BlameOptions {
            operands: vec![commit.to_string().into(), "--".into(), root],
            directory: true,
            ..options.clone()
        };
        let prepared = prepare(repository, &options_of_root, clock, notes)?;
        Ok(BaseFinder {
            repository,
            options,
            clock,
            reader: repository.reader(),
            given,
            heads,
            staged: None,
            found: Vec::new(),
            steps_left: MAX_STEPS,
            model: Request {
                path: BString::default(),
                ..prepared.request
            },
        })
    }

    /// The request that those for files are made from.
    pub(super) fn model(&self) -> &Request {
        &self.model
    }

    pub(super) fn has_sign_of_damage(&self) -> bool {
        self.repository.store().sign_of_damage().is_some()
    }

    /// Finds the base of an old side of a file, the one of `parent` of so many `sides`.
    ///
    /// # Errors
    ///
    /// If an object cannot be read. Where there is no base, the reason is returned.
    pub(super) fn find(
        &mut self,
        file: &PatchedFile,
        (parent, sides): (usize, usize),
        engine: &mut Engine,
    ) -> Result<FoundBase> {
        let Some(name) = file.old.get(parent).cloned().flatten() else {
            return Ok(Err(
                "the patch names no file for the lines that it removes".to_owned()
            ));
        };
        let prefix = &self.repository.paths().prefix;
        let paths = NamePaths::of(&name, file.new.as_ref(), prefix.as_bstr());
        let named = self.named_commits(file, parent)?;
        let found = match file.old_blob(parent) {
            Some(blob) => self.by_contents(&paths, blob, named, sides > 1, engine)?,
            None => Err(WhyHead::Unnamed),
        };
        let found = match found {
            Ok(found) => Some(found),
            Err(why) => self.by_path(&paths.all, named.parent, why)?,
        };
        let Some(found) = found else {
            let path = paths.all.first().unwrap_or(&name.path);
            let shown = sanitize::line(path);
            return Ok(Err(format!(
                "there is no file {shown} to apply the hunk to"
            )));
        };
        let requests = self.requests(&found)?;
        let base = PatchBase {
            path: found.path,
            parent: (sides > 1).then_some(parent),
            commit: found.commit,
            rule: found.rule,
        };
        Ok(Ok((base, requests)))
    }

    /// The commits that the patch names, as far as they are there.
    fn named_commits(&mut self, file: &PatchedFile, parent: usize) -> Result<CommitOfPatch> {
        let mut notes = Vec::new();
        let mut resolver = RevisionResolver::new(self.repository, &mut notes);
        let mut resolve = |name: &BString| resolver.commit(name.as_bstr()).ok().flatten();
        if let Some(name) = &file.parent {
            return Ok(CommitOfPatch {
                commit: None,
                parent: resolve(name),
            });
        }
        let Some(commit) = file.commit.as_ref().and_then(resolve) else {
            return Ok(CommitOfPatch::default());
        };
        let parents = match self.model.grafts.get(&commit) {
            Some(parents) => parents.clone(),
            None => self
                .reader
                .commit_head(&commit)
                .map_err(damaged)?
                .parents
                .to_vec(),
        };
        Ok(CommitOfPatch {
            commit: Some(commit),
            parent: parents.get(parent).copied(),
        })
    }

    /// The version with the contents whose id begins with the digits `blob`, or why there is none.
    fn by_contents(
        &mut self,
        paths: &NamePaths,
        blob: &BStr,
        named: CommitOfPatch,
        is_combined: bool,
        engine: &mut Engine,
    ) -> Result<Result<FoundFile, WhyHead>> {
        let is_it = |id: &ObjectId| id.to_string().as_bytes().starts_with(blob);
        let of_given = self.given.is_some();
        // Of several contents that begin so, a commit without them may have others that do.
        let stored = self.stored_blobs(blob)?;
        let is_ambiguous = stored.len() > 1;
        let commits = match self.given {
            Some(given) => vec![given],
            None if is_ambiguous => named.parent.into_iter().collect(),
            None => named
                .parent
                .into_iter()
                .chain(self.heads.iter().copied())
                .chain(self.found.iter().copied())
                .collect(),
        };
        // The histories of paths that there are now are worth a look too.
        let mut histories = paths.likely.clone();
        let mut has_likely = false;
        for commit in commits {
            for path in &paths.all {
                let entry = self.entry(&commit, path)?;
                if entry.is_some_and(|entry| is_it(&entry.id)) {
                    let rule = if of_given {
                        BaseRule::Given
                    } else {
                        BaseRule::Contents
                    };
                    return Ok(Ok(FoundFile {
                        commit,
                        path: path.clone(),
                        rule,
                        contents: None,
                    }));
                }
                if entry.is_some() {
                    has_likely |= paths.likely.contains(path);
                    if !histories.contains(path) {
                        histories.push(path.clone());
                    }
                }
            }
        }
        if of_given || is_ambiguous {
            return Ok(Err(WhyHead::Ambiguous));
        }
        let Some(&head) = self.heads.first() else {
            return Ok(Err(WhyHead::NotInHistory));
        };
        let repository = self.repository;
        let staged = self.staged.get_or_insert_with(|| repository.staged_files());
        let is_staged = |entry: &TreeEntry| is_it(&entry.id) && !entry.is_submodule();
        for path in &paths.all {
            if let Some(entry) = staged.committed.get(path).filter(|it| is_staged(it)) {
                return Ok(Ok(FoundFile {
                    commit: head,
                    path: path.clone(),
                    rule: BaseRule::Uncommitted,
                    contents: Some(*entry),
                }));
            }
        }
        let mut in_conflict = staged.in_conflict.iter();
        let is_in_conflict =
            in_conflict.any(|(path, entry)| is_staged(entry) && paths.all.contains(path));
        let may_be_fetched = !self.repository.config().promisors.names.is_empty();
        if stored.is_empty() && !may_be_fetched {
            return Ok(Err(WhyHead::NotStored));
        }
        if (is_combined || is_in_conflict)
            && let Some(found) = self.at_other_path(named, &is_it)?
        {
            return Ok(Ok(found));
        }
        if !has_likely && !paths.is_prefix_known {
            let others = paths.all.iter().filter(|path| !histories.contains(path));
            histories.extend(others.cloned().collect::<Vec<_>>());
        }
        for head in self.heads.clone() {
            for path in &histories {
                if let Some(commit) = self.in_history(head, path, &is_it, engine)? {
                    self.found.truncate(MAX_FOUND - 1);
                    self.found.insert(0, commit);
                    return Ok(Ok(FoundFile {
                        commit,
                        path: path.clone(),
                        rule: BaseRule::Contents,
                        contents: None,
                    }));
                }
            }
        }
        Ok(Err(WhyHead::NotInHistory))
    }

    /// The only file with these contents in the parent that the patch names, or else in the first head
    /// that has one, or in what a merge compares those with. Diffs of a merge have one name for the
    /// files of all its sides, which may be called otherwise there. Of several such files, it is the
    /// only one that the commit removes: a rename is from one of those.
    fn at_other_path(
        &mut self,
        named: CommitOfPatch,
        is_it: &dyn Fn(&ObjectId) -> bool,
    ) -> Result<Option<FoundFile>> {
        let commits = match named.parent {
            Some(parent) => vec![parent],
            None => [self.heads.clone(), self.merged_commits()].concat(),
        };
        for commit in commits {
            let tree = self.reader.commit_head(&commit).map_err(damaged)?.tree;
            let mut found = Vec::new();
            let hash = self.repository.hash();
            let add = |path: &BStr, entry: TreeEntry| {
                if is_it(&entry.id) && !entry.is_submodule() {
                    found.push(path.to_owned());
                }
                ControlFlow::Continue(())
            };
            let _ = tree_files::list(&mut self.reader, hash, &tree, add).map_err(damaged)?;
            if found.len() > 1 {
                found = match (named.commit, named.parent) {
                    (Some(commit), Some(_)) => self.absent_in(&commit, found)?,
                    _ => Vec::new(),
                };
                if found.len() != 1 {
                    return Ok(None);
                }
            }
            if let Some(path) = found.pop() {
                return Ok(Some(FoundFile {
                    commit,
                    path,
                    rule: BaseRule::Contents,
                    contents: None,
                }));
            }
        }
        Ok(None)
    }

    /// Those of the paths that a commit does not have.
    fn absent_in(&mut self, commit: &ObjectId, paths: Vec<BString>) -> Result<Vec<BString>> {
        let mut absent = Vec::new();
        for path in paths {
            let found = entry_of_commit(&mut self.reader, commit, path.as_bstr());
            if found.map_err(damaged)?.is_none() {
                absent.push(path);
            }
        }
        Ok(absent)
    }

    /// The commits of [`MERGED_REVISIONS`].
    fn merged_commits(&mut self) -> Vec<ObjectId> {
        let mut commits = Vec::new();
        for word in MERGED_REVISIONS {
            let mut notes = Vec::new();
            let resolver = RevisionResolver::new(self.repository, &mut notes);
            let options = RevisionOptions::default();
            let found = RevisionArguments::resolve(resolver, options, &[word.into()]);
            let ids = found.into_iter().flat_map(|found| found.revisions);
            commits.extend(ids.map(|revision| revision.id));
        }
        // A damaged reference may name anything.
        commits.retain(|id| matches!(self.reader.kind(id), Ok(Some(ObjectKind::Commit))));
        commits
    }

    /// The blobs that are stored whose ids begin with these digits.
    fn stored_blobs(&mut self, digits: &BStr) -> Result<Vec<ObjectId>> {
        let mut found = self.reader.with_prefix(digits).map_err(damaged)?;
        let reader = &mut self.reader;
        found.retain(|id| matches!(reader.kind(id), Ok(Some(ObjectKind::Blob)) | Err(_)));
        Ok(found)
    }

    /// The newest commit in the history of `head`, on whatever branch, whose file at `path` is it.
    /// Limits of the blame do not count. `None` too where the history is too long.
    fn in_history(
        &mut self,
        head: ObjectId,
        path: &BString,
        is_it: &dyn Fn(&ObjectId) -> bool,
        engine: &mut Engine,
    ) -> Result<Option<ObjectId>> {
        let request = Request {
            negatives: Vec::new(),
            boundaries: Vec::new(),
            since: None,
            first_parent: false,
            ..self.of_commit(head, path)
        };
        let mut search = ContentsSearch {
            is_it,
            found: None,
            steps_left: &mut self.steps_left,
        };
        let ended = engine.directory_history(&request, &mut search);
        let found = search.found;
        ended.map_err(blame_error)?;
        Ok(found)
    }

    /// The version at the first of the paths that there is: in the given commit, in the parent of
    /// the commit that the patch names, or in `HEAD`, which is taken for the reason `why`.
    fn by_path(
        &mut self,
        paths: &[BString],
        named: Option<ObjectId>,
        why: WhyHead,
    ) -> Result<Option<FoundFile>> {
        let commits = match (self.given, named) {
            (Some(given), _) => vec![(given, BaseRule::Given)],
            (None, Some(named)) => vec![(named, BaseRule::Commit)],
            (None, None) => Vec::new(),
        };
        let head = self.heads.first().filter(|_| self.given.is_none());
        let head = head.map(|&head| (head, BaseRule::Head(why)));
        for (commit, rule) in commits.into_iter().chain(head) {
            for path in paths {
                if self.entry(&commit, path)?.is_some() {
                    return Ok(Some(FoundFile {
                        commit,
                        path: path.clone(),
                        rule,
                        contents: None,
                    }));
                }
            }
        }
        Ok(None)
    }

    fn entry(&mut self, commit: &ObjectId, path: &BString) -> Result<Option<TreeEntry>> {
        find_file(&mut self.reader, commit, path.as_bstr())
    }

    fn of_commit(&self, commit: ObjectId, path: &BString) -> Request {
        Request {
            start: Start::Commit(commit),
            path: path.clone(),
            ..self.model.clone()
        }
    }

    /// The requests for the blames of a version, with and without text conversion.
    fn requests(&mut self, found: &FoundFile) -> Result<Vec<Request>> {
        let stored = self.stored_request(found)?;
        let mut converted = Request {
            text_conversion: self.model.text_conversion.clone(),
            ..stored.clone()
        };
        let converter = converted.text_conversion.clone();
        let Some(converter) = converter.filter(|it| it.converts(&found.path)) else {
            return Ok(vec![converted]);
        };
        if let Start::Uncommitted(uncommitted) = &mut converted.start {
            let entry = uncommitted.entry;
            let path = found.path.as_bstr();
            match converter.convert(path, entry.mode, &entry.id, &uncommitted.contents) {
                Ok(text) => {
                    uncommitted.contents = text.unwrap_or(Arc::clone(&uncommitted.contents))
                }
                Err(_) => return Ok(vec![stored]),
            }
        }
        Ok(vec![converted, stored])
    }

    /// The request for the blame of a version as it is stored.
    fn stored_request(&mut self, found: &FoundFile) -> Result<Request> {
        let Some(entry) = &found.contents else {
            return Ok(Request {
                text_conversion: None,
                ..self.of_commit(found.commit, &found.path)
            });
        };
        let path = relative_path(
            found.path.as_bstr(),
            self.repository.paths().prefix.as_bstr(),
        );
        // What is staged has been converted as for a commit: it is not to be so again.
        let options = BlameOptions {
            operands: vec![found.commit.to_string().into(), "--".into(), path],
            buffer: Some(Arc::from([])),
            text_conversion: false,
            file_and_line: false,
            ..self.options.clone()
        };
        let mut prepared = prepare(self.repository, &options, self.clock, &mut Vec::new())?;
        if let Start::Uncommitted(uncommitted) = &mut prepared.request.start {
            uncommitted.contents = self.reader.object(&entry.id).map_err(damaged)?.data;
            uncommitted.entry = *entry;
        }
        Ok(prepared.request)
    }

    /// The commits of `HEAD` that its upstream branch lacks, with the name of that; `None` if it
    /// has none.
    ///
    /// # Errors
    ///
    /// If a commit cannot be read.
    pub(super) fn beyond_upstream(&self) -> Result<Option<(BString, HashSet<ObjectId>)>> {
        let name = BStr::new("@{upstream}");
        let mut notes = Vec::new();
        let mut resolver = RevisionResolver::new(self.repository, &mut notes);
        let upstream = resolver.commit(name).ok().flatten();
        let (Some(upstream), Some(&head)) = (upstream, self.heads.first()) else {
            return Ok(None);
        };
        let commits = beyond::commits_beyond(self.repository, head, upstream)?;
        Ok(Some((name.to_owned(), commits)))
    }
}

/// Looks for a commit that has certain contents at a path.
struct ContentsSearch<'a> {
    is_it: &'a dyn Fn(&ObjectId) -> bool,
    found: Option<ObjectId>,
    steps_left: &'a mut u32,
}

impl DirectoryHistorySink for ContentsSearch<'_> {
    fn visits_all_parents(&self) -> bool {
        true
    }

    fn change(&mut self, change: &DirectoryChange<'_>) -> ControlFlow<()> {
        let own = (change.commit, change.entry);
        let mut sides = [own].into_iter().chain(change.parents.iter().copied());
        let is_file = |entry: &TreeEntry| entry.is_regular() || entry.is_link();
        let is_it = |entry: TreeEntry| is_file(&entry) && (self.is_it)(&entry.id);
        self.found = sides.find_map(|(commit, entry)| entry.is_some_and(is_it).then_some(commit));
        match self.found {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }

    fn progress(&mut self, _: i64) -> ControlFlow<()> {
        match self.steps_left.checked_sub(1) {
            Some(left) => {
                *self.steps_left = left;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        }
    }
}
