//! Answers queries for commits, files and names with a git repository.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, Read},
    ops::Range,
    sync::Arc,
};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    objects::{ObjectId, Reader},
    repository::{
        Repository,
        commits::commit_texts::{CommitTexts, PseudoCommit},
        revisions::{refs::RefsByCommit, resolver::RevisionResolver},
    },
    system::FileStamp,
    viewer::{
        model::{
            background::{
                queries::{
                    BeginningQuery, CommitContext, CommitContextQuery, CompletionQuery,
                    DirectoryPlace, DirectoryPlaceQuery, NamedVersion, PlaceQuery, Stamp,
                    StampQuery, UnstagedQuery,
                },
                query::{AnswerTaker, Answers},
            },
            source::{Failure, FileVersion},
            texts::{
                line_map,
                message_references::{self, MessageReference},
                text::Text,
            },
        },
        repository::places::Base,
    },
};

/// Bytes of a file's beginning.
const BEGINNING_LEN: usize = 1 << 16;

/// Size in bytes above which a committed file is not read for its beginning.
const MAX_PREVIEWED_SIZE: u64 = 1 << 24;

/// Most ids of a message that are resolved.
const MAX_IDS: usize = 32;

/// Why nothing can be read any more.
pub(super) const REPOSITORY_GONE: &str = "the repository is gone";

/// Reads what surrounds the commits of a git repository.
pub struct GitHistory {
    pub(super) repository: Arc<Repository>,
    pub(super) reader: Reader,
    texts: CommitTexts,
    /// The commit of the command line's version.
    pub(super) command_line_commit: Option<ObjectId>,
    /// True if the command line's version is uncommitted.
    uncommitted: bool,
    refs_by_commit: Option<RefsByCommit>,
    /// The commit of `HEAD` at the last look.
    head: Option<ObjectId>,
}

impl GitHistory {
    /// `command_line_commit` is the commit of the command line's version; `None` means `HEAD`.
    pub fn new(
        repository: &Arc<Repository>,
        command_line_commit: Option<ObjectId>,
        pseudo: PseudoCommit,
    ) -> Self {
        let encoding = Some(b"UTF-8".as_slice().into());
        let head = repository.head_commit();
        GitHistory {
            repository: Arc::clone(repository),
            reader: repository.reader(),
            texts: CommitTexts::new(Arc::clone(repository), encoding, pseudo),
            command_line_commit: command_line_commit.or(head),
            uncommitted: command_line_commit.is_none(),
            refs_by_commit: None,
            head,
        }
    }
}

impl GitHistory {
    /// `HEAD` has moved: what depends on references is read again. The command line's version
    /// follows if it was at `HEAD`.
    fn follow_head(&mut self, head: Option<ObjectId>) {
        if self.uncommitted || self.command_line_commit == self.head {
            self.command_line_commit = head;
        }
        self.head = head;
        self.refs_by_commit = None;
    }

    /// True if a version is of the work tree.
    pub(super) fn is_of_work_tree(&self, version: &FileVersion) -> bool {
        match version {
            FileVersion::Commit { .. } => false,
            FileVersion::CommandLine
            | FileVersion::Reloaded {
                of_command_line: true,
                ..
            } => self.uncommitted,
            FileVersion::WorkTree { .. } | FileVersion::Reloaded { .. } => true,
        }
    }

    /// The beginning of a file of a commit.
    fn committed_beginning(
        &mut self,
        commit: &ObjectId,
        path: &BStr,
    ) -> Result<Arc<[u8]>, Failure> {
        let tree = self.reader.commit_head(commit).map_err(Failure::new)?.tree;
        let chain = self.reader.find_path(tree, path, None);
        let chain = chain.map_err(Failure::new)?;
        let entry = chain.map(|chain| chain.entry);
        let entry = entry.ok_or_else(|| Failure::new("the file is not there"))?;
        if entry.is_submodule() {
            return Err(Failure::new("a submodule"));
        }
        let size = self.reader.size(&entry.id).map_err(Failure::new)?;
        if size.is_none_or(|size| size > MAX_PREVIEWED_SIZE) {
            return Err(Failure::new("too large for a preview"));
        }
        let blob = self.reader.object(&entry.id).map_err(Failure::new)?.data;
        let len = blob.len().min(BEGINNING_LEN);
        Ok(Arc::from(&blob[..len]))
    }

    /// The beginning of a file of the work tree.
    fn work_tree_beginning(&self, path: &BStr) -> Result<Arc<[u8]>, Failure> {
        let root = self.repository.paths().work_tree.as_ref();
        let root = root.ok_or_else(|| Failure::new("there is no work tree"))?;
        let path = root.join(path.to_path().map_err(Failure::new)?);
        let failed = |error: io::Error| Failure::of_file(&error);
        let kind = path.symlink_metadata().map_err(failed)?.file_type();
        if kind.is_symlink() {
            let target = path.read_link().map_err(failed)?;
            return Ok(Arc::from(target.as_os_str().as_encoded_bytes()));
        }
        if !kind.is_file() {
            return Err(Failure::new("not a regular file"));
        }
        let file = File::open(path).map_err(failed)?;
        let mut bytes = Vec::new();
        let limit = BEGINNING_LEN as u64;
        file.take(limit).read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes.into())
    }

    /// The base of names while a version is visible.
    fn base(&mut self, version: &FileVersion) -> Base<'_> {
        let is_of_work_tree = self.is_of_work_tree(version);
        let root = self.repository.paths().work_tree.as_deref();
        Base {
            repository: &self.repository,
            reader: &mut self.reader,
            commit: match version {
                FileVersion::Commit { commit, .. } => Some(*commit),
                _ => self.command_line_commit,
            },
            tip: self.command_line_commit.or(self.head),
            work_tree: root.filter(|_| is_of_work_tree),
            note: None,
            warning: None,
        }
    }

    /// The commits that a commit's message mentions.
    fn mentioned_commits(
        &mut self,
        id: &ObjectId,
        stop: &dyn Fn() -> bool,
    ) -> Vec<(BString, ObjectId)> {
        let Ok(text) = self.texts.get(id) else {
            return Vec::new();
        };
        let message: &[u8] = text.message.as_ref();
        let message = &message[..message.len().min(message_references::MAX_SCANNED_LEN)];
        let ids = message_references::find(message).into_iter();
        let ids = ids.filter(|(_, reference)| *reference == MessageReference::Id);
        let ids = ids.map(|(at, _)| BString::from(&message[at]));
        let ids: BTreeSet<BString> = ids.take(MAX_IDS).collect();
        let (mut mentioned, mut notes) = (Vec::new(), Vec::new());
        let mut resolver = RevisionResolver::new(&self.repository, &mut notes);
        for id in ids {
            if stop() {
                break;
            }
            let found = resolver.commit(id.as_bstr());
            // Unreadable objects are not links.
            let found = found.ok().flatten();
            mentioned.extend(found.map(|commit| (id, commit)));
        }
        mentioned
    }
}

impl Answers<CommitContextQuery> for GitHistory {
    fn run(
        &mut self,
        CommitContextQuery(id): &CommitContextQuery,
        AnswerTaker { stop, .. }: AnswerTaker<'_, CommitContextQuery>,
    ) -> Result<CommitContext, Failure> {
        if self.refs_by_commit.is_none() {
            let refs = self.repository.refs_by_commit(stop);
            // An interrupted walk starts over.
            self.refs_by_commit = (!stop()).then_some(refs);
        }
        let refs = self.refs_by_commit.as_ref();
        Ok(CommitContext {
            refs: refs.map(|refs| refs.names_of(id)).unwrap_or_default(),
            mentioned_commits: self.mentioned_commits(id, stop),
        })
    }
}

impl Answers<PlaceQuery> for GitHistory {
    fn run(
        &mut self,
        query: &PlaceQuery,
        _: AnswerTaker<'_, PlaceQuery>,
    ) -> Result<NamedVersion, Failure> {
        self.base(&query.version).place(query)
    }
}

impl Answers<DirectoryPlaceQuery> for GitHistory {
    fn run(
        &mut self,
        query: &DirectoryPlaceQuery,
        _: AnswerTaker<'_, DirectoryPlaceQuery>,
    ) -> Result<DirectoryPlace, Failure> {
        self.base(&query.version).directory_place(query)
    }
}

impl Answers<CompletionQuery> for GitHistory {
    fn run(
        &mut self,
        query: &CompletionQuery,
        _: AnswerTaker<'_, CompletionQuery>,
    ) -> Result<Vec<BString>, Failure> {
        let mut base = self.base(&query.version);
        Ok(base.completions(query.input.as_bstr()))
    }
}

impl Answers<UnstagedQuery> for GitHistory {
    fn run(
        &mut self,
        query: &UnstagedQuery,
        _: AnswerTaker<'_, UnstagedQuery>,
    ) -> Result<Vec<Range<u32>>, Failure> {
        let Some(entry) = self.repository.index_entry(query.path.as_bstr()) else {
            return Ok(std::iter::once(0..u32::MAX).collect());
        };
        let staged = self.reader.object(&entry.id).map_err(Failure::new)?.data;
        line_map::changed_lines(&staged, query.text.0.bytes()).map_err(Failure::new)
    }
}

impl Answers<BeginningQuery> for GitHistory {
    fn run(
        &mut self,
        query: &BeginningQuery,
        _: AnswerTaker<'_, BeginningQuery>,
    ) -> Result<Arc<Text>, Failure> {
        let bytes = match &query.version {
            FileVersion::Commit { commit, path } => {
                self.committed_beginning(commit, path.as_bstr())
            }
            FileVersion::WorkTree { path } | FileVersion::Reloaded { path, .. } => {
                self.work_tree_beginning(path.as_bstr())
            }
            FileVersion::CommandLine => Err(Failure::new("no preview")),
        };
        Ok(Arc::new(Text::new(bytes?)))
    }
}

impl Answers<StampQuery> for GitHistory {
    fn run(
        &mut self,
        query: &StampQuery,
        _: AnswerTaker<'_, StampQuery>,
    ) -> Result<Stamp, Failure> {
        if !self.repository.git_dir().exists() {
            return Err(Failure::new(REPOSITORY_GONE));
        }
        let root = self.repository.paths().work_tree.as_ref();
        let file = root.map(|root| root.join(query.path.to_path_lossy()));
        let file = file.and_then(|file| std::fs::symlink_metadata(file).ok());
        // A directory, say, in its place cannot be blamed: the file is gone.
        let file = file.filter(|it| it.is_file() || it.is_symlink());
        let head = self.repository.head_commit();
        if head != self.head {
            self.follow_head(head);
        }
        Ok(Stamp {
            file: file.as_ref().map(FileStamp::new),
            head,
        })
    }
}
