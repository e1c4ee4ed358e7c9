//! Uncommitted contents: the work tree file, or another file, on top of HEAD.

use std::{
    io::{self, Read},
    ops::Deref,
    sync::Arc,
};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    engine::{IndexPaths, TextConversion, Uncommitted},
    error::{Error, Result, os_message, quoted},
    objects::{self, ObjectId, ObjectKind, Reader, TreeEntry, object_id},
    repository::{
        content::{
            attributes::{AttributeFiles, Attributes},
            configured_command::CommandPlace,
            conversion::Conversion,
            filters::{Filter, FilterDirection, FilterProcesses},
            index_entries::LazyIndex,
            textconv::TextConverter,
        },
        open::repository::Repository,
        revisions::peel::{damaged, no_commit, peel_with_kind},
    },
    system::{self, memory},
};

const SYMLINK: u32 = 0o120_000;
const REGULAR: u32 = 0o100_644;
const EXECUTABLE: u32 = 0o100_755;

/// What helps where the file of the work tree cannot be read.
const HINT: &str = "HEAD FILE in place of FILE blames the version of the last commit";

/// The source of uncommitted contents.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ContentsSource<'a> {
    /// The file of the work tree.
    WorkTree,
    /// The file of `--contents`; `-` is standard input.
    File(&'a BStr),
    /// Unsaved contents.
    Buffer(&'a [u8]),
}

/// Reads uncommitted contents, as pseudo-commits on top of the same commits.
#[derive(Debug)]
pub(crate) struct UncommittedReader<R> {
    repository: R,
    converter: Option<Arc<TextConverter>>,
    parents: Vec<ObjectId>,
    index: Arc<LazyIndex>,
    reader: Reader,
    attributes: Attributes,
    /// The filters that run.
    processes: FilterProcesses,
    /// Discards what filters write to their standard error.
    is_silent: bool,
    now: i64,
}

impl<R: Deref<Target = Repository>> UncommittedReader<R> {
    /// Reads contents on top of `base` and of what is being merged; `now` is in seconds since the
    /// epoch.
    ///
    /// # Errors
    ///
    /// If the index is damaged or the commits that are being merged cannot be found, in git's words.
    pub(crate) fn new(
        repository: R,
        base: ObjectId,
        converter: Option<Arc<TextConverter>>,
        now: i64,
    ) -> Result<Self> {
        check_index(&repository)?;
        if let Some(converter) = &converter {
            converter.use_index();
        }
        let mut reader = repository.reader();
        let mut parents = vec![base];
        parents.extend(merge_heads(&repository, &mut reader)?);
        Ok(UncommittedReader {
            converter,
            parents,
            index: Arc::new(LazyIndex::of(&repository)),
            reader,
            attributes: AttributeFiles::with_index(&repository).open(),
            processes: FilterProcesses::new(),
            is_silent: false,
            now,
            repository,
        })
    }

    /// Discards what commands write to their standard error, for a screen on which it would appear.
    pub(crate) fn silence(&mut self) {
        self.is_silent = true;
        if let Some(converter) = &self.converter {
            converter.silence();
        }
    }

    /// Reads the uncommitted contents of `path`. What filters complain about is added to `notes`.
    ///
    /// # Errors
    ///
    /// If no parent and no index entry has the path, or the contents cannot be read; in git's words.
    pub(crate) fn read(
        &mut self,
        path: &BStr,
        source: ContentsSource<'_>,
        notes: &mut Vec<BString>,
    ) -> Result<Uncommitted> {
        let mut committed_in = None;
        for parent in &self.parents {
            if committed_in.is_none() && is_file(&mut self.reader, parent, path)? {
                committed_in = Some(*parent);
            }
        }
        if committed_in.is_none() && !self.index.has(path) {
            return Err(Error::no_such_path(quoted(
                "no such path ",
                path,
                " in HEAD",
            )));
        }
        let converter = self.converter.clone();
        let read = self.read_source(path, source, converter.as_deref(), notes);
        let is_in_head = committed_in.is_some() && committed_in.as_ref() == self.parents.first();
        let (entry, contents) = read.map_err(|err| match source {
            ContentsSource::WorkTree if is_in_head => err.or_hint(HINT),
            _ => err,
        })?;
        Ok(self.uncommitted(entry, contents.into()))
    }

    /// Mode and blob id that the file of the work tree would have, without text conversion.
    ///
    /// # Errors
    ///
    /// If it cannot be read or converted to the form stored in git.
    pub(crate) fn entry_of_file(
        &mut self,
        path: &BStr,
        notes: &mut Vec<BString>,
    ) -> Result<TreeEntry> {
        let (entry, _) = self.read_source(path, ContentsSource::WorkTree, None, notes)?;
        Ok(entry)
    }

    /// The contents `contents` of a file as a pseudo-commit.
    pub(crate) fn uncommitted(&self, entry: TreeEntry, contents: Arc<[u8]>) -> Uncommitted {
        Uncommitted {
            parents: self.parents.clone(),
            time: self.now,
            contents,
            entry,
            index: Arc::clone(&self.index) as Arc<dyn IndexPaths>,
        }
    }

    /// The file of the commit at `path`, if contents at this path are compared with it: it is of
    /// their type.
    ///
    /// # Errors
    ///
    /// If an object on the way cannot be read.
    pub(crate) fn committed_file(&mut self, path: &BStr) -> Result<Option<TreeEntry>> {
        let Some(committed) = find_file(&mut self.reader, &self.parents[0], path)? else {
            return Ok(None);
        };
        let mode = self.index.mode(path).unwrap_or(REGULAR);
        let is_same_type = TreeEntry { mode, ..committed }.file_type() == committed.file_type();
        Ok(is_same_type.then_some(committed))
    }

    /// True if a merge is in progress now: contents then have several parents.
    ///
    /// # Errors
    ///
    /// If the commits that are being merged cannot be found.
    pub(crate) fn is_merging(&mut self) -> Result<bool> {
        Ok(!merge_heads(&self.repository, &mut self.reader)?.is_empty())
    }

    /// True if a file that is in the work tree as it was checked out is stored with these bytes. A link
    /// is not regular.
    pub(crate) fn is_stored_as_it_is(&mut self, path: &BStr, is_regular: bool) -> Result<bool> {
        if self.attributes.filter(path)?.is_some() {
            return Ok(false);
        }
        let conversion = Conversion::of(&mut self.attributes, path)?;
        let keeps = || {
            conversion
                .keeps(&self.repository.named_file(path))
                .unwrap_or(false)
        };
        Ok(conversion.is_none() || is_regular && keeps())
    }

    fn read_source(
        &mut self,
        path: &BStr,
        source: ContentsSource<'_>,
        converter: Option<&TextConverter>,
        notes: &mut Vec<BString>,
    ) -> Result<(TreeEntry, Vec<u8>)> {
        let (mode, contents) = read_source(&self.repository, path, source, converter, &self.index)?;
        let contents = self.stored_form(path, contents, notes)?;
        let id = object_id(self.repository.hash(), ObjectKind::Blob, &contents);
        Ok((TreeEntry { mode, id }, contents))
    }

    /// Contents of `path` in the form stored in git.
    ///
    /// # Errors
    ///
    /// If they cannot be converted, or there is not enough memory for them.
    pub(crate) fn stored_form(
        &mut self,
        path: &BStr,
        contents: Vec<u8>,
        notes: &mut Vec<BString>,
    ) -> Result<Vec<u8>> {
        self.repository.config().filters.check()?;
        // It is copied to be shared, and conversions make copies too.
        if !memory::is_available_for_lines(&contents, 2) {
            return Err(out_of_memory(path));
        }
        self.check_in(path, contents, notes)
    }

    /// Converts contents of `path` to the form stored in git.
    fn check_in(
        &mut self,
        path: &BStr,
        contents: Vec<u8>,
        notes: &mut Vec<BString>,
    ) -> Result<Vec<u8>> {
        let attributes = &mut self.attributes;
        let name = attributes.filter(path)?;
        let driver = name
            .as_ref()
            .and_then(|name| self.repository.config().filters.driver(name.as_bstr()));
        let filtered = match (&name, driver) {
            (Some(name), Some(driver)) => {
                let filter = Filter {
                    name: name.as_bstr(),
                    driver,
                    place: &CommandPlace::of(&self.repository),
                    silent: self.is_silent,
                };
                let clean = FilterDirection::Clean;
                filter.apply(clean, &mut self.processes, path, &contents, notes)?
            }
            _ => None,
        };
        let contents = filtered.unwrap_or(contents);
        Conversion::of(attributes, path)?.check_in(attributes, path, contents, notes)
    }

    /// Ends the filters that run. What they complain about is added to `notes`.
    pub(crate) fn finish(mut self, notes: &mut Vec<BString>) {
        self.end_filters(notes);
    }

    /// As [`finish`](Self::finish); they are started anew when they are needed again.
    pub(crate) fn end_filters(&mut self, notes: &mut Vec<BString>) {
        let processes = std::mem::take(&mut self.processes).into_values();
        processes.for_each(|process| process.finish(notes));
    }
}

/// The parents besides HEAD of a merge in progress: `MERGE_HEAD`, whose tags are peeled.
fn merge_heads(repository: &Repository, reader: &mut Reader) -> Result<Vec<ObjectId>> {
    // The merge in progress is another work tree's.
    if repository.layout().workspace.is_some() {
        return Ok(Vec::new());
    }
    let file = repository.git_dir().join("MERGE_HEAD");
    let text = match system::read_file(&file) {
        Ok(text) => text,
        // git opens a directory, and reads nothing from it.
        Err(err)
            if matches!(
                err.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::IsADirectory
            ) =>
        {
            return Ok(Vec::new());
        }
        Err(err) => {
            let message = quoted(
                "cannot open ",
                repository.name_in_messages(&file).as_bstr(),
                " for reading",
            );
            return Err(Error::fatal(
                [message.as_slice(), b": ", os_message(&err).as_bytes()].concat(),
            ));
        }
    };
    let digits = repository.hash().len_in_hex();
    // git ignores a last line without newline, and shows the newline in the message.
    text.split_inclusive(|&byte| byte == b'\n')
        .filter(|line| line.ends_with(b"\n"))
        .map(|line| {
            let id = line.get(..digits);
            let id = id.and_then(|hex| ObjectId::from_hex(hex).ok());
            let id = id.ok_or_else(|| {
                let file = repository.name_in_messages(&file);
                let mut message = quoted("unknown line in ", file.as_bstr(), ": ");
                message.push_str(line);
                Error::fatal(message)
            })?;
            match peel_with_kind(reader, id)? {
                (commit, Some(ObjectKind::Commit)) => Ok(commit),
                (_, kind) => {
                    let notes = no_commit((id, kind)).into_iter().collect();
                    Err(Error::fatal(format!("no such commit {id}")).after(notes))
                }
            }
        })
        .collect()
}

/// Fails where git would when it reads the index, which it does for every blame of uncommitted
/// contents. Looks at the header alone: the entries are read only if they are needed.
fn check_index(repository: &Repository) -> Result<()> {
    const HEADER: usize = 12;
    let path = &repository.layout().index;
    let Ok((mut file, metadata)) = system::open_with_metadata(path) else {
        return Ok(());
    };
    let mut header = [0; HEADER];
    let size = metadata.len();
    let least = HEADER + repository.hash().len_in_bytes();
    if size < least as u64 || file.read_exact(&mut header).is_err() {
        let mut message = repository.name_in_messages(path);
        message.push_str(": index file smaller than expected");
        return Err(Error::fatal(message));
    }
    let word = |at: usize| [header[at], header[at + 1], header[at + 2], header[at + 3]];
    let note = match (&word(0), u32::from_be_bytes(word(4))) {
        (b"DIRC", 2..=4) => return Ok(()),
        (b"DIRC", version) => format!("error: bad index version {version}"),
        // git prints the bytes as a number of the machine.
        (signature, _) => format!(
            "error: bad signature 0x{:08x}",
            u32::from_ne_bytes(*signature)
        ),
    };
    Err(Error::fatal("index file corrupt").after(vec![note.into()]))
}

/// True if there is a file, or whatever else has text, at `path` in `commit`.
///
/// # Errors
///
/// Where git ends. Where objects are damaged otherwise there is no file, as in git.
fn is_file(reader: &mut Reader, commit: &ObjectId, path: &BStr) -> Result<bool> {
    match find_entry(reader, commit, path) {
        Ok(entry) => Ok(entry.is_some()),
        Err(err) if err.ends_lookups() => Err(damaged(err)),
        Err(_) => Ok(false),
    }
}

/// Looks up the file or symbolic link, or whatever else has text, at `path` in `commit`.
///
/// # Errors
///
/// If an object on the way cannot be read.
pub(crate) fn find_file(
    reader: &mut Reader,
    commit: &ObjectId,
    path: &BStr,
) -> Result<Option<TreeEntry>> {
    find_entry(reader, commit, path).map_err(damaged)
}

/// As [`find_file`], with the object that cannot be read.
pub(crate) fn find_entry(
    reader: &mut Reader,
    commit: &ObjectId,
    path: &BStr,
) -> std::result::Result<Option<TreeEntry>, objects::Error> {
    if path.is_empty() || path.ends_with(b"/") {
        return Ok(None);
    }
    match entry_of_commit(reader, commit, path)? {
        Some(entry) if reader.is_blob(&entry)? => Ok(Some(entry)),
        _ => Ok(None),
    }
}

/// What a commit has at a path: a file, a directory or a submodule.
///
/// # Errors
///
/// If an object on the way cannot be read.
pub(crate) fn entry_of_commit(
    reader: &mut Reader,
    commit: &ObjectId,
    path: &BStr,
) -> std::result::Result<Option<TreeEntry>, objects::Error> {
    let tree = reader.commit_head(commit)?.tree;
    let found = reader.find_path(tree, path, None)?;
    Ok(found.map(|chain| chain.entry))
}

fn read_source(
    repository: &Repository,
    path: &BStr,
    source: ContentsSource<'_>,
    converter: Option<&TextConverter>,
    index: &LazyIndex,
) -> Result<(u32, Vec<u8>)> {
    let (name, file) = match source {
        ContentsSource::File(name) if name == "-" => {
            let mut contents = Vec::new();
            io::stdin()
                .lock()
                .read_to_end(&mut contents)
                .map_err(|err| match err.kind() {
                    io::ErrorKind::OutOfMemory => out_of_memory(BStr::new("standard input")),
                    _ => Error::fatal(format!("failed to read from stdin: {}", os_message(&err))),
                })?;
            return Ok((index.mode(path).unwrap_or(REGULAR), contents));
        }
        ContentsSource::Buffer(contents) => {
            return Ok((index.mode(path).unwrap_or(REGULAR), contents.to_vec()));
        }
        ContentsSource::File(name) => (name, repository.named_file(name)),
        ContentsSource::WorkTree => (path, repository.named_file(path)),
    };
    let metadata = match source {
        ContentsSource::WorkTree => file.symlink_metadata(),
        ContentsSource::File(_) | ContentsSource::Buffer(_) => file.metadata(),
    }
    .map_err(|err| {
        let call = match source {
            ContentsSource::WorkTree => "Cannot lstat ",
            ContentsSource::File(_) | ContentsSource::Buffer(_) => "Cannot stat ",
        };
        Error::fatal(quoted(call, name, &format!(": {}", os_message(&err))))
    })?;
    if metadata.is_symlink() {
        let target = std::fs::read_link(&file)
            .map_err(|_| Error::fatal(quoted("cannot readlink ", name, "")))?;
        return Ok((SYMLINK, target.as_os_str().as_encoded_bytes().to_vec()));
    }
    if !metadata.is_file() {
        let mut message = b"unsupported file type ".to_vec();
        message.push_str(name);
        return Err(Error::fatal(message));
    }
    let contents = std::fs::read(&file).map_err(|err| match err.kind() {
        io::ErrorKind::OutOfMemory => out_of_memory(name),
        _ => Error::fatal(quoted("cannot open or read ", name, "")),
    })?;
    let converted = match converter {
        Some(converter) => converter.text_of_file(name)?,
        None => None,
    };
    Ok((file_mode(&metadata), converted.unwrap_or(contents)))
}

fn out_of_memory(name: &BStr) -> Error {
    let mut message = b"Out of memory: ".to_vec();
    message.push_str(name);
    message.push_str(" is too large");
    Error::fatal(message)
}

fn file_mode(metadata: &std::fs::Metadata) -> u32 {
    if system::is_executable(metadata) {
        EXECUTABLE
    } else {
        REGULAR
    }
}

impl Repository {
    /// The tree of `path`, without a slash at its end, if that is a directory in `commit`; empty, it
    /// is the root.
    ///
    /// # Errors
    ///
    /// If an object on the way cannot be read.
    pub(crate) fn directory_tree(
        &self,
        commit: &ObjectId,
        path: &[u8],
    ) -> std::result::Result<Option<ObjectId>, objects::Error> {
        let mut reader = self.reader();
        let root = reader.commit_head(commit)?.tree;
        if path.is_empty() {
            return Ok(Some(root));
        }
        let found = reader.find_path(root, path, None)?;
        let found = found.filter(|found| found.entry.is_tree());
        Ok(found.map(|found| found.entry.id))
    }
}
