//! Reads versions of files, and the commits that they are from.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    diff,
    engine::{Request, Start},
    objects::{ObjectId, Reader},
    ranges::FunctionRule,
    repository::{
        Repository,
        commits::{
            commit_text::Ident,
            commit_texts::CommitTexts,
            people::{UNCOMMITTED_CHANGES, uncommitted_name},
        },
        open::grafts,
        request::line_ranges,
    },
    system::git_version::GitVersion,
    viewer::{
        model::source::{
            CommitChanges, CommitMetadata, Failure, FileVersion, Signature, VersionReader,
        },
        repository::commit_files,
    },
};

/// Reads file contents with the options of the command line's request.
#[derive(Debug)]
pub(super) struct FileReader {
    pub(super) reader: Reader,
    /// That of the command line.
    pub(super) request: Request,
    pub(super) work_tree: WorkTreeRequests,
    /// The last request for another file of the work tree.
    pub(super) last_request: Option<(Arc<BString>, Request)>,
    /// Requests of reloads by number, shared by all readers.
    pub(super) reloads: Arc<Mutex<BTreeMap<u64, Request>>>,
}

/// Most reloads that are kept.
const MAX_RELOADS: usize = 100;

/// Makes a request for a path.
type MakeRequest = dyn Fn(Option<&BStr>) -> Result<Request, Failure> + Send + Sync;

/// Makes blame requests for files of the work tree.
#[derive(Clone)]
pub struct WorkTreeRequests(Arc<MakeRequest>);

impl WorkTreeRequests {
    /// `ask` makes the request for a path relative to the work tree's root, or for `None` the
    /// command line's request anew.
    pub fn new(
        ask: impl Fn(Option<&BStr>) -> Result<Request, Failure> + Send + Sync + 'static,
    ) -> Self {
        WorkTreeRequests(Arc::new(ask))
    }
}

impl fmt::Debug for WorkTreeRequests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WorkTree")
    }
}

impl FileReader {
    pub(super) fn request(&mut self, version: &FileVersion) -> Result<Request, Failure> {
        Ok(match version {
            FileVersion::CommandLine => self.request.clone(),
            FileVersion::WorkTree { path } => match &self.last_request {
                Some((last_request, request)) if last_request == path => request.clone(),
                _ => {
                    let mut request = self.work_tree.0(Some(path.as_slice().as_bstr()))?;
                    // Revision limits apply to every file.
                    request.negatives.clone_from(&self.request.negatives);
                    self.last_request = Some((path.clone(), request.clone()));
                    request
                }
            },
            FileVersion::Reloaded {
                path,
                of_command_line,
                reading,
            } => {
                let reloads = || self.reloads.lock().unwrap_or_else(PoisonError::into_inner);
                let known = reloads().get(reading).cloned();
                if let Some(request) = known {
                    return Ok(request);
                }
                let path = path.as_slice().as_bstr();
                let mut request = self.work_tree.0((!of_command_line).then_some(path))?;
                if !of_command_line {
                    request.negatives.clone_from(&self.request.negatives);
                }
                let mut reloads = reloads();
                reloads.insert(*reading, request.clone());
                if reloads.len() > MAX_RELOADS {
                    reloads.pop_first();
                }
                request
            }
            // Line ranges and --reverse apply to the start only.
            FileVersion::Commit { commit, path } => Request {
                start: Start::Commit(*commit),
                path: path.as_ref().clone(),
                ranges: None,
                reverse: None,
                ..self.request.clone()
            },
        })
    }

    pub(super) fn contents(&mut self, version: &FileVersion) -> Result<Arc<[u8]>, Failure> {
        let request = self.request(version)?;
        match &request.start {
            Start::Uncommitted(uncommitted) => Ok(Arc::clone(&uncommitted.contents)),
            Start::Commit(commit) => self.committed(commit, &request.path),
        }
    }

    fn committed(&mut self, commit: &ObjectId, path: &[u8]) -> Result<Arc<[u8]>, Failure> {
        let tree = self.reader.commit_head(commit).map_err(Failure::new)?.tree;
        let chain = self
            .reader
            .find_path(tree, path, None)
            .map_err(Failure::new)?;
        let Some(chain) = chain else {
            let path = path.as_bstr();
            return Err(Failure::new(format!("no such path '{path}' in {commit}")));
        };
        let entry = chain.entry;
        let blob = self.reader.object(&entry.id).map_err(Failure::new)?.data;
        let converter = self.request.text_conversion.as_ref();
        let converted = match converter {
            Some(converter) => converter
                .convert(path, entry.mode, &entry.id, &blob)
                .map_err(Failure::new)?,
            None => None,
        };
        Ok(converted.unwrap_or(blob))
    }
}

pub(super) struct GitContentReader {
    pub(super) repository: Arc<Repository>,
    pub(super) texts: CommitTexts,
    pub(super) files: FileReader,
}

impl VersionReader for GitContentReader {
    fn diff_options(&self) -> diff::DiffOptions {
        self.files.request.diff
    }

    fn commit(&mut self, id: &ObjectId) -> Result<CommitMetadata, Failure> {
        let text = self.texts.get(id);
        let text = text.map_err(Failure::new)?;
        let head = (!id.is_null()).then(|| self.files.reader.commit_head(id));
        let head = head.transpose().map_err(Failure::new)?;
        let parents = head.as_ref().map_or_else(Vec::new, |head| {
            grafts::parents(self.repository.grafts(), id, head)
        });
        let mut author = signature(&text.author);
        let mut committer = signature(&text.committer);
        if let Some(name) = uncommitted_name(id, &author.name) {
            author.name = name.into();
            author.mail.clear();
            committer = author.clone();
        }
        Ok(CommitMetadata {
            author,
            committer,
            co_authors: self.texts.co_authors(text.message.as_bstr()),
            message: if id.is_null() {
                UNCOMMITTED_CHANGES.into()
            } else {
                text.message.clone()
            },
            change_id: text.change_id.clone(),
            root: head.is_some_and(|head| head.parents.is_empty()),
            merge_parents: if parents.len() > 1 {
                parents
            } else {
                Vec::new()
            },
        })
    }

    fn shortened_commit(&mut self, id: &ObjectId) -> Option<CommitMetadata> {
        let text = self.texts.shortened(id)?;
        Some(CommitMetadata {
            author: signature(&text.author),
            committer: signature(&text.committer),
            co_authors: Vec::new(),
            message: text.message,
            change_id: None,
            root: false,
            merge_parents: Vec::new(),
        })
    }

    fn contents(&mut self, version: &FileVersion) -> Result<Arc<[u8]>, Failure> {
        self.files.contents(version)
    }

    fn mode(&mut self, version: &FileVersion) -> Result<Option<u32>, Failure> {
        let request = self.files.request(version)?;
        let Start::Commit(commit) = request.start else {
            return Ok(None);
        };
        let reader = &mut self.files.reader;
        let tree = reader.commit_head(&commit).map_err(Failure::new)?.tree;
        let chain = reader.find_path(tree, &request.path, None);
        Ok(chain.map_err(Failure::new)?.map(|chain| chain.entry.mode))
    }

    fn function_rule(&mut self, version: &FileVersion) -> FunctionRule {
        let request = self.files.request(version).ok();
        let rule = request.and_then(|request| {
            line_ranges::function_rule(&self.repository, &request, GitVersion::NEWEST).ok()
        });
        rule.unwrap_or_default()
    }

    fn changes(
        &mut self,
        commit: &ObjectId,
        parent: Option<ObjectId>,
        stop: &dyn Fn() -> bool,
    ) -> Result<CommitChanges, Failure> {
        commit_files::list(&mut self.files.reader, commit, parent, stop).map_err(Failure::new)
    }
}

/// A person, who is called by the address if there is no name.
fn signature(ident: &Ident) -> Signature {
    let names = [ident.name.as_slice(), ident.address(), b"(no name)"];
    let mut names = names.into_iter().map(<[u8]>::trim_ascii);
    let name = names.find(|name| !name.is_empty());
    Signature {
        name: name.unwrap_or_default().into(),
        mail: ident.address().into(),
        time: ident.seconds(),
        offset: ident.offset(),
    }
}
