//! Implements the viewer's [`BlameSource`] with a git repository.

use std::{
    ops::{ControlFlow, Range},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use bstr::{BString, ByteSlice};

use crate::{
    cache::{BlameFiles, HistoryFile, RequestCache},
    diff,
    engine::{
        self, BlameCache, CachedBlame, Engine, Entry, MoveDetection, Origin, Request, Sink, Start,
    },
    objects::ObjectId,
    output::repository_commits::RepositoryCommits,
    repository::{
        FetchObserver, Repository,
        agents::finder::AgentFinder,
        commits::{
            cached_texts::CachedTexts,
            commit_texts::{CommitTexts, PseudoCommit},
        },
        content::editor_config,
        provenance::finder::ProvenanceFinder,
        request::ignored_revisions::RootIgnoreFile,
    },
    system::{cpu_time, run_log},
    viewer::{
        model::{
            background::queries::QueryReaders,
            source::{BlameSource, BlameStats, Failure, FileVersion, IdleWork, VersionReader},
            texts::encodings::EncodingConverter,
            toggled_options::ToggledOptions,
        },
        repository::{
            directory_lines::GitDirectoryLines,
            git_history::GitHistory,
            idle_history::IdleHistory,
            named_places::{PlaceInput, PlaceLister, UnreadPlaces},
            provenance::{GitProvenance, KnownCommits},
            versions::{FileReader, GitContentReader},
            walks::GitWalks,
        },
        tasks::{line_changes::LineComparer, old_lines::OldSideBlamer, origins::OriginFinder},
    },
};

pub use crate::viewer::repository::versions::WorkTreeRequests;

/// Fewer commits than this are read again quickly.
const MIN_SHARED_COMMITS: usize = 1000;

/// A repository and the blame request of the command line.
#[derive(Debug)]
pub struct GitSource {
    repository: Arc<Repository>,
    engine: Engine,
    threads: usize,
    files: FileReader,
    pseudo: PseudoCommit,
    file: Option<RootIgnoreFile>,
    cache: Option<ViewerCache>,
    /// The commits that were read, for the cache.
    texts: Arc<CachedTexts>,
    /// The last blame, until it is kept.
    to_keep: Option<BlameToKeep>,
    /// The number of commits that blames have read from their objects.
    read: Arc<AtomicUsize>,
    /// The number of commits read when they were remembered.
    remembered: usize,
    /// The commits that were read, for other questions about them.
    known_commits: KnownCommits,
    /// The number of commits read when they were shared.
    shared: usize,
    /// The input of `--places`.
    unread_places: UnreadPlaces,
}

/// The files that are kept between runs.
#[derive(Debug, Clone)]
pub struct ViewerCache {
    /// Finished blames.
    pub blames: BlameFiles,
    /// The commits that blames read, unless the repository has a commit-graph.
    pub history: Option<HistoryFile>,
}

/// A blame to keep, and how long it took.
#[derive(Debug)]
struct BlameToKeep {
    cache: RequestCache,
    blame: CachedBlame,
    elapsed: Duration,
}

impl GitSource {
    /// Creates a source for `request`. `work_tree` makes requests for other files of the work tree,
    /// `pseudo` describes the commit of uncommitted changes, `file` is the work tree's
    /// `.git-blame-ignore-revs`, `cache` has the blames of earlier runs, and `threads` is the
    /// number of blame threads.
    pub fn new(
        repository: &Arc<Repository>,
        request: Request,
        work_tree: WorkTreeRequests,
        pseudo: PseudoCommit,
        file: Option<RootIgnoreFile>,
        cache: Option<ViewerCache>,
        threads: usize,
    ) -> Self {
        let mut engine = Engine::new(Arc::clone(repository.store()), threads);
        engine.measure_times(cpu_time::of_thread);
        GitSource {
            repository: Arc::clone(repository),
            engine,
            threads,
            files: FileReader {
                reader: repository.reader(),
                request,
                work_tree,
                last_request: None,
                reloads: Arc::default(),
            },
            pseudo,
            file,
            cache,
            texts: Arc::default(),
            to_keep: None,
            read: Arc::default(),
            remembered: 0,
            known_commits: KnownCommits::default(),
            shared: 0,
            unread_places: UnreadPlaces::default(),
        }
    }

    /// Sets the input of `--places`.
    pub fn set_places(&mut self, input: PlaceInput) {
        self.unread_places.set(input);
    }

    /// The commit of the command line's version, if it is committed.
    fn start_commit(&self) -> Option<ObjectId> {
        match self.files.request.start {
            Start::Commit(commit) => Some(commit),
            Start::Uncommitted(_) => None,
        }
    }

    /// A reader of the same files for another thread.
    fn file_reader(&self) -> FileReader {
        FileReader {
            reader: self.repository.reader(),
            request: self.files.request.clone(),
            work_tree: self.files.work_tree.clone(),
            last_request: None,
            reloads: Arc::clone(&self.files.reloads),
        }
    }

    /// Walks through the history of the same files, for another thread.
    pub fn walks(&self) -> GitWalks {
        let mut files = self.file_reader();
        let request = move |version: &FileVersion| files.request(version);
        let repository = Arc::clone(&self.repository);
        let commits = self.version_reader();
        GitWalks::new(repository, self.threads, Box::new(request), commits)
    }

    /// Counts the lines of directories, for another thread.
    fn directory_lines(&self) -> GitDirectoryLines {
        let (repository, pseudo) = (Arc::clone(&self.repository), self.pseudo.clone());
        let start = self.start_commit();
        let now = i64::try_from(pseudo.time).unwrap_or(i64::MAX);
        let commits = move || {
            let repository = &repository;
            let tip = start.or_else(|| repository.head_commit());
            let encoding = Some(b"UTF-8".as_bstr());
            RepositoryCommits::new(
                CommitTexts::new(Arc::clone(repository), encoding, pseudo.clone()),
                ProvenanceFinder::new(Arc::clone(repository), tip, 1),
                AgentFinder::new(Arc::clone(repository)),
            )
        };
        let cache = self.cache.as_ref().map(|cache| cache.blames.clone());
        GitDirectoryLines::new(self.walks(), Box::new(commits), cache, now)
    }

    /// The same source for blames that run at the same time.
    fn second_source(&self) -> GitSource {
        GitSource {
            repository: Arc::clone(&self.repository),
            // One thread: it runs while the user reads.
            engine: Engine::new(Arc::clone(self.repository.store()), 1),
            threads: 1,
            files: self.file_reader(),
            pseudo: self.pseudo.clone(),
            file: self.file.clone(),
            cache: self.cache.clone(),
            texts: Arc::clone(&self.texts),
            to_keep: None,
            read: Arc::clone(&self.read),
            remembered: 0,
            known_commits: KnownCommits::default(),
            shared: 0,
            unread_places: self.unread_places.clone(),
        }
    }

    /// Shares the commits that were read, if they have become many more.
    fn share_commits(&mut self) {
        let read = self.engine.count_commits_read();
        self.read.fetch_max(read, Ordering::Relaxed);
        if read > MIN_SHARED_COMMITS && read > self.shared + self.shared / 2 {
            self.shared = read;
            self.known_commits.set(Arc::new(self.engine.commits_read()));
        }
    }

    /// Remembers the commits that were read, if they have become many more.
    fn keep_history(&mut self) {
        let history = self.cache.as_ref().and_then(|cache| cache.history.as_ref());
        let Some(history) = history else {
            return;
        };
        let read = self.engine.count_commits_read();
        if read > self.remembered + self.remembered / 2 {
            self.remembered = read;
            // A directory that cannot be written to is no reason to complain about.
            let _ = history.keep(&self.repository, &self.engine);
        }
    }

    /// Applies the options to a request. Scores given on the command line are kept.
    fn with_options(&self, mut request: Request, options: &ToggledOptions) -> Request {
        request.diff.ignore_whitespace = options.whitespace;
        let copies = options.copies;
        let given = request.movement;
        request.movement = MoveDetection {
            moves: (options.moves || copies > 0)
                .then(|| given.moves.unwrap_or(MoveDetection::MOVES)),
            copies: (copies > 0).then(|| given.copies.unwrap_or(MoveDetection::COPIES)),
            copy_level: copies,
        };
        if let Some(file) = &self.file {
            let listed = if options.ignore_revs_file {
                &file.with
            } else {
                &file.without
            };
            request.ignored = Arc::clone(listed);
        }
        if !options.ignored.is_empty() {
            Arc::make_mut(&mut request.ignored).extend(&options.ignored);
        }
        request
    }
}

/// Counts the entries that are passed to another sink.
struct CountingSink<'a> {
    sink: &'a mut dyn Sink,
    entries: usize,
}

impl Sink for CountingSink<'_> {
    fn started(&mut self, contents: &Arc<[u8]>, line_count: u32) -> ControlFlow<()> {
        self.sink.started(contents, line_count)
    }

    fn entry(&mut self, entry: &Entry, origins: &[Origin], boundary: bool) -> ControlFlow<()> {
        self.entries += 1;
        self.sink.entry(entry, origins, boundary)
    }

    fn progress(&mut self, frontier: i64) -> ControlFlow<()> {
        self.sink.progress(frontier)
    }
}

impl BlameSource for GitSource {
    fn contents(&mut self, version: &FileVersion) -> Result<Arc<[u8]>, Failure> {
        self.files.contents(version)
    }

    fn blame(
        &mut self,
        version: &FileVersion,
        options: &ToggledOptions,
        sink: &mut dyn Sink,
    ) -> Result<BlameStats, Failure> {
        let request = self.files.request(version)?;
        let request = self.with_options(request, options);
        let began = Instant::now();
        let files = self.cache.as_ref().map(|cache| &cache.blames);
        let mut cache = files.and_then(|files| {
            files.of_request(&self.repository, &request, Arc::clone(&self.texts))
        });
        let blames = cache.as_mut().map(|cache| cache as &mut dyn BlameCache);
        let mut sink = CountingSink { sink, entries: 0 };
        let mut blame = self.engine.blame_with_cache(&request, blames, &mut sink);
        if blame.as_ref().is_err_and(engine::Error::is_sign_of_damage) && sink.entries == 0 {
            run_log::note(
                "blame",
                format_args!("a sign of damage: once more, with care"),
            );
            blame = self.engine.blame(&request, &mut sink);
        }
        self.engine.release_versions();
        let version = match &request.start {
            Start::Commit(commit) => commit.to_string(),
            Start::Uncommitted(_) => "the work tree".to_owned(),
        };
        let of = format!("{} in {version}", run_log::path(&request.path));
        let elapsed = began.elapsed();
        match &blame {
            Ok(blame) => {
                let (visited, cached) = (blame.stats.visited, blame.stats.cached_lines);
                run_log::note(
                    "blame",
                    format_args!(
                        "of {of} took {elapsed:.1?}: {visited} commits, {cached} lines from the cache"
                    ),
                );
            }
            Err(err) => {
                let cause = err.without_names();
                run_log::note(
                    "blame",
                    format_args!("of {of} failed after {elapsed:.1?}: {cause}"),
                );
            }
        }
        let blame = blame.map_err(Failure::new)?;
        self.share_commits();
        self.to_keep = cache.zip(blame.to_cache).map(|(cache, blame)| BlameToKeep {
            cache,
            blame,
            elapsed: began.elapsed(),
        });
        Ok(BlameStats {
            stats: blame.stats,
            profile: blame.profile,
        })
    }

    fn blame_lines(
        &mut self,
        version: &FileVersion,
        options: &ToggledOptions,
        lines: Range<u32>,
        sink: &mut dyn Sink,
    ) -> Result<(), Failure> {
        let request = self.files.request(version)?;
        let request = Request {
            ranges: Some(vec![lines]),
            ..self.with_options(request, options)
        };
        self.engine.blame(&request, sink).map_err(Failure::new)?;
        Ok(())
    }

    fn is_kept(&mut self, version: &FileVersion, options: &ToggledOptions) -> bool {
        let Ok(request) = self.files.request(version) else {
            return false;
        };
        let request = self.with_options(request, options);
        let files = self.cache.as_ref().map(|cache| &cache.blames);
        let cache = files.and_then(|files| {
            files.of_request(&self.repository, &request, Arc::clone(&self.texts))
        });
        let heads = request.start.heads();
        cache.is_some_and(|cache| cache.knows(request.path.as_bstr(), heads.first()))
    }

    fn keep_blame(&mut self) {
        if let Some(BlameToKeep {
            cache,
            blame,
            elapsed,
        }) = self.to_keep.take()
        {
            // Through a wrong index, it may be another blame.
            let store = self.repository.store();
            if cache.is_kept(elapsed) && !store.is_careful() && store.damage().is_none() {
                // A directory that cannot be written to is no reason to complain about.
                let _ = cache.keep(&blame, elapsed);
                if !self.texts.have_wrong_hash() {
                    self.keep_history();
                }
            }
        }
    }

    fn observe_fetches(&self, observer: FetchObserver) {
        self.repository.observe_fetches(observer);
    }

    fn set_fetching(&mut self, fetches: bool) {
        self.engine.set_fetching(fetches);
        self.files.reader.set_fetching(fetches);
    }

    fn encoding(&mut self, version: &FileVersion, contents: &[u8]) -> Option<BString> {
        let path = self.files.request(version).ok()?.path;
        self.repository.encoding_of(path.as_bstr(), contents)
    }

    fn tab_width(&mut self, version: &FileVersion) -> Option<u8> {
        let path = self.files.request(version).ok()?.path;
        let root = self.repository.paths().existing_work_tree()?;
        editor_config::tab_width(root, path.as_bstr())
    }

    fn query_readers(&self) -> QueryReaders {
        let start = self.start_commit();
        let provenance = GitProvenance::new(
            Arc::clone(&self.repository),
            start,
            self.known_commits.clone(),
            self.threads,
            self.version_reader(),
        );
        QueryReaders::new(
            GitHistory::new(&self.repository, start, self.pseudo.clone()),
            self.walks(),
            self.walks(),
            self.directory_lines(),
            self.walks(),
            OriginFinder::new(Box::new(self.second_source())),
            OldSideBlamer::new(Box::new(self.second_source())),
            provenance,
            LineComparer::new(self.version_reader()),
            PlaceLister {
                input: self.unread_places.clone(),
                commits: self.version_reader(),
            },
            EncodingConverter,
        )
    }

    fn idle_work(&self) -> Option<Box<dyn IdleWork>> {
        let history = self.cache.as_ref()?.history.clone()?;
        let work = IdleHistory::new(&self.repository, history, &self.read);
        Some(Box::new(work))
    }

    fn diff_options(&self) -> diff::DiffOptions {
        self.files.request.diff
    }

    fn version_reader(&self) -> Box<dyn VersionReader> {
        let repository = Arc::clone(&self.repository);
        // The viewer needs UTF-8, whatever i18n.logOutputEncoding is.
        let encoding = Some(b"UTF-8".as_bstr());
        let mut texts = CommitTexts::new(Arc::clone(&repository), encoding, self.pseudo.clone());
        if self.cache.is_some() {
            texts.add_to(Arc::clone(&self.texts));
        }
        Box::new(GitContentReader {
            repository,
            texts,
            files: self.file_reader(),
        })
    }
}
