//! Implements the viewer's [`Source`] with a git repository.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex},
};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    cpu_time,
    dates::calendar,
    diff,
    engine::{Engine, Movement, Request, Sink, Start},
    objects::{ObjectId, Reader},
    repository::{
        Repository,
        commits::{
            commit_reader::{CommitTexts, Pseudo},
            commit_text::Ident,
        },
        request::ignored_revisions::RootFile,
    },
    viewer::{
        model::{
            source::{Account, Archive, Changes, Commit, Failure, Place, Signature, Source, Texts},
            switches::Switches,
        },
        repository::{commit_files, metadata::RepositoryArchive},
    },
};

/// A repository and the blame request of the command line.
#[derive(Debug)]
pub struct RepositorySource {
    repository: Arc<Repository>,
    engine: Engine,
    files: FileReader,
    pseudo: Pseudo,
    file: Option<RootFile>,
}

impl RepositorySource {
    /// Creates a source for `request`. `work_tree` makes requests for other files of the work tree,
    /// `pseudo` describes the commit of uncommitted changes, `file` is the work tree's
    /// `.git-blame-ignore-revs`, and `threads` is the number of blame threads.
    pub fn new(
        repository: &Arc<Repository>,
        request: Request,
        work_tree: WorkTree,
        pseudo: Pseudo,
        file: Option<RootFile>,
        threads: usize,
    ) -> Self {
        let mut engine = Engine::new(Arc::clone(repository.store()), threads);
        engine.take_times(cpu_time::of_thread);
        RepositorySource {
            repository: Arc::clone(repository),
            engine,
            files: FileReader {
                reader: repository.reader(),
                request,
                work_tree,
                last_request: None,
                reloads: Arc::default(),
            },
            pseudo,
            file,
        }
    }

    /// Applies the switches to a request. Scores given on the command line are kept.
    fn switched(&self, mut request: Request, switches: &Switches) -> Request {
        request.diff.ignore_whitespace = switches.whitespace;
        let copies = switches.copies;
        let given = request.movement;
        request.movement = Movement {
            moves: (switches.moves || copies > 0).then(|| given.moves.unwrap_or(Movement::MOVES)),
            copies: (copies > 0).then(|| given.copies.unwrap_or(Movement::COPIES)),
            copy_level: copies,
        };
        if let Some(file) = &self.file {
            let listed = match switches.ignored_file {
                true => &file.with,
                false => &file.without,
            };
            request.ignored = Arc::clone(listed);
        }
        if !switches.ignored.is_empty() {
            Arc::make_mut(&mut request.ignored).extend(&switches.ignored);
        }
        request
    }
}

/// Reads file contents with the options of the command line's request.
#[derive(Debug)]
struct FileReader {
    reader: Reader,
    request: Request,
    work_tree: WorkTree,
    /// The last request for another file of the work tree.
    last_request: Option<(Arc<BString>, Request)>,
    /// Requests of reloads by number, shared by all readers.
    reloads: Arc<Mutex<BTreeMap<u64, Request>>>,
}

/// Most reloads that are kept.
const MAX_RELOADS: usize = 100;

/// Makes a request for a path.
type MakeRequest = dyn Fn(Option<&BStr>) -> Result<Request, Failure> + Send + Sync;

/// Makes blame requests for files of the work tree.
#[derive(Clone)]
pub struct WorkTree(Arc<MakeRequest>);

impl WorkTree {
    /// `ask` makes the request for a path relative to the work tree's root, or for `None` the
    /// command line's request anew.
    pub fn new(
        ask: impl Fn(Option<&BStr>) -> Result<Request, Failure> + Send + Sync + 'static,
    ) -> Self {
        WorkTree(Arc::new(ask))
    }
}

impl fmt::Debug for WorkTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WorkTree")
    }
}

impl FileReader {
    fn request(&mut self, place: &Place) -> Result<Request, Failure> {
        Ok(match place {
            Place::Start => self.request.clone(),
            Place::WorkTree { path } => match &self.last_request {
                Some((last_request, request)) if last_request == path => request.clone(),
                _ => {
                    let mut request = self.work_tree.0(Some(path.as_slice().as_bstr()))?;
                    // Revision limits apply to every file.
                    request.negatives.clone_from(&self.request.negatives);
                    self.last_request = Some((path.clone(), request.clone()));
                    request
                }
            },
            Place::Again {
                path,
                start,
                reading,
            } => {
                let known = self.reloads.lock().map_err(failure)?.get(reading).cloned();
                if let Some(request) = known {
                    return Ok(request);
                }
                let path = path.as_slice().as_bstr();
                let mut request = self.work_tree.0((!start).then_some(path))?;
                if !start {
                    request.negatives.clone_from(&self.request.negatives);
                }
                let mut reloads = self.reloads.lock().map_err(failure)?;
                reloads.insert(*reading, request.clone());
                if reloads.len() > MAX_RELOADS {
                    reloads.pop_first();
                }
                request
            }
            // Line ranges and --reverse apply to the start only.
            Place::Commit { commit, path } => Request {
                start: Start::Commit(*commit),
                path: path.as_ref().clone(),
                ranges: None,
                reverse: None,
                ..self.request.clone()
            },
        })
    }

    fn contents(&mut self, place: &Place) -> Result<Arc<[u8]>, Failure> {
        let request = self.request(place)?;
        match &request.start {
            Start::Uncommitted(uncommitted) => Ok(Arc::clone(&uncommitted.contents)),
            Start::Commit(commit) => self.committed(commit, &request.path),
        }
    }

    fn committed(&mut self, commit: &ObjectId, path: &[u8]) -> Result<Arc<[u8]>, Failure> {
        let tree = self.reader.commit_head(commit).map_err(failure)?.tree;
        let chain = self.reader.find_path(tree, path, None).map_err(failure)?;
        let Some(chain) = chain else {
            let path = path.as_bstr();
            return Err(Failure(format!("no such path '{path}' in {commit}")));
        };
        let entry = chain.entry;
        let blob = self.reader.object(&entry.id).map_err(failure)?.data;
        let converter = self.request.text_conversion.as_ref();
        let converted = match converter {
            Some(converter) => converter
                .convert(path, entry.mode, &entry.id, &blob)
                .map_err(failure)?,
            None => None,
        };
        Ok(converted.unwrap_or(blob))
    }
}

fn failure(error: impl fmt::Display) -> Failure {
    Failure(error.to_string())
}

impl Source for RepositorySource {
    fn contents(&mut self, place: &Place) -> Result<Arc<[u8]>, Failure> {
        self.files.contents(place)
    }

    fn blame(
        &mut self,
        place: &Place,
        switches: &Switches,
        sink: &mut dyn Sink,
    ) -> Result<Account, Failure> {
        let request = self.files.request(place)?;
        let request = self.switched(request, switches);
        let blame = self.engine.blame(&request, sink).map_err(failure)?;
        Ok(Account {
            stats: blame.stats,
            profile: blame.profile,
        })
    }

    fn encoding(&mut self, place: &Place, contents: &[u8]) -> Option<BString> {
        let path = self.files.request(place).ok()?.path;
        self.repository.encoding_of(path.as_bstr(), contents)
    }

    fn archive(&self) -> Box<dyn Archive> {
        let start = match self.files.request.start {
            Start::Commit(commit) => Some(commit),
            Start::Uncommitted(_) => None,
        };
        Box::new(RepositoryArchive::new(
            &self.repository,
            start,
            self.pseudo.clone(),
        ))
    }

    fn diff_options(&self) -> diff::Options {
        self.files.request.diff
    }

    fn texts(&self) -> Box<dyn Texts> {
        let repository = Arc::clone(&self.repository);
        // The viewer needs UTF-8, whatever i18n.logOutputEncoding is.
        let encoding = Some(b"UTF-8".as_bstr());
        Box::new(RepositoryTexts {
            texts: CommitTexts::new(repository, encoding, self.pseudo.clone()),
            files: FileReader {
                reader: self.repository.reader(),
                request: self.files.request.clone(),
                work_tree: self.files.work_tree.clone(),
                last_request: None,
                reloads: Arc::clone(&self.files.reloads),
            },
        })
    }
}

struct RepositoryTexts {
    texts: CommitTexts,
    files: FileReader,
}

impl Texts for RepositoryTexts {
    fn diff_options(&self) -> diff::Options {
        self.files.request.diff
    }

    fn commit(&mut self, id: &ObjectId) -> Result<Commit, Failure> {
        let text = self.texts.get(id);
        let text = text.map_err(|error| failure(error.message()))?;
        let head = (!id.is_null()).then(|| self.files.reader.commit_head(id));
        let head = head.transpose().map_err(failure)?;
        Ok(Commit {
            author: signature(&text.author),
            committer: signature(&text.committer),
            message: match id.is_null() {
                true => "These lines are not committed.".into(),
                false => text.message.clone(),
            },
            root: head.is_some_and(|head| head.parents.is_empty()),
        })
    }

    fn contents(&mut self, place: &Place) -> Result<Arc<[u8]>, Failure> {
        self.files.contents(place)
    }

    fn mode(&mut self, place: &Place) -> Result<Option<u32>, Failure> {
        let request = self.files.request(place)?;
        let Start::Commit(commit) = request.start else {
            return Ok(None);
        };
        let reader = &mut self.files.reader;
        let tree = reader.commit_head(&commit).map_err(failure)?.tree;
        let chain = reader.find_path(tree, &request.path, None);
        Ok(chain.map_err(failure)?.map(|chain| chain.entry.mode))
    }

    fn changes(
        &mut self,
        commit: &ObjectId,
        parent: Option<ObjectId>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Changes, Failure> {
        commit_files::list(&mut self.files.reader, commit, parent, stop).map_err(failure)
    }
}

fn signature(ident: &Ident) -> Signature {
    let mail = ident.mail.as_slice();
    let mail = mail.strip_prefix(b"<").unwrap_or(mail);
    let mail = mail.strip_suffix(b">").unwrap_or(mail);
    let zone = calendar::parse_zone(&ident.zone);
    Signature {
        name: ident.name.clone(),
        mail: mail.into(),
        time: i64::try_from(ident.time).unwrap_or(i64::MAX),
        offset: (zone / 100 * 60 + zone % 100).saturating_mul(60),
    }
}
