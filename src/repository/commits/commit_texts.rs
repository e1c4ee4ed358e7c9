//! Reads and caches commit texts, re-encoded and with the mailmap applied.

use std::{io, sync::Arc};

use bstr::{BStr, BString, ByteSlice, ByteVec};
use rustc_hash::FxHashMap;

use crate::{
    dates::calendar::Clock,
    engine::{Request, Start},
    error::{Error, Result, noted, os_message, until_nul},
    objects::{ObjectId, ObjectKind, Reader},
    repository::{
        commits::{
            cached_texts::{self, CachedTexts},
            commit_parser,
            commit_text::CommitText,
            encoding,
            line_counts::CommitAuthors,
            mailmap::Mailmap,
            trailers,
        },
        open::repository::Repository,
        revisions::resolver::RevisionResolver,
    },
    system,
};

/// The parts of the text of the uncommitted pseudo-commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PseudoCommit {
    /// The blamed path, from the root of the tree; empty for several files.
    pub path: BString,
    /// The value of `--contents`, if given.
    pub contents: Option<BString>,
    /// The current time, in seconds since the epoch.
    pub time: u64,
    /// The local time zone now, like `+0100`.
    pub zone: BString,
}

impl PseudoCommit {
    /// For the uncommitted lines of `request`; `contents` is the value of `--contents`.
    pub fn new(request: &Request, contents: Option<BString>, clock: &Clock) -> PseudoCommit {
        PseudoCommit {
            path: request.path.clone(),
            contents,
            time: u64::try_from(clock.system_now()).unwrap_or(0),
            // The local zone is expensive to find; only uncommitted lines show it.
            zone: match request.start {
                Start::Uncommitted(_) => local_zone(clock),
                Start::Commit(_) => BString::default(),
            },
        }
    }

    /// For the uncommitted lines of several files.
    pub fn of_files(clock: &Clock) -> PseudoCommit {
        PseudoCommit::of_contents(BString::default(), clock)
    }

    /// For uncommitted contents of the file at `path`.
    pub fn of_contents(path: BString, clock: &Clock) -> PseudoCommit {
        PseudoCommit {
            path,
            contents: None,
            time: u64::try_from(clock.system_now()).unwrap_or(0),
            zone: local_zone(clock),
        }
    }

    /// The content that this commit would have if it were stored, with the null id as its tree.
    fn content(&self, null: &ObjectId) -> BString {
        let ident = match self.contents {
            Some(_) => "External file (--contents) <external.file>",
            None => "Not Committed Yet <not.committed.yet>",
        };
        let mut content = BString::from(format!("tree {null}\n"));
        for role in ["author", "committer"] {
            content.push_str(format!("{role} {ident} {} {}\n", self.time, self.zone));
        }
        if self.path.is_empty() {
            content.push_str("\nContents that are not committed\n");
            return content;
        }
        content.push_str("\nVersion of ");
        content.push_str(&self.path);
        content.push_str(" from ");
        content.push_str(match self.contents.as_ref() {
            Some(name) if name == "-" => BStr::new("standard input"),
            Some(name) => name.as_bstr(),
            None => self.path.as_bstr(),
        });
        content.push(b'\n');
        content
    }
}

fn local_zone(clock: &Clock) -> BString {
    format!("{:+05}", clock.zone_number(clock.system_now())).into()
}

/// Cache of commit texts for one thread.
pub struct CommitTexts {
    repository: Arc<Repository>,
    reader: Reader,
    /// The output encoding; empty for no conversion.
    encoding: BString,
    /// Read for the first commit.
    mailmap: Option<Result<Mailmap>>,
    pseudo: PseudoCommit,
    texts: FxHashMap<ObjectId, Arc<CommitText>>,
    cached: Option<Arc<CachedTexts>>,
    /// Commits are read from `cached` where it has them.
    reads_cached: bool,
    notes: Vec<BString>,
}

impl CommitTexts {
    /// Texts in `encoding` (`--encoding`), by default the configured one, else UTF-8.
    pub fn new(repository: Arc<Repository>, encoding: Option<&BStr>, pseudo: PseudoCommit) -> Self {
        CommitTexts {
            reader: repository.reader(),
            encoding: output_encoding(&repository, encoding),
            mailmap: None,
            pseudo,
            texts: FxHashMap::default(),
            cached: None,
            reads_cached: false,
            notes: Vec::new(),
            repository,
        }
    }

    /// Reads commits from `cached` where it has them, and adds those that are read. The message of
    /// a text is then no more than its summary and its co-authors.
    pub fn set_cached(&mut self, cached: Arc<CachedTexts>) {
        self.cached = Some(cached);
        self.reads_cached = true;
    }

    /// Adds the commits that are read to `cached`.
    pub fn add_to(&mut self, cached: Arc<CachedTexts>) {
        self.cached = Some(cached);
    }

    /// Prepares for another blame. Cached texts are kept if the encoding is the same, except that
    /// of the pseudo-commit.
    pub fn reset(&mut self, encoding: Option<&BStr>, pseudo: PseudoCommit) {
        let encoding = output_encoding(&self.repository, encoding);
        if encoding == self.encoding {
            self.texts.retain(|id, _| !id.is_null())
        } else {
            self.texts.clear()
        }
        self.encoding = encoding;
        self.pseudo = pseudo;
    }

    /// Forgets all texts without freeing them, which takes a tenth of the time of a short blame.
    pub fn leak(&mut self) {
        std::mem::forget(std::mem::take(&mut self.texts));
    }

    /// The text of the commit `id`; the null id is the uncommitted pseudo-commit.
    ///
    /// # Errors
    ///
    /// If the commit cannot be read.
    pub fn get(&mut self, id: &ObjectId) -> Result<Arc<CommitText>> {
        if let Some(text) = self.texts.get(id) {
            return Ok(Arc::clone(text));
        }
        let text = Arc::new(self.read_text(id)?);
        self.texts.insert(*id, Arc::clone(&text));
        Ok(text)
    }

    /// As [`get`](Self::get), without keeping the text for another call.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub fn get_once(&mut self, id: &ObjectId) -> Result<Arc<CommitText>> {
        match self.texts.get(id) {
            Some(text) => Ok(Arc::clone(text)),
            None => Ok(Arc::new(self.read_text(id)?)),
        }
    }

    fn read_text(&mut self, id: &ObjectId) -> Result<CommitText> {
        let text = if id.is_null() {
            self.read(&self.pseudo.content(id), id)
        } else {
            self.stored_text(id)?
        };
        self.mapped(text)
    }

    /// The text of a commit of which the cache has the parts that a blame prints: without the
    /// committer, and with no more of the message than the summary and the co-authors.
    pub fn shortened(&mut self, id: &ObjectId) -> Option<CommitText> {
        let cached = self.cached.as_ref();
        let cached = cached.filter(|_| cached_texts::serves(self.encoding.as_bstr()))?;
        let shortened = cached.get(id)?;
        let text = self.read(shortened.as_bytes(), id);
        self.mapped(text).ok()
    }

    /// `text` with the mailmap applied.
    fn mapped(&mut self, mut text: CommitText) -> Result<CommitText> {
        let mailmap = self.mailmap()?;
        if !mailmap.is_empty() {
            mailmap.apply(&mut text.author);
            mailmap.apply(&mut text.committer);
        }
        Ok(text)
    }

    /// Names and addresses of a message's co-authors as [`trailers::co_authors`] finds them, with
    /// the mailmap applied.
    pub fn co_authors(&mut self, message: &BStr) -> Vec<(BString, BString)> {
        let mut found = trailers::co_authors(message);
        if !found.is_empty()
            && let Ok(mailmap) = self.mailmap()
        {
            for (name, mail) in &mut found {
                mailmap.apply_to_co_author(name, mail);
            }
        }
        found
    }

    /// Who made a commit.
    ///
    /// # Errors
    ///
    /// If the commit cannot be read.
    pub(crate) fn authors(&mut self, id: &ObjectId) -> Result<CommitAuthors> {
        let text = self.get(id)?;
        let co_authors = self.co_authors(text.message.as_bstr());
        Ok(CommitAuthors::new(&text, co_authors))
    }

    /// The reader that commits are read with.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Takes the warnings about the mailmap since the last call: lines for standard error.
    pub fn take_notes(&mut self) -> Vec<BString> {
        std::mem::take(&mut self.notes)
    }

    fn stored_text(&mut self, id: &ObjectId) -> Result<CommitText> {
        let cached = self.cached.as_ref();
        let cached =
            cached.filter(|_| self.reads_cached && cached_texts::serves(self.encoding.as_bstr()));
        if let Some(text) = cached.and_then(|cached| cached.get(id)) {
            return Ok(self.read(text.as_bytes(), id));
        }
        let commit = self
            .reader
            .object_of_kind(id, ObjectKind::Commit)
            .map_err(|err| Error::fatal(err.to_string()))?;
        if let Some(cached) = &self.cached {
            if !self.reader.has_hash(id, &commit) {
                cached.note_wrong_hash();
            } else if let Some(shortened) = cached_texts::shortened(&commit.data, id) {
                cached.insert(*id, shortened.into());
            }
        }
        Ok(self.read(&commit.data, id))
    }

    /// The text of a commit with this content, in the output encoding.
    fn read(&self, commit: &[u8], id: &ObjectId) -> CommitText {
        // git treats texts as C strings, which end at the first NUL.
        let stored = until_nul(commit);
        let declared = commit_parser::declared_encoding(stored).unwrap_or(BStr::new(b"UTF-8"));
        let text = if self.encoding.is_empty() {
            stored.into()
        } else {
            encoding::convert(stored, declared, self.encoding.as_bstr())
        };
        let text = until_nul(&text);
        let message = commit_parser::message(text);
        CommitText {
            author: commit_parser::ident(text, "author"),
            committer: commit_parser::ident(text, "committer"),
            summary: commit_parser::summary(message, id),
            message: message.to_owned(),
            change_id: commit_parser::change_id(text),
        }
    }

    fn mailmap(&mut self) -> Result<&Mailmap> {
        let read = || read_mailmap(&self.repository, &mut self.reader, &mut self.notes);
        let mailmap = self.mailmap.get_or_insert_with(read);
        mailmap.as_ref().map_err(Clone::clone)
    }
}

/// The encoding asked for, or else the configured one; empty for no conversion.
fn output_encoding(repository: &Repository, encoding: Option<&BStr>) -> BString {
    let settings = repository.config();
    let encoding = encoding
        .map(ToOwned::to_owned)
        .or_else(|| settings.log_output_encoding.clone())
        .or_else(|| settings.commit_encoding.clone())
        .unwrap_or_else(|| "UTF-8".into());
    if encoding.eq_ignore_ascii_case(b"none") {
        BString::default()
    } else {
        encoding
    }
}

/// The file where git works, then the configured blob, then the configured file.
fn read_mailmap(
    repository: &Repository,
    reader: &mut Reader,
    notes: &mut Vec<BString>,
) -> Result<Mailmap> {
    let mut mailmap = Mailmap::default();
    let settings = repository.config();
    if !repository.is_bare() {
        let file = repository.working_directory().join(".mailmap");
        match file.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => notes.push(noted(
                "error: unable to open mailmap at .mailmap: Too many levels of symbolic links"
                    .into(),
            )),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            _ => add_file(&mut mailmap, &file, BStr::new(".mailmap"), notes),
        }
    }
    let name = settings.mailmap_blob.as_ref().map(|name| name.as_bstr());
    let committed = repository.is_bare().then_some(BStr::new("HEAD:.mailmap"));
    let name = name.or(committed).unwrap_or_default();
    let blob = if name.is_empty() {
        None
    } else {
        RevisionResolver::new(repository, notes).object(name)?
    };
    if let Some(id) = blob {
        let problem = match reader.object(&id) {
            Ok(object) if object.kind == ObjectKind::Blob => {
                mailmap.add_blob(&object.data);
                None
            }
            Ok(_) => Some("error: mailmap is not a blob: "),
            Err(_) => Some("error: unable to read mailmap object at "),
        };
        notes.extend(problem.map(|problem| BString::from([problem.as_bytes(), name].concat())));
    }
    if let Some(name) = &settings.mailmap_file {
        let file = repository.named_file(name.as_bstr());
        add_file(&mut mailmap, &file, name.as_bstr(), notes);
    }
    Ok(mailmap)
}

fn add_file(mailmap: &mut Mailmap, file: &std::path::Path, name: &BStr, notes: &mut Vec<BString>) {
    match system::read_file(file) {
        Ok(text) => mailmap.add_file(&text),
        // A directory can be opened, but has no lines.
        Err(err)
            if matches!(
                err.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::IsADirectory
            ) => {}
        Err(err) => {
            let mut note = BString::from("error: unable to open mailmap at ");
            note.push_str(name);
            note.push_str(": ");
            note.push_str(os_message(&err));
            notes.push(noted(note));
        }
    }
}
