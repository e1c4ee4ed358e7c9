//! Answers [`DirectoryLinesQuery`] with a git repository.

use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use bstr::{BStr, ByteSlice};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    cache::{BlameFiles, TreeBlames},
    engine::{
        Error, PlanProgress, PlanSink, PlannedBlame, Request, Start, TreePlan, WorkTreeContents,
    },
    objects::ObjectId,
    output::{commit_provider::CommitProvider, repository_commits::RepositoryCommits},
    repository::{
        commits::cached_texts::CachedTexts,
        content::{generated_files::GeneratedFiles, work_tree_files::WorkTreeFiles},
    },
    system,
    viewer::{
        model::{
            background::{
                directory_lines::{
                    CountProgress, CountScope, DatedFile, DirectoryFilesQuery, DirectoryLinesQuery,
                    DirectoryPeopleQuery, FileCount, FoundFiles, FoundLines, FoundPeople,
                },
                query::{AnswerTaker, Answers, Found, Stop},
            },
            source::{CommitMetadata, Failure, FileVersion, VersionReader},
        },
        repository::{
            counted_tree::{Counted, CountedTree, DirectoryCount, files_below},
            walks::GitWalks,
        },
    },
};

/// How far the counting threads let others go first: those that answer keys, and a blame's.
const NICENESS: i32 = 10;
/// The least time between two parts of an answer.
const PART_INTERVAL: Duration = Duration::from_millis(33);
/// The time between two parts is at least so many times what the last one took.
const PART_SHARE: u32 = 10;

/// Counts the lines of directories, and keeps what is counted of the last commit.
pub(super) struct GitDirectoryLines {
    walks: GitWalks,
    /// Makes a reader of commits, which is needed while files are counted.
    commits: Box<dyn Fn() -> RepositoryCommits + Send>,
    tree: Option<CountedTree>,
    /// The blames of earlier runs.
    cache: Option<BlameFiles>,
    /// What is kept of the blames of `tree`, and where they will be.
    blames: TreeBlames,
    /// The commits of `tree` that were read, for the cache.
    texts: Arc<CachedTexts>,
    /// When lines that are not committed were written, in seconds since the epoch.
    now: i64,
}

impl GitDirectoryLines {
    pub(super) fn new(
        walks: GitWalks,
        commits: Box<dyn Fn() -> RepositoryCommits + Send>,
        cache: Option<BlameFiles>,
        now: i64,
    ) -> GitDirectoryLines {
        GitDirectoryLines {
            now,
            walks,
            commits,
            tree: None,
            cache,
            blames: TreeBlames::default(),
            texts: Arc::default(),
        }
    }
}

impl Answers<DirectoryLinesQuery> for GitDirectoryLines {
    fn run(
        &mut self,
        query: &DirectoryLinesQuery,
        AnswerTaker { found, stop }: AnswerTaker<'_, DirectoryLinesQuery>,
    ) -> Result<FileCount, Failure> {
        let first: Vec<&BStr> = query.first.iter().map(|name| name.as_bstr()).collect();
        self.count_below(&query.scope, &first, false, &mut LinesSink(found), stop)
    }
}

impl Answers<DirectoryPeopleQuery> for GitDirectoryLines {
    fn run(
        &mut self,
        query: &DirectoryPeopleQuery,
        AnswerTaker { found, stop }: AnswerTaker<'_, DirectoryPeopleQuery>,
    ) -> Result<FileCount, Failure> {
        self.count_below(&query.0, &[], false, &mut PeopleSink(found), stop)
    }
}

impl Answers<DirectoryFilesQuery> for GitDirectoryLines {
    fn run(
        &mut self,
        query: &DirectoryFilesQuery,
        AnswerTaker { found, stop }: AnswerTaker<'_, DirectoryFilesQuery>,
    ) -> Result<FileCount, Failure> {
        self.count_below(&query.0, &[], true, &mut FilesSink(found), stop)
    }
}

/// Takes what is known while the lines of a directory are counted; breaks when nobody wants to know.
trait CountSink {
    /// Takes the files below the directory, if they are wanted.
    fn files(&mut self, _files: Vec<DatedFile>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// How far the history is read.
    fn history(&mut self, progress: CountProgress) -> ControlFlow<()>;

    /// What is counted.
    fn counted(&mut self, count: &mut DirectoryCount<'_>) -> ControlFlow<()>;
}

/// Passes on the lines of entries.
struct LinesSink<'a>(Found<'a, DirectoryLinesQuery>);

impl CountSink for LinesSink<'_> {
    fn history(&mut self, progress: CountProgress) -> ControlFlow<()> {
        (self.0)(FoundLines {
            progress,
            ..FoundLines::default()
        })
    }

    fn counted(&mut self, count: &mut DirectoryCount<'_>) -> ControlFlow<()> {
        (self.0)(FoundLines {
            entries: count.take_changed(),
            years: count.years(),
            ages: count.ages(),
            progress: CountProgress::Files(count.files),
        })
    }
}

/// Passes on all files, and then their lines.
struct FilesSink<'a>(Found<'a, DirectoryFilesQuery>);

impl CountSink for FilesSink<'_> {
    fn files(&mut self, files: Vec<DatedFile>) -> ControlFlow<()> {
        (self.0)(FoundFiles::Files(files))
    }

    fn history(&mut self, progress: CountProgress) -> ControlFlow<()> {
        (self.0)(FoundFiles::Lines(FoundLines {
            progress,
            ..FoundLines::default()
        }))
    }

    fn counted(&mut self, count: &mut DirectoryCount<'_>) -> ControlFlow<()> {
        (self.0)(FoundFiles::Lines(FoundLines {
            entries: count.take_changed(),
            progress: CountProgress::Files(count.files),
            ..FoundLines::default()
        }))
    }
}

/// Passes on the people of all entries together.
struct PeopleSink<'a>(Found<'a, DirectoryPeopleQuery>);

impl CountSink for PeopleSink<'_> {
    fn history(&mut self, progress: CountProgress) -> ControlFlow<()> {
        (self.0)(FoundPeople {
            progress,
            ..FoundPeople::default()
        })
    }

    fn counted(&mut self, count: &mut DirectoryCount<'_>) -> ControlFlow<()> {
        (self.0)(FoundPeople {
            people: count.people(),
            years: count.lines_by_year(),
            ages: count.ages(),
            progress: CountProgress::Files(count.files),
        })
    }
}

impl GitDirectoryLines {
    /// Counts lines below a directory, which is of a reading of the work tree or of a commit: those of
    /// the entries with the names of `first` first, or those of each file.
    fn count_below(
        &mut self,
        scope: &CountScope,
        first: &[&BStr],
        is_flat: bool,
        sink: &mut dyn CountSink,
        stop: Stop<'_>,
    ) -> Result<FileCount, Failure> {
        if self.walks.repository.is_partial_clone() {
            // All versions of all files would be fetched.
            let words = if is_flat {
                "a partial clone lacks the versions that tell when each file was changed last"
            } else {
                "lines are not counted in a partial clone"
            };
            return Err(Failure::new(words));
        }
        // The threads that this one starts have the same priority.
        system::lower_priority(NICENESS);
        if scope.filter.unformatted {
            let words = "-formatted is for the lines of a file, not for directories";
            return Err(Failure::new(words));
        }
        let repository = &self.walks.repository;
        let has_work_tree = repository.paths().work_tree.is_some();
        let is_committed = matches!(scope.version, FileVersion::Commit { .. }) || !has_work_tree;
        let reading = Some(scope.reading).filter(|_| !is_committed);
        // As in `--tree`, the index counts for what has no attributes in the work tree.
        let mut generated = GeneratedFiles::new(repository, !is_committed);
        let (commit, path) = self.walks.committed(&scope.version)?;
        let version = FileVersion::Commit {
            commit,
            path: Arc::clone(&path),
        };
        let request = (self.walks.request)(&version)?;
        let first = first.iter().copied().collect();
        let counted = Counted {
            filter: &scope.filter,
            with_generated: scope.with_generated,
            is_flat,
        };
        for is_last in [false, true] {
            let found = match self.plan(commit, &request, is_committed, sink, stop) {
                Ok(true) => {
                    self.choose_files(commit, reading)?;
                    let path = path.as_bstr();
                    self.count(path, &first, &counted, &mut generated, sink, stop)
                }
                Ok(false) => break,
                Err(error) => Err(error),
            };
            match found {
                // What was found through damaged files may be wrong.
                Err(error) if error.is_sign_of_damage() && !is_last => self.tree = None,
                Ok(files) => {
                    self.keep(stop);
                    return Ok(files);
                }
                Err(error) => return Err(Failure::new(error)),
            }
        }
        Ok(FileCount::default())
    }

    /// Plans the directory of a request, unless one that has it is planned. Unless it `is_committed`,
    /// the work tree may have it alone. False if that was stopped.
    fn plan(
        &mut self,
        commit: ObjectId,
        request: &Request,
        is_committed: bool,
        sink: &mut dyn CountSink,
        stop: Stop<'_>,
    ) -> Result<bool, Error> {
        let tree = self.tree.as_ref();
        if tree.is_some_and(|tree| tree.has(commit, request.path.as_bstr())) {
            return Ok(true);
        }
        let texts = if tree.is_some_and(|tree| tree.is_of(commit)) {
            Arc::clone(&self.texts)
        } else {
            Arc::default()
        };
        let mut request = request.clone();
        let mut blames = TreeBlames::open_at_or_above(
            self.cache.as_ref(),
            &self.walks.repository,
            &mut request,
            Arc::clone(&texts),
        );
        let mut sink = HistorySink {
            sink,
            stop,
            sent: Instant::now(),
            oldest: None,
        };
        let repository = &self.walks.repository;
        let is_committed =
            is_committed || repository.directory_tree(&commit, &request.path)?.is_some();
        let plan = if is_committed {
            let (engine, _) = self.walks.parts();
            let plan = blames.plan(engine, &request, &mut sink);
            engine.release_versions();
            plan?
        } else {
            Some(TreePlan::without_files(request))
        };
        let oldest = sink.oldest;
        let Some(plan) = plan else {
            return Ok(false);
        };
        let older_blames = std::mem::take(&mut self.blames);
        // Files whose blames are not at hand are counted again, so that those can be kept.
        let older = self.tree.take().filter(|older| {
            older.is_of(commit) && blames.take_over(older_blames, &older.plan, &plan)
        });
        self.tree = Some(CountedTree::new(commit, plan, oldest, older));
        (self.blames, self.texts) = (blames, texts);
        Ok(true)
    }

    /// Lets the files of the plan be those of a reading of the work tree, or of the commit.
    fn choose_files(&mut self, commit: ObjectId, reading: Option<u64>) -> Result<(), Failure> {
        let tree = self.tree.as_mut();
        let Some(tree) = tree.filter(|tree| !tree.is_of_reading(reading)) else {
            return Ok(());
        };
        let Some(reading) = reading else {
            tree.set_files(None);
            return Ok(());
        };
        let request = tree.plan.request();
        let converts = request.text_conversion.is_some();
        let work_tree = WorkTreeFiles::new(&self.walks.repository, commit, converts, self.now);
        let work_tree = work_tree.map_err(Failure::new)?;
        work_tree.silence();
        let files = work_tree.list(request.path.as_bstr(), tree.plan.committed());
        let contents = Arc::new(work_tree) as Arc<dyn WorkTreeContents>;
        let files = files.map_err(Failure::new)?;
        tree.set_files(Some((reading, files, contents)));
        Ok(())
    }

    /// Keeps the blames for later runs, once all files of the plan are counted. Files of the commit
    /// that the work tree has otherwise are blamed for that.
    fn keep(&mut self, stop: Stop<'_>) {
        let tree = self.tree.as_mut();
        let Some(tree) = tree.filter(|tree| tree.is_complete()) else {
            return;
        };
        if self.blames.are_gathered() {
            let files = tree.plan.committed();
            let mut unblamed = tree.plan.unblamed();
            unblamed.retain(|&at| !files[at].is_submodule);
            let (store, threads) = (self.walks.repository.store(), self.walks.threads);
            let mut take = |_, _| {
                if stop() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            tree.plan.with_committed(|plan| {
                let blames = &mut self.blames;
                blames.blame_in_order(store, plan, &unblamed, threads, &mut take);
            });
            if stop() {
                return;
            }
        }
        self.blames.keep(&self.walks.repository, &tree.plan, None);
    }

    /// Counts the files of a directory that are not counted yet, those of the entries with these
    /// names first, and passes on what is known of the lines that count.
    fn count(
        &mut self,
        path: &BStr,
        first: &FxHashSet<&BStr>,
        counted: &Counted<'_>,
        generated: &mut GeneratedFiles,
        sink: &mut dyn CountSink,
        stop: Stop<'_>,
    ) -> Result<FileCount, Error> {
        let Some(tree) = &mut self.tree else {
            return Ok(FileCount::default());
        };
        let revision = tree.revision();
        let CountedTree { plan, counts, .. } = tree;
        let plan = &*plan;
        if counted.is_flat {
            let (_, reader) = self.walks.parts();
            let files = dated_files(plan, path, reader, stop);
            if sink.files(files).is_break() {
                return Ok(FileCount::default());
            }
        }
        let mut commits = (self.commits)();
        if self.cache.is_some() {
            commits.add_texts_to(Arc::clone(&self.texts));
        }
        let (mut count, order) =
            DirectoryCount::new(plan, counts, path, first, counted, &mut commits);
        // That of a commit that cannot be read is not known.
        let text = revision.and_then(|commit| commits.text(&commit).ok());
        count.until = text.map(|text| text.committer.seconds());
        let mut sender = CountSender {
            sink,
            due: Instant::now(),
        };
        let mut damage = None;
        if sender.send_when_due(&mut count).is_continue() {
            let mut take = |at: usize, blame: Result<PlannedBlame, Error>| {
                if stop() {
                    return ControlFlow::Break(());
                }
                match blame {
                    Err(error) if error.is_sign_of_damage() => {
                        damage = Some(error);
                        return ControlFlow::Break(());
                    }
                    blame => {
                        // Attributes that cannot be read say nothing.
                        let is_binary = blame.as_ref().is_ok_and(|blame| blame.is_binary);
                        let path = plan.files()[at].path.as_bstr();
                        let is_generated = generated.has(path, is_binary);
                        count.add(at, blame, is_generated.unwrap_or(false), &mut commits);
                    }
                }
                sender.send_when_due(&mut count)
            };
            let (store, threads) = (self.walks.repository.store(), self.walks.threads);
            self.blames
                .blame_in_order(store, plan, &order, threads, &mut take);
        }
        match damage {
            Some(damage) => Err(damage),
            None => {
                // A break means that nobody reads the answer.
                let _ = sender.send(&mut count);
                Ok(count.files)
            }
        }
    }
}

/// The files of a plan below a directory, those that were changed last long ago first; not all of
/// them once `stop` is true.
fn dated_files(
    plan: &TreePlan,
    directory: &BStr,
    commits: &mut dyn VersionReader,
    stop: Stop<'_>,
) -> Vec<DatedFile> {
    let mut known: FxHashMap<ObjectId, Result<Arc<CommitMetadata>, Failure>> = FxHashMap::default();
    let mut files = Vec::new();
    let (range, above) = files_below(plan, directory);
    let head = match plan.request().start {
        Start::Commit(commit) => Some(commit),
        Start::Uncommitted(_) => None,
    };
    for file in plan.files()[range].iter().filter(|file| !file.is_submodule) {
        if stop() {
            break;
        }
        let change = file.last_commit.map(|id| {
            let read = || commits.commit(&id).map(Arc::new);
            (id, known.entry(id).or_insert_with(read).clone())
        });
        let last = file.last_commit;
        files.push(DatedFile {
            name: file.path[above..].into(),
            change,
            is_boundary: last.is_some_and(|it| plan.request().is_cut_off(&it)),
            is_uncommitted: file.is_uncommitted(),
            left_out: head.filter(|_| file.is_left_out),
        });
    }
    files.sort_by_cached_key(DatedFile::time);
    files
}

/// Passes on what is counted.
struct CountSender<'a> {
    sink: &'a mut dyn CountSink,
    /// When the next part is sent.
    due: Instant,
}

impl CountSender<'_> {
    fn send_when_due(&mut self, count: &mut DirectoryCount<'_>) -> ControlFlow<()> {
        if Instant::now() < self.due {
            return ControlFlow::Continue(());
        }
        self.send(count)
    }

    fn send(&mut self, count: &mut DirectoryCount<'_>) -> ControlFlow<()> {
        let began = Instant::now();
        let flow = self.sink.counted(count);
        let now = Instant::now();
        self.due = now + PART_INTERVAL.max((now - began) * PART_SHARE);
        flow
    }
}

/// Passes on how far the history is read.
struct HistorySink<'a> {
    sink: &'a mut dyn CountSink,
    stop: Stop<'a>,
    sent: Instant,
    /// The oldest date that was reached, in seconds since the epoch.
    oldest: Option<i64>,
}

impl PlanSink for HistorySink<'_> {
    fn progress(&mut self, progress: PlanProgress) -> ControlFlow<()> {
        if progress.visited > 0 {
            let oldest = self.oldest.unwrap_or(i64::MAX);
            self.oldest = Some(oldest.min(progress.frontier));
        }
        if (self.stop)() {
            return ControlFlow::Break(());
        }
        if self.sent.elapsed() < PART_INTERVAL {
            return ControlFlow::Continue(());
        }
        self.sent = Instant::now();
        let (visited, commits) = (progress.visited, progress.commits);
        self.sink.history(CountProgress::History(visited, commits))
    }
}
