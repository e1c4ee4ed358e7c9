//! Cached blames of one repository: looking them up and keeping new ones.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsString,
    fmt,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::Duration,
};

use bstr::{BStr, BString, ByteSlice};
use rustc_hash::FxHashSet;

use crate::{
    cache::{
        directory::{RepositoryDirectory, create_own_directory, is_own_directory, write_file},
        eviction,
        fingerprint::{self, RequestFingerprint, hash},
        record::{self, Expected},
        settings::CacheSettings,
        tree_files::{TREES, TreeFiles, directories_above},
        tree_record::{TreeFile, TreeIndex},
    },
    engine::{BlameCache, CachedBlame, Request, TextAttributes, TextConversion},
    objects::{HashKind, ObjectId},
    repository::{Repository, commits::cached_texts::CachedTexts},
    system::{self, run_log},
};

/// The directory of blames in that of a repository.
const BLAMES: &str = "blames";

/// Most names kept of a path with one set of options. A blame has up to two, and one for each older
/// version.
const MAX_OF_PATH: usize = 64;

/// Ends the name of a file for an older version than the blamed one.
const OLDER: &str = "-older";

/// The cached blames of a repository.
#[derive(Debug, Clone)]
pub struct BlameFiles {
    pub(super) directory: RepositoryDirectory,
    pub(super) settings: CacheSettings,
}

impl BlameFiles {
    /// The cached blames in `directory`.
    pub fn new(directory: &RepositoryDirectory, settings: &CacheSettings) -> BlameFiles {
        BlameFiles {
            directory: directory.clone(),
            settings: settings.clone(),
        }
    }

    /// The cached blames that were made with the options of `request`. `None` if such blames are
    /// not kept. Commit texts are read into `texts`.
    pub fn of_request(
        &self,
        repository: &Repository,
        request: &Request,
        texts: Arc<CachedTexts>,
    ) -> Option<RequestCache> {
        // Copied lines come from files whose paths are not kept.
        if request.text_conversion.is_some() && request.movement.copy_level > 0 {
            note(format_args!("not for -C with text conversion"));
            return None;
        }
        let kind = repository.hash();
        let replacements = repository.store().replacements();
        let Some(fingerprint) = fingerprint::compute(request, kind, replacements) else {
            note(format_args!(
                "not for ranges of revisions, dates and --reverse"
            ));
            return None;
        };
        Some(RequestCache {
            files: self.clone(),
            is_trusted: self.directory.is_trusted(),
            fingerprint,
            kind,
            conversion: request.text_conversion.clone(),
            attributes: request.text_attributes.clone(),
            is_of_many: false,
            listed: Arc::default(),
            tree_commits: HashMap::new(),
            trees: HashMap::new(),
            met_conversion: false,
            texts,
        })
    }
}

/// The cached blames with one set of options.
#[derive(Debug)]
pub struct RequestCache {
    pub(super) files: BlameFiles,
    pub(super) is_trusted: bool,
    pub(super) fingerprint: RequestFingerprint,
    pub(super) kind: HashKind,
    conversion: Option<Arc<dyn TextConversion>>,
    attributes: Option<Arc<dyn TextAttributes>>,
    /// One after the other, many files are blamed.
    is_of_many: bool,
    /// The names of the directories of blames, listed once for many files.
    listed: Arc<OnceLock<FxHashSet<OsString>>>,
    /// By directory: the commits of which the blames of all its files are kept.
    tree_commits: HashMap<BString, Vec<ObjectId>>,
    /// By directory and commit: kept blames of all its files, as far as they were opened and hold.
    trees: HashMap<(BString, ObjectId), Option<(TreeFile, TreeIndex)>>,
    /// A path of the file that is blamed has a conversion.
    met_conversion: bool,
    pub(super) texts: Arc<CachedTexts>,
}

impl RequestCache {
    /// The same for one of the threads that blame many files.
    pub fn of_many_files(&self) -> Box<dyn BlameCache> {
        Box::new(RequestCache {
            files: self.files.clone(),
            conversion: self.conversion.clone(),
            attributes: self.attributes.clone(),
            is_of_many: true,
            listed: Arc::clone(&self.listed),
            tree_commits: HashMap::new(),
            trees: HashMap::new(),
            texts: Arc::clone(&self.texts),
            ..*self
        })
    }

    /// The directory of the blames of `path`: a file for each commit.
    fn directory(&self, path: &BStr) -> PathBuf {
        let name = hash(&[self.fingerprint.as_slice(), path]);
        self.blames().join(name.to_hex_with_len(32).to_string())
    }

    /// The directory of all these directories.
    fn blames(&self) -> PathBuf {
        self.files.directory.path().join(BLAMES)
    }

    /// True if there may be something in a directory of blames.
    fn may_have(&self, directory: &Path) -> bool {
        let names = || {
            let entries = fs::read_dir(self.blames()).into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name()).collect()
        };
        !self.is_of_many
            || directory
                .file_name()
                .is_some_and(|name| self.listed.get_or_init(names).contains(name))
    }

    /// The commits of which the blames of a directory above `path` are kept.
    fn commits_of_trees(&mut self, path: &BStr) -> HashSet<ObjectId> {
        let trees = self.tree_files();
        let known = &mut self.tree_commits;
        let mut found = HashSet::new();
        for directory in directories_above(path) {
            let directory = BStr::new(directory);
            if !known.contains_key(directory) {
                known.insert(directory.to_owned(), trees.commits(directory));
            }
            found.extend(known.get(directory).into_iter().flatten());
        }
        found
    }

    /// True if text conversion changes versions of the file at `path`.
    fn converts(&self, path: &[u8]) -> bool {
        let conversion = self.conversion.as_ref();
        conversion.is_some_and(|conversion| conversion.converts(path))
    }

    /// True if text conversion changes a version of a file at one of the paths of `blame`.
    fn converts_any(&self, blame: &CachedBlame) -> bool {
        blame.paths.iter().any(|path| self.converts(path))
    }

    /// True if text conversion changes a version of the file at `path`, which was at `paths`.
    pub(super) fn converts_file(&self, path: &BString, paths: &[Arc<BString>]) -> bool {
        self.converts(path) || paths.iter().any(|path| self.converts(path))
    }

    /// True if there is a blame of `path` in `commit`.
    pub fn knows(&self, path: &BStr, commit: Option<&ObjectId>) -> bool {
        let Some(commit) = commit.filter(|_| self.is_trusted) else {
            return false;
        };
        let trees = self.tree_files();
        let mut above = directories_above(path);
        self.directory(path).join(commit.to_string()).exists()
            || above.any(|directory| trees.path(directory, commit).exists())
    }

    /// The kept directories with the same options.
    pub(super) fn tree_files(&self) -> TreeFiles {
        TreeFiles {
            trees: self.files.directory.path().join(TREES),
            fingerprint: self.fingerprint,
            kind: self.kind,
        }
    }

    /// The blame of a file from that of a directory that it is in.
    fn get_from_tree(
        &mut self,
        commit: &ObjectId,
        path: &BStr,
        blob: &ObjectId,
    ) -> Option<CachedBlame> {
        let files = self.tree_files();
        let attributes = self.attributes.as_deref();
        let trees = &mut self.trees;
        directories_above(path).find_map(|directory| {
            let open = || {
                let mut file = files.open(directory, commit)?;
                let index = file.index(commit, directory)?;
                index.holds(attributes).then_some((file, index))
            };
            let key = (BString::from(directory), *commit);
            let (file, index) = trees.entry(key).or_insert_with(open).as_mut()?;
            file.blame(index, path, blob)
        })
    }

    /// True if blames are kept that took `elapsed`.
    pub fn is_kept(&self, elapsed: Duration) -> bool {
        let min_time = self.files.settings.min_time;
        let is_kept = elapsed >= min_time;
        if !is_kept {
            note(format_args!(
                "not kept: the blame took {elapsed:.1?}, less than {min_time:.1?}"
            ));
        }
        is_kept
    }

    /// Keeps a blame that took `elapsed`, if that was long enough.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn keep(&self, blame: &CachedBlame, elapsed: Duration) -> io::Result<()> {
        let Some(commit) = blame.commits.first() else {
            return Ok(());
        };
        if !self.is_kept(elapsed) {
            return Ok(());
        }
        if self.converts_any(blame) || self.texts.have_wrong_hash() {
            note(format_args!(
                "not kept: a text is converted, or a commit is another than its id"
            ));
            return Ok(());
        }
        let bytes = record::encode(blame, &self.fingerprint, |id| {
            self.texts.get(id).filter(|_| self.files.settings.texts)
        });
        if bytes.len() as u64 > record::MAX_LEN {
            return Ok(());
        }
        let (len, max_bytes) = (bytes.len() as u64, self.files.settings.max_bytes);
        let written = eviction::write_within(max_bytes, &self.files.directory, len, || {
            self.write(blame, commit, &bytes)
        });
        match &written {
            Ok(()) => note(format_args!("kept: the blame of {commit}, {len} bytes")),
            Err(err) => note(format_args!("not kept: {:?}", err.kind())),
        }
        written
    }

    /// Writes the bytes of a blame under the names of its commits, of which `commit` is the first.
    fn write(&self, blame: &CachedBlame, commit: &ObjectId, bytes: &[u8]) -> io::Result<()> {
        let directory = self.directory(blame.path.as_bstr());
        for directory in directory.parent().into_iter().chain([directory.as_path()]) {
            create_own_directory(directory)?;
        }
        let file = directory.join(commit.to_string());
        write_file(&file, bytes)?;
        for other in &blame.commits[1..] {
            let other = directory.join(other.to_string());
            // A file system without hard links does without the second name.
            let _ = fs::remove_file(&other);
            let _ = fs::hard_link(&file, &other);
        }
        for older in &blame.older {
            // If there is one already, it was made of a blame nearer to this version, which had
            // more of its lines.
            let _ = fs::hard_link(&file, directory.join(format!("{}{OLDER}", older.commit)));
        }
        eviction::remove_oldest(&directory, MAX_OF_PATH);
        Ok(())
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        // Opening something else could wait forever.
        if !fs::symlink_metadata(path).ok()?.is_file() {
            return None;
        }
        let file = File::open(path).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || !system::is_own(&metadata) || metadata.len() > record::MAX_LEN {
            return None;
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).ok()?);
        (&file).take(record::MAX_LEN).read_to_end(&mut bytes).ok()?;
        eviction::note_used(path);
        Some(bytes)
    }
}

fn note(text: fmt::Arguments<'_>) {
    run_log::note("cache", text);
}

impl BlameCache for RequestCache {
    fn begin_file(&mut self) {
        self.met_conversion = false;
    }

    fn commits(&mut self, path: &BStr) -> HashSet<ObjectId> {
        let directory = self.directory(path);
        // A file that was renamed as it was gets all lines, also those of a text that conversion
        // made longer.
        self.met_conversion |= self.converts(path);
        if !self.is_trusted || self.met_conversion {
            let reason = if self.is_trusted {
                "the file is converted to text"
            } else {
                self.files.directory.unused_for().unwrap_or_default()
            };
            if !self.is_of_many {
                note(format_args!("not used: {reason}"));
            }
            return HashSet::new();
        }
        let mut commits = self.commits_of_trees(path);
        if self.may_have(&directory) && is_own_directory(&directory) {
            let entries = fs::read_dir(directory).into_iter().flatten().flatten();
            let ids = entries.filter_map(|entry| {
                let name = entry.file_name();
                let name = name.as_encoded_bytes();
                ObjectId::from_hex(name.strip_suffix(OLDER.as_bytes()).unwrap_or(name)).ok()
            });
            commits.extend(ids.filter(|id| id.kind() == self.kind));
        }
        if !self.is_of_many || !commits.is_empty() {
            let (count, of) = (commits.len(), run_log::path(path));
            note(format_args!(
                "blames of {count} commits are kept of {of} with these options"
            ));
        }
        commits
    }

    fn get(&mut self, commit: &ObjectId, path: &BStr, blob: &ObjectId) -> Option<CachedBlame> {
        let directory = self.directory(path);
        let bytes = self
            .read(&directory.join(commit.to_string()))
            .or_else(|| self.read(&directory.join(format!("{commit}{OLDER}"))));
        let Some(bytes) = bytes else {
            let blame = self.get_from_tree(commit, path, blob);
            let blame = blame.filter(|blame| !self.converts_any(blame));
            let what = if blame.is_some() {
                "hit: the blame, from that of a directory, of"
            } else {
                "miss: what is kept cannot be read or used of"
            };
            note(format_args!("{what} {commit}"));
            return blame;
        };
        let expected = Expected {
            kind: self.kind,
            fingerprint: &self.fingerprint,
            commit,
            path,
            blob,
        };
        let Some(record) = record::decode(&bytes, expected) else {
            note(format_args!(
                "miss: what is kept of {commit} is damaged, or of another file"
            ));
            return None;
        };
        if self.converts_any(&record.blame) {
            note(format_args!(
                "miss: in the blame of {commit} a text is converted"
            ));
            return None;
        }
        note(format_args!("hit: the blame of {commit}"));
        self.texts.insert_all(bytes, record.texts);
        Some(record.blame)
    }
}
