//! Finds the commit that a file of a patch applies to.

use std::{
    collections::{HashMap, HashSet},
    ops::ControlFlow,
    sync::Arc,
};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    dates::calendar::Clock,
    engine::{DirectoryChange, DirectoryHistorySink, Engine, Request, Start},
    error::{Error, Result},
    objects::{ObjectId, ObjectKind, Reader, TreeEntry},
    output::patch::attributed::{BaseRule, PatchBase},
    patch::file::{PatchName, PatchedFile, PrefixUse},
    repository::{
        Repository,
        content::work_tree::find_file,
        open::paths::relative_path,
        request::{
            options::BlameOptions,
            prepare::{NO_COMMIT, prepare},
        },
        revisions::{beyond, peel::damaged, resolver::RevisionResolver},
    },
    run::errors::blame_error,
    sanitize,
};

/// References to commits that a merge or another command of git has left, besides `HEAD`.
const OTHER_HEADS: [&str; 3] = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD"];

/// Most directories that are taken off a path whose prefix is not known.
const MAX_STRIPPED: usize = 8;

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
    staged: Option<HashMap<BString, TreeEntry>>,
    /// The commits that were found in histories, newest finding first: mostly, all files of a patch
    /// have one base.
    found: Vec<ObjectId>,
    /// Those of [`MAX_STEPS`] that are left.
    steps_left: u32,
    /// The request that those for files are made from.
    model: Request,
}

/// A base with the request for its blame, or the reason why there is none.
type FoundBase = Result<(PatchBase, Request), String>;

/// Where a version of a file is.
struct FoundFile {
    commit: ObjectId,
    path: BString,
    rule: BaseRule,
    /// The contents, where they are not those of the commit.
    contents: Option<ObjectId>,
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

    /// Finds the base of an old side of a file.
    ///
    /// # Errors
    ///
    /// If an object cannot be read. Where there is no base, the reason is returned.
    pub(super) fn find(
        &mut self,
        file: &PatchedFile,
        parent: usize,
        engine: &mut Engine,
    ) -> Result<FoundBase> {
        let Some(name) = file.old.get(parent).cloned().flatten() else {
            return Ok(Err(
                "the patch names no file for the lines that it removes".to_owned()
            ));
        };
        // `diff -u` compares files of any two names.
        let is_unknown = name.prefix == PrefixUse::Unknown;
        let new = file.new.as_ref().filter(|_| is_unknown);
        let prefix = self.repository.paths().prefix.clone();
        let mut paths = NamePaths::default();
        for name in [&name].into_iter().chain(new) {
            paths.add(name, prefix.as_bstr());
        }
        let named = self.named_parent(file, parent)?;
        let found = match file.old_blob(parent) {
            Some(blob) => self.by_contents(&paths, blob, named, engine)?,
            None => None,
        };
        let found = match found {
            Some(found) => Some(found),
            None => self.by_path(&paths.all, named)?,
        };
        let Some(found) = found else {
            let shown = sanitize::line(&name.path);
            return Ok(Err(format!(
                "there is no file {shown} to apply the hunk to"
            )));
        };
        let request = self.request(&found)?;
        let base = PatchBase {
            path: found.path,
            parent: (file.old.len() > 1).then_some(parent),
            commit: found.commit,
            rule: found.rule,
        };
        Ok(Ok((base, request)))
    }

    /// The parent of the commit that the patch names, if both are there.
    fn named_parent(&mut self, file: &PatchedFile, parent: usize) -> Result<Option<ObjectId>> {
        let mut notes = Vec::new();
        let mut resolver = RevisionResolver::new(self.repository, &mut notes);
        let mut resolve = |name: &BString| resolver.commit(name.as_bstr()).ok().flatten();
        if let Some(name) = &file.parent {
            return Ok(resolve(name));
        }
        let Some(commit) = file.commit.as_ref().and_then(resolve) else {
            return Ok(None);
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
        Ok(parents.get(parent).copied())
    }

    /// The version with the contents that begin with the digits `blob`.
    fn by_contents(
        &mut self,
        paths: &NamePaths,
        blob: &BStr,
        named: Option<ObjectId>,
        engine: &mut Engine,
    ) -> Result<Option<FoundFile>> {
        let is_it = |id: &ObjectId| id.to_string().as_bytes().starts_with(blob);
        let of_given = self.given.is_some();
        // Of several contents that begin so, a commit without them may have others that do.
        let stored = self.stored_blobs(blob)?;
        let is_ambiguous = stored.len() > 1;
        let commits = match self.given {
            Some(given) => vec![given],
            None if is_ambiguous => named.into_iter().collect(),
            None => named
                .into_iter()
                .chain(self.heads.iter().copied())
                .chain(self.found.iter().copied())
                .collect(),
        };
        for commit in commits {
            for path in &paths.all {
                let entry = self.entry(&commit, path)?;
                if entry.is_some_and(|entry| is_it(&entry.id)) {
                    let rule = if of_given {
                        BaseRule::Given
                    } else {
                        BaseRule::Contents
                    };
                    return Ok(Some(FoundFile {
                        commit,
                        path: path.clone(),
                        rule,
                        contents: None,
                    }));
                }
            }
        }
        if of_given || is_ambiguous {
            return Ok(None);
        }
        let Some(&head) = self.heads.first() else {
            return Ok(None);
        };
        let repository = self.repository;
        for path in &paths.all {
            let read = || repository.index_entries();
            let staged = self.staged.get_or_insert_with(read).get(path);
            if let Some(entry) = staged.filter(|entry| is_it(&entry.id)) {
                return Ok(Some(FoundFile {
                    commit: head,
                    path: path.clone(),
                    rule: BaseRule::Uncommitted,
                    contents: Some(entry.id),
                }));
            }
        }
        let may_be_fetched = !self.repository.config().promisors.names.is_empty();
        if stored.is_empty() && !may_be_fetched {
            return Ok(None);
        }
        for head in self.heads.clone() {
            for path in &paths.likely {
                if let Some(commit) = self.in_history(head, path, &is_it, engine)? {
                    self.found.truncate(MAX_FOUND - 1);
                    self.found.insert(0, commit);
                    return Ok(Some(FoundFile {
                        commit,
                        path: path.clone(),
                        rule: BaseRule::Contents,
                        contents: None,
                    }));
                }
            }
        }
        Ok(None)
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
    /// the commit that the patch names, or in `HEAD`.
    fn by_path(&mut self, paths: &[BString], named: Option<ObjectId>) -> Result<Option<FoundFile>> {
        let commits = match (self.given, named) {
            (Some(given), _) => vec![(given, BaseRule::Given)],
            (None, Some(named)) => vec![(named, BaseRule::Commit)],
            (None, None) => Vec::new(),
        };
        let head = self.heads.first().filter(|_| self.given.is_none());
        let head = head.map(|&head| (head, BaseRule::Head));
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

    /// The request for the blame of a version.
    fn request(&mut self, found: &FoundFile) -> Result<Request> {
        let Some(blob) = &found.contents else {
            return Ok(self.of_commit(found.commit, &found.path));
        };
        let blob = self.reader.object(blob).map_err(damaged)?;
        let path = relative_path(
            found.path.as_bstr(),
            self.repository.paths().prefix.as_bstr(),
        );
        let options = BlameOptions {
            operands: vec![found.commit.to_string().into(), "--".into(), path],
            buffer: Some(blob.data),
            file_and_line: false,
            ..self.options.clone()
        };
        let prepared = prepare(self.repository, &options, self.clock, &mut Vec::new())?;
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

/// The paths from the root of the tree that the names of a file may stand for, likeliest first.
#[derive(Default)]
struct NamePaths {
    all: Vec<BString>,
    /// Those that what is known of the first directories allows.
    likely: Vec<BString>,
}

impl NamePaths {
    /// Adds those of a name. `prefix` is the current directory with a slash at its end, or empty.
    fn add(&mut self, name: &PatchName, prefix: &BStr) {
        let whole = name.path.as_slice();
        let mut stripped: Vec<&[u8]> = Vec::new();
        let mut rest = whole;
        while let Some(end) = rest
            .find_byte(b'/')
            .filter(|_| stripped.len() < MAX_STRIPPED)
        {
            rest = &rest[end + 1..];
            stripped.push(rest);
        }
        let first = stripped.first().copied();
        let others = stripped.into_iter().skip(1);
        let (likely, unlikely) = match name.prefix {
            PrefixUse::None => (vec![whole], first),
            PrefixUse::First => (vec![first.unwrap_or(whole)], Some(whole)),
            PrefixUse::Unknown => (first.into_iter().chain([whole]).collect(), None),
        };
        let with_prefix = |path: &[u8]| {
            let below = (!prefix.is_empty()).then(|| [prefix.as_bytes(), path].concat().into());
            [Some(BString::from(path)), below].into_iter().flatten()
        };
        let likely: Vec<BString> = likely.into_iter().flat_map(with_prefix).collect();
        self.all.extend(likely.iter().cloned());
        self.likely.extend(likely);
        self.all
            .extend(unlikely.into_iter().chain(others).flat_map(with_prefix));
    }
}
