//! What the library returns of a blamed file, and the blame of other contents of it: those of an
//! editor after each edit.

use std::{
    fmt,
    sync::{Arc, Mutex, OnceLock},
};

use bstr::{BString, ByteSlice};
use rustc_hash::FxHashMap;

use super::{
    blamed_text::BlamedText,
    builder::BlameBuilder,
    commit::CommitInfo,
    entries::{BlameEntry, BlamedOrigin, PreviousVersion},
    error::{Error, ErrorKind, Result},
    repository::{Opened, lock},
};
use crate::{
    dates::calendar::Clock,
    diff::{ComparedText, DiffError, DiffOptions},
    engine::{self, OriginId, Request, Start, edited_entries},
    objects::ObjectId,
    repository::{
        self, commits::commit_texts::PseudoCommit, content::work_tree::UncommittedReader,
    },
};

/// A blame of one file. Iterate over it for the entries.
#[derive(Debug, Clone)]
pub struct FileBlame {
    pub(super) text: BlamedText,
    pub(super) entries: Arc<Vec<BlameEntry>>,
    pub(super) is_complete: bool,
    pub(super) warnings: Vec<String>,
    pub(super) edited: Arc<EditedFile>,
}

impl FileBlame {
    /// The entries in the order of their lines. They cover every line, or the lines asked for,
    /// once; if the blame is not [complete](FileBlame::is_complete), some of them.
    pub fn entries(&self) -> &[BlameEntry] {
        &self.entries
    }

    /// The entry of a line (0-based), if it was blamed.
    pub fn entry_at(&self, line: u32) -> Option<&BlameEntry> {
        let after = self
            .entries
            .partition_point(|entry| entry.lines().end <= line);
        let entry = self.entries.get(after)?;
        entry.lines().contains(&line).then_some(entry)
    }

    /// The text that was blamed, and its lines.
    pub fn text(&self) -> &BlamedText {
        &self.text
    }

    /// False if the callback of [`stream`](crate::BlameBuilder::stream) stopped the blame.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Warnings and errors that did not end the blame, in git's words.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The blame of other contents of this file on top of the same commit: what
    /// [`contents`](crate::BlameBuilder::contents) gives with the same options
    /// [at](crate::BlameBuilder::at) that commit, and `git blame --contents`. It is meant for each
    /// edit of an unsaved buffer: nothing but the contents is compared, and no history is read.
    ///
    /// The commit is the one that was blamed; of a blame of the work tree or of other contents,
    /// it is the one below them. All lines are blamed, even if this blame is of some. Lines of the
    /// commit's version keep their origin, others are
    /// [uncommitted](BlameEntry::is_uncommitted).
    ///
    /// The first call blames the commit's version if this blame did not: because it is of some
    /// lines, was stopped, or is of contents that differ from that version. Each call is a new
    /// blame, which takes as long as one, where the answer depends on more than the lines that
    /// differ: with [moves](crate::BlameBuilder::moves), [copies](crate::BlameBuilder::copies),
    /// [`since`](crate::BlameBuilder::since), [`ancestry_path`](crate::BlameBuilder::ancestry_path)
    /// and [`simplify_by_decoration`](crate::BlameBuilder::simplify_by_decoration), for files that
    /// are converted to text or that the commit does not have, in a repository with replaced
    /// objects, and while a merge is in progress. Attributes and the index are read once.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/library/example.rs"));
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = example_repository();
    /// # let repository = tblame::Repository::open(directory.path())?;
    /// let blame = repository.blame("src/main.rs").at("HEAD").run()?;
    /// let edited = blame.with_contents("// new\nfn main() {\n}\n")?;
    /// assert!(edited.entry_at(0).unwrap().is_uncommitted());
    /// assert_eq!(edited.entry_at(1).unwrap().commit().summary(), "Print one");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the contents cannot be converted to the form stored in git, an object cannot be read, or
    /// the blame was made with [`reverse`](crate::BlameBuilder::reverse) or is cancelled.
    pub fn with_contents(&self, contents: impl Into<Vec<u8>>) -> Result<FileBlame> {
        self.edited.blame(contents.into())
    }
}

impl IntoIterator for FileBlame {
    type Item = BlameEntry;
    type IntoIter = std::vec::IntoIter<BlameEntry>;

    fn into_iter(self) -> Self::IntoIter {
        Arc::unwrap_or_clone(self.entries).into_iter()
    }
}

impl<'a> IntoIterator for &'a FileBlame {
    type Item = &'a BlameEntry;
    type IntoIter = std::slice::Iter<'a, BlameEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

/// A version of a file whose lines are all blamed.
#[derive(Debug, Clone)]
pub(super) struct KnownVersion {
    pub(super) text: BlamedText,
    pub(super) entries: Arc<Vec<BlameEntry>>,
}

/// How other contents of a blamed file are blamed on top of the same commit.
pub(super) struct EditedFile {
    /// The blame of the whole file in that commit.
    builder: BlameBuilder,
    commit: Option<ObjectId>,
    path: BString,
    diff: DiffOptions,
    /// The origin of a line depends on the commit and on its number there alone.
    is_by_line: bool,
    /// The version that was blamed, with its blob if it was not committed.
    blamed: Option<(KnownVersion, Option<ObjectId>)>,
    /// The commit's version; `None` if contents are not compared with that alone.
    committed: OnceLock<Option<KnownVersion>>,
    state: Mutex<EditState>,
}

/// What is kept from one call to the next.
#[derive(Default)]
struct EditState {
    /// Converts contents to the form stored in git. It is of the repository as it was open then.
    reader: Option<(Arc<Opened>, ContentsReader)>,
    compared: Option<ComparedVersion>,
}

type ContentsReader = UncommittedReader<Arc<repository::Repository>>;

/// The commit's version, as contents are compared with it.
struct ComparedVersion {
    text: ComparedText,
    origins: FxHashMap<OriginId, Arc<BlamedOrigin>>,
}

impl ComparedVersion {
    fn new(version: &KnownVersion, diff: &DiffOptions) -> Result<ComparedVersion, DiffError> {
        let entries = version.entries.iter();
        let origins = entries.map(|it| (it.entry.origin, Arc::clone(&it.origin)));
        Ok(ComparedVersion {
            text: ComparedText::new(version.text.as_bytes(), diff)?,
            origins: origins.collect(),
        })
    }
}

/// The origin of uncommitted lines. There are fewer others than lines.
const UNCOMMITTED: OriginId = OriginId(u32::MAX);

impl EditedFile {
    /// After a blame for `request`, which `builder` made. `blamed` is the version that was blamed if
    /// all of its lines were.
    pub(super) fn new(
        builder: &BlameBuilder,
        request: &Request,
        blamed: Option<KnownVersion>,
    ) -> EditedFile {
        let mut builder = builder.clone();
        let options = &mut builder.options;
        options.ranges.clear();
        options.buffer = None;
        let conversion = request.text_conversion.as_ref();
        let is_by_line = !request.movement.depends_on_file()
            && request.since.is_none()
            && request.reverse.is_none()
            && options.ancestry_path.is_empty()
            && !options.simplify_by_decoration
            && !conversion.is_some_and(|conversion| conversion.converts(&request.path));
        let commit = request.start.heads().first().copied();
        if let Some(commit) = commit {
            // The names that were given may mean other commits by now.
            builder.revision = Some(commit.to_string().into());
            builder.options.of_commit = true;
            let excluded = request.negatives.iter().map(|id| format!("^{id}").into());
            builder.excluded = excluded.collect();
        }
        let blob = match &request.start {
            Start::Commit(_) => None,
            Start::Uncommitted(uncommitted) => Some(uncommitted.entry.id),
        };
        EditedFile {
            builder,
            commit,
            path: request.path.clone(),
            diff: request.diff,
            is_by_line,
            blamed: blamed.map(|version| (version, blob)),
            committed: OnceLock::new(),
            state: Mutex::default(),
        }
    }

    /// Blames `contents`.
    fn blame(self: &Arc<Self>, contents: Vec<u8>) -> Result<FileBlame> {
        let commit = self.commit.filter(|_| self.is_by_line);
        if let Some(commit) = commit {
            let opened = self.builder.repository.current()?;
            if !opened.repository.store().replacements().is_empty() {
                return self.builder.clone().contents(contents).run();
            }
            let EditState { reader, compared } = &mut *lock(&self.state);
            let reader = reader_of(reader, &opened, commit)?;
            if let Some(version) = self.committed_version(reader)?
                && !reader.is_merging().map_err(Error::of_request)?
            {
                return self.compare((commit, version), &opened, (reader, compared), contents);
            }
        }
        self.builder.clone().contents(contents).run()
    }

    /// The version of the commit, which is blamed if it is not known.
    fn committed_version(&self, reader: &mut ContentsReader) -> Result<Option<&KnownVersion>> {
        if let Some(known) = self.committed.get() {
            return Ok(known.as_ref());
        }
        let found = self.find_version(reader)?;
        Ok(self.committed.get_or_init(|| found).as_ref())
    }

    fn find_version(&self, reader: &mut ContentsReader) -> Result<Option<KnownVersion>> {
        let file = reader.committed_file(self.path.as_bstr());
        let Some(file) = file.map_err(Error::of_request)? else {
            return Ok(None);
        };
        if let Some((version, blob)) = &self.blamed
            && blob.is_none_or(|blob| blob == file.id)
        {
            return Ok(Some(version.clone()));
        }
        match self.builder.clone().run() {
            Ok(blame) => Ok(Some(KnownVersion {
                text: blame.text,
                entries: blame.entries,
            })),
            // A blame of contents may find what one of the commit does not.
            Err(err) if matches!(err.kind(), ErrorKind::NoSuchPath | ErrorKind::Request) => {
                Ok(None)
            }
            Err(err) => Err(err),
        }
    }

    /// Blames `contents` by what differs from the commit's version.
    fn compare(
        self: &Arc<Self>,
        (commit, version): (ObjectId, &KnownVersion),
        opened: &Opened,
        (reader, kept): (&mut ContentsReader, &mut Option<ComparedVersion>),
        contents: Vec<u8>,
    ) -> Result<FileBlame> {
        let mut notes = Vec::new();
        let stored = reader.stored_form(self.path.as_bstr(), contents, &mut notes);
        reader.end_filters(&mut notes);
        let text = BlamedText::new(stored.map_err(Error::of_request)?.into());
        let failed = |source| engine::Error::Diff {
            old: commit,
            new: ObjectId::null(commit.kind()),
            source,
        };
        let compared = match kept.take().filter(|kept| !kept.text.has_grown()) {
            Some(compared) => compared,
            None => ComparedVersion::new(version, &self.diff).map_err(failed)?,
        };
        let compared = kept.insert(compared);
        let hunks = compared.text.hunks_to(text.as_bytes()).map_err(failed)?;
        let known = version.entries.iter().map(|entry| &entry.entry);
        let edited = edited_entries(known, version.text.line_count(), &hunks, UNCOMMITTED);
        if edited.iter().any(|entry| entry.origin == UNCOMMITTED) {
            let origin = self.uncommitted(commit, opened, &mut notes)?;
            compared.origins.insert(UNCOMMITTED, Arc::new(origin));
        }
        let entries = edited.into_iter().map(|entry| BlameEntry {
            origin: Arc::clone(&compared.origins[&entry.origin]),
            entry,
        });
        let lossy = |note: &BString| String::from_utf8_lossy(note).into_owned();
        Ok(FileBlame {
            text,
            entries: Arc::new(entries.collect()),
            is_complete: true,
            warnings: notes.iter().map(lossy).collect(),
            edited: Arc::clone(self),
        })
    }

    /// The origin of uncommitted lines.
    fn uncommitted(
        &self,
        commit: ObjectId,
        opened: &Opened,
        notes: &mut Vec<BString>,
    ) -> Result<BlamedOrigin> {
        let mut session = opened.session(self.builder.threads);
        let encoding = self.builder.encoding.as_ref().map(AsRef::as_ref);
        let pseudo = PseudoCommit::of_contents(self.path.clone(), &Clock::system());
        session.texts.reset(encoding, pseudo);
        let info = CommitInfo::read(&ObjectId::null(commit.kind()), &mut session.texts);
        notes.extend(session.texts.take_notes());
        opened.give_back(session);
        let path = Arc::new(self.path.clone());
        Ok(BlamedOrigin {
            commit: info?,
            previous: Some(PreviousVersion::new(&commit, &path)),
            path,
            boundary: false,
        })
    }
}

/// The reader of contents on top of `commit`, for the repository as it is open now.
fn reader_of<'a>(
    known: &'a mut Option<(Arc<Opened>, ContentsReader)>,
    opened: &Arc<Opened>,
    commit: ObjectId,
) -> Result<&'a mut ContentsReader> {
    let current = match known.take().filter(|(of, _)| Arc::ptr_eq(of, opened)) {
        Some(current) => current,
        None => {
            let repository = Arc::clone(&opened.repository);
            let now = Clock::system().system_now();
            let reader = UncommittedReader::new(repository, commit, None, now);
            (Arc::clone(opened), reader.map_err(Error::of_request)?)
        }
    };
    Ok(&mut known.insert(current).1)
}

impl fmt::Debug for EditedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditedFile")
            .field("commit", &self.commit)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}
