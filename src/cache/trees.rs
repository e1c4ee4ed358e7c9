//! Blames of whole directories, kept between runs.

use std::{ops::ControlFlow, sync::Arc, time::Instant};

use bstr::BString;

use crate::{
    cache::{
        blames::{BlameFiles, RequestCache},
        directory::{create_own_directory, write_file},
        eviction,
        tree_encoder::TreeEncoder,
        tree_files::{TreeFiles, directories_above},
        tree_record,
    },
    engine::{
        self, Engine, Error, KeptTree, PlanSink, PlannedBlame, PlannedFile, Request, Start,
        TreePlan,
    },
    objects::{ObjectId, Store},
    repository::{Repository, commits::cached_texts::CachedTexts},
    system::run_log,
};

/// Most commits of which a directory is kept with one set of options.
const MAX_OF_DIRECTORY: usize = 4;

/// At most so many files that could not be blamed, or this part of all, stand beside kept ones: later
/// runs blame each of them alone.
const MAX_FAILED: usize = 16;
const FAILED_PART: usize = 16;

/// The plan and the blames of all files of a directory, with what is kept of earlier runs.
#[derive(Debug, Default)]
pub struct TreeBlames {
    /// `None` if nothing is kept of these.
    cache: Option<TreeCache>,
    kept: Option<KeptTree>,
    encoder: Option<TreeEncoder>,
    /// How many files could not be blamed.
    failed: usize,
}

/// Where the blames of one directory with one set of options are kept.
#[derive(Debug)]
struct TreeCache {
    requests: RequestCache,
    files: TreeFiles,
    /// The directory's path.
    path: BString,
    commit: ObjectId,
    began: Instant,
}

impl TreeBlames {
    /// Reads what is kept for `request`, the path of which is the directory's. Commit texts are
    /// read into `texts`. Without `files`, nothing is read or kept.
    pub fn open(
        files: Option<&BlameFiles>,
        repository: &Repository,
        request: &Request,
        texts: Arc<CachedTexts>,
    ) -> TreeBlames {
        let began = Instant::now();
        let find = |files| TreeCache::new(files, repository, request, texts, began);
        let cache = files.and_then(find);
        let kept = cache.as_ref().and_then(|cache| cache.read(request));
        if let Some(cache) = &cache {
            let found = match &kept {
                Some(kept) if kept.commit == cache.commit => "hit: all blames of the directory",
                Some(_) => "miss, but those of the directory in another commit",
                None => "miss: no blames of the directory with these options",
            };
            run_log::note("cache", format_args!("{found}"));
        }
        TreeBlames {
            kept,
            cache,
            ..TreeBlames::default()
        }
    }

    /// As [`open`](Self::open), but for the nearest directory at or above that of `request` whose
    /// blames are kept of the commit, if there is one: it becomes the path of `request`.
    pub fn open_at_or_above(
        files: Option<&BlameFiles>,
        repository: &Repository,
        request: &mut Request,
        texts: Arc<CachedTexts>,
    ) -> TreeBlames {
        let path = request.path.clone();
        let find = |files| {
            let texts = Arc::clone(&texts);
            TreeCache::new(files, repository, request, texts, Instant::now())
        };
        let kept = files.and_then(find).map(|cache| cache.at_or_above(&path));
        for directory in kept.unwrap_or_default() {
            request.path = directory;
            let blames = TreeBlames::open(files, repository, request, Arc::clone(&texts));
            if blames.is_known() {
                return blames;
            }
        }
        request.path = path;
        TreeBlames::open(files, repository, request, texts)
    }

    /// Takes what `older` would keep of the files that its plan has in common with this one, which
    /// is of the same commit, so that these need not be blamed again. False if that is not at hand,
    /// but wanted.
    pub fn take_over(&mut self, older: TreeBlames, older_plan: &TreePlan, plan: &TreePlan) -> bool {
        match (&self.encoder, older.encoder) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(_), Some(encoder)) => {
                self.encoder = Some(encoder.with_files_of(older_plan, plan));
                self.failed = older.failed;
                true
            }
        }
    }

    /// All that is kept of the directory of `request` with its options, in any commit. `None` if
    /// such directories are not kept.
    pub fn all_kept(
        files: &BlameFiles,
        repository: &Repository,
        request: &Request,
        texts: Arc<CachedTexts>,
    ) -> Option<Vec<KeptTree>> {
        let cache = TreeCache::new(files, repository, request, texts, Instant::now())?;
        let commits = cache.files.commits(&request.path).into_iter();
        let commits = commits.filter(|_| cache.requests.is_trusted);
        let read = |commit| cache.read_file(commit, request, true);
        Some(commits.filter_map(read).collect())
    }

    /// What is kept of the directory, in this commit or another one.
    pub fn kept(&self) -> Option<&KeptTree> {
        self.kept.as_ref()
    }

    /// True if the very directory in the very commit is kept.
    pub fn is_known(&self) -> bool {
        let kept = self.kept.as_ref().zip(self.cache.as_ref());
        kept.is_some_and(|(kept, cache)| kept.commit == cache.commit)
    }

    /// True if nothing is left to be blamed in the commit.
    pub fn knows_all_lines(&self) -> bool {
        let files = self.kept.iter().flat_map(|kept| &kept.files);
        let mut blamed = files.filter(|file| !file.is_submodule);
        self.is_known() && blamed.all(|file| file.known.is_some())
    }

    /// The last commits of the directory's entries, if they are kept.
    pub fn last_commits(&self) -> Option<&[(BString, ObjectId)]> {
        let kept = self.kept.as_ref().filter(|_| self.is_known())?;
        kept.last_commits.as_deref()
    }

    /// True if blames are gathered that will be kept.
    pub(crate) fn are_gathered(&self) -> bool {
        self.encoder.is_some() && self.cache.is_some()
    }

    /// Plans as [`Engine::plan_tree`] does. It is called before the files are blamed.
    ///
    /// # Errors
    ///
    /// As those of [`Engine::plan_tree`].
    pub fn plan(
        &mut self,
        engine: &mut Engine,
        request: &Request,
        sink: &mut dyn PlanSink,
    ) -> Result<Option<TreePlan>, Error> {
        let plan = engine.plan_tree_from(request, self.kept.as_ref(), sink)?;
        if let Some(plan) = &plan
            && self.cache.is_some()
            && !self.is_known()
            && plan.is_lasting()
        {
            self.encoder = Some(TreeEncoder::new(plan.files().len()));
        }
        if !self.is_known() {
            // What it is good for is in the plan.
            self.kept = None;
        }
        Ok(plan)
    }

    /// Blames files of the plan as [`blame_in_order`](engine::blame_in_order) does. Any number of
    /// calls can follow each other.
    pub fn blame_in_order(
        &mut self,
        store: &Arc<Store>,
        plan: &TreePlan,
        order: &[usize],
        threads: usize,
        take: &mut dyn FnMut(usize, Result<PlannedBlame, Error>) -> ControlFlow<()>,
    ) {
        let (encoder, failed) = (&mut self.encoder, &mut self.failed);
        let requests = self.cache.as_ref().map(|cache| &cache.requests);
        let open = || requests.map(RequestCache::of_many_files);
        engine::blame_in_order(store, plan, order, threads, &open, &mut |file, blame| {
            let converts = |blame: &PlannedBlame| {
                let path = &plan.files()[file].path;
                requests.is_some_and(|requests| requests.converts_file(path, &blame.paths))
            };
            match &blame {
                Ok(blame) if !blame.is_lasting || converts(blame) => {}
                Ok(blame) => {
                    if let (Some(encoder), Some(file)) =
                        (encoder.as_mut(), plan.number_in_commit(file))
                    {
                        encoder.add(file, blame);
                    }
                }
                Err(_) => *failed += 1,
            }
            take(file, blame)
        });
    }

    /// Keeps the blames, if that of all files was tried and took long enough. The few that failed are
    /// tried again by later runs. `last_commits` are those of the directory's entries. A home that
    /// cannot be written to is no error. A second call does nothing.
    pub fn keep(
        &mut self,
        repository: &Repository,
        plan: &TreePlan,
        last_commits: Option<&[(BString, ObjectId)]>,
    ) {
        let Some(cache) = self.cache.take() else {
            return;
        };
        let kept = self.kept.as_ref();
        let adds = kept.filter(|kept| kept.commit == cache.commit && kept.last_commits.is_none());
        let adds = adds.is_some() && last_commits.is_some();
        let is_new = self.encoder.is_some() || adds;
        let files = plan.committed();
        // Which files a directory has that cannot be read is not known.
        let is_listed = !files.iter().any(|file| file.entry.is_tree());
        // Through a wrong index, they may be others.
        if !is_new
            || !is_listed
            || self.failed > MAX_FAILED.max(files.len() / FAILED_PART)
            || !cache.requests.is_kept(cache.began.elapsed())
            || cache.requests.texts.have_wrong_hash()
            || repository.store().is_careful()
            || repository.store().damage().is_some()
        {
            return;
        }
        let bytes = match (&mut self.encoder, last_commits) {
            (Some(encoder), _) => Some(cache.encoded(encoder, plan, last_commits)),
            (None, Some(last_commits)) => cache.with_last_commits(last_commits),
            (None, None) => None,
        };
        if let Some(bytes) = bytes {
            cache.write(&bytes);
        }
    }
}

impl TreeCache {
    fn new(
        files: &BlameFiles,
        repository: &Repository,
        request: &Request,
        texts: Arc<CachedTexts>,
        began: Instant,
    ) -> Option<TreeCache> {
        let Start::Commit(commit) = request.start else {
            return None;
        };
        if request.ranges.is_some() || repository.store().is_careful() {
            return None;
        }
        let requests = files.of_request(repository, request, texts)?;
        Some(TreeCache {
            files: requests.tree_files(),
            path: request.path.clone(),
            requests,
            commit,
            began,
        })
    }

    /// The directories at and above a path of which there is something of the commit, the nearest
    /// first.
    fn at_or_above(&self, path: &BString) -> Vec<BString> {
        let mut directories: Vec<&[u8]> = directories_above(path).collect();
        if !path.is_empty() {
            directories.push(path);
        }
        directories.retain(|directory| self.files.path(directory, &self.commit).exists());
        let nearest_first = directories.into_iter().rev();
        nearest_first.map(BString::from).collect()
    }

    /// What is kept of the commit, or else what was used last of another one.
    fn read(&self, request: &Request) -> Option<KeptTree> {
        if !self.requests.is_trusted {
            return None;
        }
        let others = self.files.commits(&self.path).into_iter();
        let others = others.filter(|commit| *commit != self.commit);
        let mut commits = std::iter::once(self.commit).chain(others);
        commits.find_map(|commit| self.read_file(commit, request, commit != self.commit))
    }

    /// Reads a file, with the versions that were compared only `for_others`: other commits.
    fn read_file(&self, commit: ObjectId, request: &Request, for_others: bool) -> Option<KeptTree> {
        let mut file = self.files.open(&self.path, &commit)?;
        let index = file.index(&commit, &self.path)?;
        let attributes = request.text_attributes.as_deref();
        if !index.holds(attributes) {
            return None;
        }
        let texts = file.texts(&index)?;
        let mut tree = file.tree(index, for_others)?;
        for PlannedFile { path, known, .. } in &mut tree.files {
            known.take_if(|known| self.requests.converts_file(path, &known.paths));
        }
        self.requests.texts.insert_all(texts.0, texts.1);
        Some(tree)
    }

    fn encoded(
        &self,
        encoder: &mut TreeEncoder,
        plan: &TreePlan,
        last_commits: Option<&[(BString, ObjectId)]>,
    ) -> Vec<u8> {
        let requests = &self.requests;
        let keeps_texts = requests.files.settings.texts;
        let text = |id: &ObjectId| requests.texts.get(id).filter(|_| keeps_texts);
        let fingerprint = &requests.fingerprint;
        encoder.finish(plan, &self.commit, last_commits, fingerprint, text)
    }

    fn with_last_commits(&self, last_commits: &[(BString, ObjectId)]) -> Option<Vec<u8>> {
        let mut file = self.files.open(&self.path, &self.commit)?;
        file.with_last_commits(last_commits, &self.requests.fingerprint)
    }

    fn write(&self, bytes: &[u8]) {
        let len = bytes.len() as u64;
        if len > tree_record::MAX_LEN {
            return;
        }
        let BlameFiles {
            directory,
            settings,
        } = &self.requests.files;
        // A home that cannot be written to is no reason to complain about.
        let _ = eviction::write_within(settings.max_bytes, directory, len, || {
            let of_path = self.files.directory(&self.path);
            for directory in [&self.files.trees, &of_path] {
                create_own_directory(directory)?;
            }
            write_file(&self.files.path(&self.path, &self.commit), bytes)?;
            eviction::remove_oldest(&of_path, MAX_OF_DIRECTORY);
            Ok(())
        });
    }
}
