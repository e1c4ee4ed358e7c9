//! The files of the work tree that git tracks, and which of them differ from those of HEAD.

use std::{
    fs::Metadata,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bstr::{BStr, BString, ByteSlice};
use gix_index::entry::{Flags, Mode, Stage};
use rustc_hash::FxHashMap;

use crate::{
    engine::{
        ConversionError, PlannedFile, TextConversion, Uncommitted, WorkTreeContents, WorkTreeFile,
    },
    error::{Error, Result},
    objects::{ListedEntry, ObjectId, ObjectKind, Reader, TreeEntry, file_type},
    repository::{
        content::{
            textconv::TextConverter,
            work_tree::{ContentsSource, UncommittedReader},
        },
        open::{index_file::read_index, repository::Repository},
        revisions::peel::damaged,
    },
    sorting,
    system::{self, index_stamp::IndexStamp},
};

const DIRECTORY: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;
const LINK: u32 = 0o120_000;
const SUBMODULE: u32 = 0o160_000;

/// A tree can list as many files as it likes in a few kilobytes.
const MAX_LEFT_OUT: usize = 4 << 20;

/// The work tree on top of HEAD.
#[derive(Debug)]
pub struct WorkTreeFiles {
    converter: Option<Arc<TextConverter>>,
    repository: Arc<Repository>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    uncommitted: UncommittedReader<Arc<Repository>>,
    reader: Reader,
    /// Files of the index that a sparse checkout leaves out of the work tree, by path.
    left_out: FxHashMap<BString, TreeEntry>,
    notes: Vec<BString>,
}

/// An entry of the index.
struct Staged {
    path: BString,
    entry: TreeEntry,
    /// What is known of the file that has these contents. `None` if that is not to be trusted.
    stamp: Option<IndexStamp>,
    /// A sparse checkout leaves the file out of the work tree.
    is_left_out: bool,
}

impl Staged {
    /// Its mode, and whether a sparse checkout leaves it out.
    fn kind(&self) -> (u32, bool) {
        (self.entry.mode, self.is_left_out)
    }
}

impl WorkTreeFiles {
    /// The work tree of `repository` on top of `head`. `now` is in seconds since the epoch.
    ///
    /// # Errors
    ///
    /// If there is no work tree, the index is damaged, or the commits that are being merged cannot
    /// be found.
    pub fn new(
        repository: &Arc<Repository>,
        head: ObjectId,
        converts: bool,
        now: i64,
    ) -> Result<WorkTreeFiles> {
        let converter = converts.then(|| TextConverter::new(repository)).flatten();
        let converter = converter.map(Arc::new);
        let repository = Arc::clone(repository);
        let uncommitted =
            UncommittedReader::new(Arc::clone(&repository), head, converter.clone(), now)?;
        Ok(WorkTreeFiles {
            converter,
            state: Mutex::new(State {
                uncommitted,
                reader: repository.reader(),
                left_out: FxHashMap::default(),
                notes: Vec::new(),
            }),
            repository,
        })
    }

    /// Discards what commands write to their standard error, for a screen on which it would appear.
    pub(crate) fn silence(&self) {
        self.lock().uncommitted.silence();
    }

    /// The files below `directory`, which has no slash at its end, by path: those of the index that
    /// are in the work tree, or that a sparse checkout leaves out. `committed` are those of HEAD.
    ///
    /// # Errors
    ///
    /// If the index cannot be read.
    pub fn list(&self, directory: &BStr, committed: &[PlannedFile]) -> Result<Vec<WorkTreeFile>> {
        let mut state = self.lock();
        let state = &mut *state;
        let mut work_tree = FileFinder::new(self.repository.working_directory());
        let mut files = Vec::new();
        for staged in staged_below(&self.repository, directory, &mut state.reader)? {
            let found = committed.binary_search_by(|file| file.path.cmp(&staged.path));
            let committed = found.ok().map(|at| &committed[at]);
            let is_replaced =
                committed.is_some_and(|file| state.reader.is_replaced(&file.entry.id));
            let is_same = |mode: u32, id: Option<&ObjectId>| {
                committed.is_some_and(|file| {
                    let is_same_type = file.entry.file_type() == file_type(mode);
                    let has_same_id = id == Some(&file.entry.id) && !is_replaced;
                    is_same_type && (file.is_submodule || has_same_id)
                })
            };
            let place = StagedPlace::of(&mut work_tree, staged.path.as_bstr(), staged.kind());
            let mut is_executable = has_executable_bit(staged.entry.mode);
            let (mode, is_changed, is_left_out) = match place {
                None => continue,
                Some(StagedPlace::LeftOut) => {
                    let is_same = is_same(staged.entry.mode, Some(&staged.entry.id));
                    let path = staged.path.clone();
                    state.left_out.insert(path, staged.entry);
                    (staged.entry.mode, !is_same, true)
                }
                Some(StagedPlace::There(SUBMODULE, _)) => {
                    (SUBMODULE, !is_same(SUBMODULE, None), false)
                }
                Some(StagedPlace::There(mode, there)) => {
                    if self.repository.config().file_mode {
                        is_executable = system::is_executable(&there);
                    }
                    let id = match committed {
                        Some(file) if file.entry.file_type() == mode => {
                            let (reader, notes) = (&mut state.reader, &mut state.notes);
                            state.uncommitted.id(&staged, &there, reader, notes)
                        }
                        _ => None,
                    };
                    (mode, !is_same(mode, id.as_ref()), false)
                }
            };
            let has_other_mode = file_type(mode) == REGULAR
                && committed.is_some_and(|file| {
                    let committed = &file.entry;
                    committed.file_type() == REGULAR
                        && has_executable_bit(committed.mode) != is_executable
                });
            files.push(WorkTreeFile {
                path: staged.path,
                mode,
                is_changed,
                has_other_mode,
                is_left_out,
            });
        }
        Ok(files)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Messages of filters so far. Taken: the next call gives what came after.
    pub fn take_notes(&self) -> Vec<BString> {
        std::mem::take(&mut self.lock().notes)
    }
}

impl UncommittedReader<Arc<Repository>> {
    /// The blob id that the file of the work tree would have; `None` if it cannot be read, which is
    /// reported when it is blamed. It is not converted if it is as it was when the index was written,
    /// and attributes neither change its bytes nor did so then, when the blob would be of another
    /// length.
    fn id(
        &mut self,
        staged: &Staged,
        there: &Metadata,
        reader: &mut Reader,
        notes: &mut Vec<BString>,
    ) -> Option<ObjectId> {
        let path = staged.path.as_bstr();
        let is_known = staged
            .stamp
            .as_ref()
            .is_some_and(|stamp| stamp.is_of(&IndexStamp::of(there)));
        let mut has_length_of_blob = || {
            let blob = &staged.entry.id;
            // Nothing is fetched for this.
            reader.lacks(blob) || matches!(reader.size(blob), Ok(Some(len)) if len == there.len())
        };
        let is_known = is_known && has_length_of_blob();
        if is_known && matches!(self.is_stored_as_it_is(path, there.is_file()), Ok(true)) {
            return Some(staged.entry.id);
        }
        Some(self.entry_of_file(path, notes).ok()?.id)
    }
}

impl WorkTreeContents for WorkTreeFiles {
    fn read(&self, path: &BStr) -> std::result::Result<Uncommitted, ConversionError> {
        let mut state = self.lock();
        let State {
            uncommitted,
            reader,
            left_out,
            notes,
        } = &mut *state;
        let Some(&entry) = left_out.get(path) else {
            return Ok(uncommitted.read(path, ContentsSource::WorkTree, notes)?);
        };
        let blob = reader.object_of_kind(&entry.id, ObjectKind::Blob);
        let contents = blob.map_err(damaged)?.data;
        let converted = match &self.converter {
            Some(converter) => converter.convert(path, entry.mode, &entry.id, &contents)?,
            None => None,
        };
        Ok(uncommitted.uncommitted(entry, converted.unwrap_or(contents)))
    }
}

/// Where a file of the index is.
#[derive(Debug)]
pub(crate) enum StagedPlace {
    /// In the work tree, with these type bits of its mode.
    There(u32, Metadata),
    /// A sparse checkout leaves it out.
    LeftOut,
}

impl StagedPlace {
    /// The place of a file of the index with a mode, which a sparse checkout may leave out; `None` if
    /// it was removed, or something else is there that git would not track in its place.
    pub(crate) fn of(
        work_tree: &mut FileFinder,
        path: &BStr,
        (mode, is_left_out): (u32, bool),
    ) -> Option<StagedPlace> {
        match work_tree.find(path) {
            Some(there) => Some(StagedPlace::There(tracked_type(&there, mode)?, there)),
            None => is_left_out.then_some(StagedPlace::LeftOut),
        }
    }
}

/// True for the mode of a file that can be executed, as git keeps it.
fn has_executable_bit(mode: u32) -> bool {
    mode & 0o100 != 0
}

/// The type bits of the mode that a file of the index has in the work tree, where its path leads
/// `there`; `None` if that is no file that git would track in its place.
pub(crate) fn tracked_type(there: &Metadata, staged_mode: u32) -> Option<u32> {
    let is_submodule = file_type(staged_mode) == SUBMODULE;
    if is_submodule {
        there.is_dir().then_some(SUBMODULE)
    } else if there.is_symlink() {
        Some(LINK)
    } else {
        there.is_file().then_some(REGULAR)
    }
}

/// Finds files of the work tree, and remembers its directories.
pub(crate) struct FileFinder {
    root: PathBuf,
    /// By path, with a slash at its end: if it is a directory, and not a link to one.
    known: FxHashMap<BString, bool>,
}

impl FileFinder {
    pub(crate) fn new(root: &Path) -> FileFinder {
        FileFinder {
            root: root.to_owned(),
            known: FxHashMap::default(),
        }
    }

    /// What is known of a file, if all that is above it are directories. git takes a file below a
    /// link for one that was removed.
    pub(crate) fn find(&mut self, path: &BStr) -> Option<Metadata> {
        for at in path.find_iter(b"/") {
            let above = &path[..=at];
            let is_directory = match self.known.get(above.as_bstr()) {
                Some(known) => *known,
                None => {
                    let there = self.root.join(path[..at].to_path_lossy());
                    let there = there.symlink_metadata();
                    let found = there.is_ok_and(|there| there.is_dir());
                    self.known.insert(above.into(), found);
                    found
                }
            };
            if !is_directory {
                return None;
            }
        }
        let file = self.root.join(path.to_path().ok()?);
        file.symlink_metadata().ok()
    }
}

/// The entries of the index below a directory, by path; of a path with conflicts the first.
fn staged_below(
    repository: &Repository,
    directory: &BStr,
    reader: &mut Reader,
) -> Result<Vec<Staged>> {
    let written = std::fs::metadata(&repository.layout().index);
    let written = written.ok().map(|it| IndexStamp::of(&it));
    let index = read_index(repository.layout())?;
    let mut found: Vec<Staged> = Vec::new();
    for entry in index.entries() {
        let path = entry.path(&index);
        if !is_below(path, directory) || found.last().is_some_and(|last| last.path == path) {
            continue;
        }
        let is_left_out = entry.flags.contains(Flags::SKIP_WORKTREE);
        let mode = match entry.mode {
            Mode::DIR => DIRECTORY,
            mode => mode.bits(),
        };
        let of_entry = TreeEntry { mode, id: entry.id };
        if mode == DIRECTORY {
            list_left_out(path, of_entry.id, directory, reader, &mut found)?;
            continue;
        }
        let is_settled = entry.stage() == Stage::Unconflicted
            && !entry.flags.contains(Flags::INTENT_TO_ADD)
            && entry.stat.size > 0;
        let stat = &entry.stat;
        let stamp = IndexStamp {
            modified: (stat.mtime.secs, stat.mtime.nsecs),
            changed: (stat.ctime.secs, stat.ctime.nsecs),
            inode: stat.ino,
            size: stat.size,
        };
        // A file that was changed while the index was written may have the same time.
        let is_older = written
            .as_ref()
            .is_some_and(|written| stamp.modified < written.modified);
        found.push(Staged {
            path: path.to_owned(),
            entry: of_entry,
            stamp: (is_settled && is_older).then_some(stamp),
            is_left_out,
        });
    }
    Ok(found)
}

/// Adds the files of a directory that the index has as a whole, because a sparse checkout leaves it
/// out of the work tree.
fn list_left_out(
    above: &BStr,
    tree: ObjectId,
    directory: &BStr,
    reader: &mut Reader,
    found: &mut Vec<Staged>,
) -> Result<()> {
    let (mut files, mut failure) = (Vec::new(), None);
    let listed = reader.list_tree(tree, &mut |below, entry| {
        let entry = match entry {
            ListedEntry::Entry(entry) => entry,
            ListedEntry::Unreadable(_, error) => {
                failure = Some(error);
                return ControlFlow::Break(());
            }
        };
        let path = BString::from([above.as_bytes(), &below[..]].concat());
        files.push((path, entry));
        if files.len() < MAX_LEFT_OUT {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    listed.and(failure.map_or(Ok(()), Err)).map_err(damaged)?;
    if files.len() >= MAX_LEFT_OUT {
        return Err(Error::fatal("the directory has too many files"));
    }
    sorting::sort_by(&mut files, |(one, _), (other, _)| one.cmp(other));
    let files = files
        .into_iter()
        .filter(|(path, _)| is_below(path.as_bstr(), directory));
    found.extend(files.map(|(path, entry)| Staged {
        path,
        entry,
        stamp: None,
        is_left_out: true,
    }));
    Ok(())
}

/// True for a path below a directory, both from the root of the work tree, that leads nowhere else.
fn is_below(path: &BStr, directory: &BStr) -> bool {
    let is_in_directory = directory.is_empty()
        || (path.strip_prefix(directory.as_bytes())).is_some_and(|rest| rest.starts_with(b"/"))
        || (path.ends_with(b"/") && directory.starts_with(path));
    let parts = path.strip_suffix(b"/").unwrap_or(path);
    let leads_elsewhere =
        |part: &[u8]| [&b""[..], b".", b".."].contains(&part) || part.eq_ignore_ascii_case(b".git");
    is_in_directory && !parts.split_str("/").any(leads_elsewhere)
}
