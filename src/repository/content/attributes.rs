//! Git attributes of paths: from the work tree with the index as fallback, or from a tree
//! (gitattributes(5)).

use std::{
    borrow::Cow,
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use bstr::{BStr, BString, ByteSlice};
use gix_attributes::{
    Search,
    search::{MetadataCollection, Outcome},
};
use gix_glob::pattern::Case;
use gix_index::State;

use crate::{
    error::{Error, Result, until_nul},
    objects::{ObjectId, ObjectKind, Reader, Store},
    repository::{
        open::{
            configuration::sources::{system_file, user_file},
            environment::EnvironmentUse,
            git_config::LineEndSettings,
            index_file::{may_have_entry, read_index},
            layout::Layout,
            optional_file::read_if_present,
            repository::Repository,
        },
        revisions::{peel::peel_with_kind, resolver::RevisionResolver},
    },
};

/// The name of an attributes file in a tree.
const NAME: &[u8] = b".gitattributes";

/// The files that attributes are read from.
pub(crate) struct AttributeFiles {
    environment: EnvironmentUse,
    layout: Layout,
    /// Where the files of the tree are: the root of the work tree, or the directory that the
    /// program runs in.
    root: PathBuf,
    /// The files outside of the repository that may exist.
    global: Vec<PathBuf>,
    ignore_case: bool,
    line_ends: LineEndSettings,
    store: Arc<Store>,
    tree: AttributeSource,
    /// Reads files from the index that the work tree lacks. git has read the index only if it
    /// blames uncommitted contents.
    index: bool,
}

/// Where `.gitattributes` files are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AttributeSource {
    /// The work tree, or the directory in the repository that the program runs in.
    Directory,
    /// A bare repository has no such files.
    Nowhere,
    /// The tree of `GIT_ATTR_SOURCE` or `attr.tree`.
    Tree(ObjectId),
    /// `GIT_ATTR_SOURCE` does not name an object.
    Invalid,
}

/// Attribute lookup; each file is read once.
pub(crate) struct Attributes {
    files: AttributeFiles,
    reader: Reader,
    /// The files outside of the repository, and that for attributes of the repository alone.
    outside: Option<OutsideFiles>,
    /// The file in each directory that was looked at. The names of directories end with slashes.
    texts: HashMap<BString, Option<Vec<u8>>>,
    /// The patterns for what is below each directory that has a file, and below the root.
    patterns: HashMap<BString, Patterns>,
    /// The index, once a file is to be read from it.
    index: Option<State>,
    /// The index file was searched for names of files.
    index_searched: bool,
}

/// The texts of files that are not in a tree.
struct OutsideFiles {
    /// Those of the system and the user.
    global: Vec<Vec<u8>>,
    /// That for attributes of the repository alone.
    info: Option<Vec<u8>>,
}

/// Patterns of several files, the least important first.
struct Patterns {
    search: Search,
    collection: MetadataCollection,
}

impl std::fmt::Debug for AttributeFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AttributeFiles")
            .field("tree", &self.tree)
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Attributes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Attributes").finish_non_exhaustive()
    }
}

impl AttributeFiles {
    /// The files of `repository`, without those of the index.
    pub(crate) fn new(repository: &Repository) -> AttributeFiles {
        let named = repository.attribute_source();
        let tree = match (named, &repository.config().attribute_tree) {
            (Some(name), _) => named_tree(repository, name, AttributeSource::Invalid),
            (None, Some(name)) => {
                let other = AttributeSource::without_a_tree(repository);
                named_tree(repository, name.as_bstr(), other)
            }
            (None, None) => AttributeSource::without_a_tree(repository),
        };
        let root = repository.working_directory().to_owned();
        let config = repository.config();
        let environment = repository.environment();
        AttributeFiles {
            environment,
            global: global_files(environment, config.attributes_file.as_ref(), &root),
            ignore_case: config.ignore_case,
            line_ends: config.line_ends.clone(),
            layout: repository.layout().clone(),
            root,
            store: Arc::clone(repository.store()),
            tree,
            index: false,
        }
    }

    /// The files of the work tree, and those of the index that it lacks.
    pub(crate) fn with_index(repository: &Repository) -> AttributeFiles {
        let mut files = AttributeFiles::new(repository);
        files.index = true;
        files
    }

    /// Checks the variables of the environment that say which files are read.
    ///
    /// # Errors
    ///
    /// If `GIT_ATTR_SOURCE` does not name an object, or `GIT_ATTR_NOSYSTEM` is no boolean.
    pub(crate) fn check(&self) -> Result<()> {
        match self.tree {
            AttributeSource::Invalid => Err(Error::fatal("bad --attr-source or GIT_ATTR_SOURCE")),
            _ => self.environment.boolean("GIT_ATTR_NOSYSTEM").map(drop),
        }
    }

    /// Attributes of any path. Nothing is read yet.
    pub(crate) fn open(self) -> Attributes {
        Attributes {
            reader: self.store.reader(),
            files: self,
            outside: None,
            texts: HashMap::new(),
            patterns: HashMap::new(),
            index: None,
            index_searched: false,
        }
    }
}

/// The attributes files of the system and the user. `directory` is where a relative path of the
/// configuration starts.
fn global_files(
    environment: EnvironmentUse,
    configured: Option<&BString>,
    directory: &Path,
) -> Vec<PathBuf> {
    let omits_system = environment.boolean("GIT_ATTR_NOSYSTEM") == Ok(Some(true));
    let system = (!omits_system).then(|| system_file("gitattributes"));
    let configured = configured.map(|file| directory.join(file.to_path_lossy()));
    let user = configured.or_else(|| user_file("attributes"));
    system.into_iter().chain(user).collect()
}

impl AttributeSource {
    fn without_a_tree(repository: &Repository) -> AttributeSource {
        if repository.is_bare() {
            AttributeSource::Nowhere
        } else {
            AttributeSource::Directory
        }
    }
}

/// The tree that `name` leads to. An object of another kind has no attributes; `other` if there is
/// no object.
fn named_tree(repository: &Repository, name: &BStr, other: AttributeSource) -> AttributeSource {
    let id = match RevisionResolver::new(repository, &mut Vec::new()).object(name) {
        Ok(Some(id)) => id,
        Ok(None) => return other,
        Err(_) => return AttributeSource::Invalid,
    };
    let mut reader = repository.reader();
    let Ok((id, kind)) = peel_with_kind(&mut reader, id) else {
        return other;
    };
    match kind {
        Some(ObjectKind::Tree) => AttributeSource::Tree(id),
        Some(ObjectKind::Commit) => match reader.commit_head(&id) {
            Ok(head) => AttributeSource::Tree(head.tree),
            Err(_) => AttributeSource::Nowhere,
        },
        _ => AttributeSource::Nowhere,
    }
}

/// The directories above `path`, from the root down.
fn directories(path: &BStr) -> impl Iterator<Item = &BStr> {
    let ends = std::iter::once(0).chain(path.find_iter(b"/").map(|at| at + 1));
    ends.map(|end| path[..end].as_bstr())
}

impl Attributes {
    /// From now on, files that the work tree lacks are read from the index.
    pub(crate) fn use_index(&mut self) {
        self.files.index = true;
        self.texts.retain(|_, text| text.is_some());
        self.patterns.clear();
    }

    /// The diff driver that the attribute `diff` names at `path`.
    pub(crate) fn diff_driver(&mut self, path: &BStr) -> Result<Option<BString>> {
        self.value(path, "diff")
    }

    /// The filter driver that the attribute `filter` names at `path`.
    pub(crate) fn filter(&mut self, path: &BStr) -> Result<Option<BString>> {
        self.value(path, "filter")
    }

    /// The value of an attribute at `path`; `None` if unset, unspecified or set without a value.
    fn value(&mut self, path: &BStr, name: &str) -> Result<Option<BString>> {
        let [state] = self.states(path, [name])?;
        Ok(match state {
            AttributeState::Value(value) => Some(value),
            _ => None,
        })
    }

    /// How the ends of lines are converted without attributes.
    pub(super) fn settings(&self) -> &LineEndSettings {
        &self.files.line_ends
    }

    /// The blob at `path` in the index.
    pub(super) fn staged_blob(&mut self, path: &BStr) -> Option<Arc<[u8]>> {
        let id = self.index().ok()?.entry_by_path(path)?.id;
        let blob = self.reader.object_of_kind(&id, ObjectKind::Blob).ok()?;
        Some(blob.data)
    }

    fn index(&mut self) -> Result<&State> {
        Ok(match &mut self.index {
            Some(index) => index,
            unread => unread.insert(read_index(&self.files.layout)?),
        })
    }

    /// The states of several attributes at `path`.
    ///
    /// # Errors
    ///
    /// A file cannot be read.
    pub(super) fn states<const N: usize>(
        &mut self,
        path: &BStr,
        names: [&str; N],
    ) -> Result<[AttributeState; N]> {
        let case = if self.files.ignore_case {
            Case::Fold
        } else {
            Case::Sensitive
        };
        let Patterns { search, collection } = self.patterns(path)?;
        let mut outcome = Outcome::default();
        outcome.initialize_with_selection(collection, names);
        search.pattern_matching_relative_path(path, case, Some(false), &mut outcome);
        let mut selected = outcome.iter_selected();
        Ok(names.map(
            |_| match selected.next().map(|found| found.assignment.state) {
                Some(gix_attributes::StateRef::Set) => AttributeState::Set,
                Some(gix_attributes::StateRef::Unset) => AttributeState::Unset,
                Some(gix_attributes::StateRef::Value(value)) => {
                    AttributeState::Value(value.as_bstr().as_bytes().into())
                }
                Some(gix_attributes::StateRef::Unspecified) | None => AttributeState::Unspecified,
            },
        ))
    }

    /// The patterns for `path`: those of the nearest directory above it that has a file.
    fn patterns(&mut self, path: &BStr) -> Result<&Patterns> {
        let directory = path[..path.rfind_byte(b'/').map_or(0, |at| at + 1)].as_bstr();
        self.read_for(directory)?;
        let has_file = |directory: &&BStr| matches!(self.texts.get(*directory), Some(Some(_)));
        let nearest = directories(directory).filter(has_file).last();
        let nearest = nearest.unwrap_or_default();
        if !self.patterns.contains_key(nearest) {
            let patterns = self.parse_for(nearest)?;
            self.patterns.insert(nearest.to_owned(), patterns);
        }
        Ok(&self.patterns[nearest])
    }

    /// Parses the files that apply below `directory`.
    fn parse_for(&self, directory: &BStr) -> Result<Patterns> {
        let mut collection = MetadataCollection::default();
        let none = std::iter::empty::<PathBuf>();
        let mut search =
            Search::new_globals(none, &mut Vec::new(), &mut collection).map_err(unreadable)?;
        for (place, text) in self.texts_for(directory) {
            // Without a place, patterns are about paths from the root.
            let place = place.filter(|place| !place.is_empty());
            let (file, root) = match place {
                Some(place) => (place.to_path_lossy().join("x"), Some(Path::new(""))),
                None => (PathBuf::from("x"), None),
            };
            search
                .add_patterns_buffer(
                    &readable(text),
                    file,
                    root,
                    &mut collection,
                    place.is_none(),
                )
                .map_err(unreadable)?;
        }
        Ok(Patterns { search, collection })
    }

    /// The files that were read and apply below `directory`, the least important first, each with
    /// its directory if it belongs to the tree.
    fn texts_for<'a>(
        &'a self,
        directory: &'a BStr,
    ) -> impl Iterator<Item = (Option<&'a BStr>, &'a Vec<u8>)> {
        let outside = self.outside.iter();
        let global = outside.clone().flat_map(|files| &files.global);
        let info = outside.filter_map(|files| files.info.as_ref());
        let in_tree = directories(directory).filter_map(|directory| {
            let text = self.texts.get(directory)?.as_ref()?;
            Some((Some(directory), text))
        });
        let global = global.map(|text| (None, text));
        global.chain(in_tree).chain(info.map(|text| (None, text)))
    }

    /// Reads the files that apply below `directory`, as far as they were not.
    fn read_for(&mut self, directory: &BStr) -> Result<()> {
        if self.outside.is_none() {
            self.files.check()?;
            let mut global = Vec::new();
            for file in &self.files.global {
                global.extend(read_if_present(file)?);
            }
            let info = self.files.layout.common_dir.join("info/attributes");
            let info = read_if_present(&info)?;
            self.outside = Some(OutsideFiles { global, info });
        }
        let mut lacking = Vec::new();
        for directory in directories(directory) {
            if self.texts.contains_key(directory) {
                continue;
            }
            let name = BString::from([directory, NAME].concat());
            let text = match self.files.tree {
                AttributeSource::Tree(tree) => {
                    let found = self.reader.find_path(tree, &name, None).ok().flatten();
                    found.and_then(|found| self.stored(found.entry.id))
                }
                AttributeSource::Directory => {
                    let file = self.files.root.join(name.to_path_lossy());
                    match file.symlink_metadata() {
                        // A link is not followed.
                        Ok(metadata) if !metadata.is_symlink() => read_if_present(&file)?,
                        _ => {
                            lacking.push(name);
                            continue;
                        }
                    }
                }
                AttributeSource::Nowhere | AttributeSource::Invalid => None,
            };
            self.texts.insert(directory.to_owned(), text);
        }
        self.read_staged(lacking)
    }

    /// Reads files that the work tree lacks.
    fn read_staged(&mut self, names: Vec<BString>) -> Result<()> {
        let searched = std::mem::replace(&mut self.index_searched, true);
        // Most of the time that the index takes is for its entries. It is not searched twice.
        let reads = self.files.index
            && !names.is_empty()
            && (searched || may_have_entry(&self.files.layout.index, &names));
        for name in names {
            let directory = name[..name.len() - NAME.len()].into();
            let id = if reads {
                self.index()?
                    .entry_by_path(name.as_bstr())
                    .map(|entry| entry.id)
            } else {
                None
            };
            let text = id.and_then(|id| self.stored(id));
            self.texts.insert(directory, text);
        }
        Ok(())
    }

    fn stored(&mut self, id: ObjectId) -> Option<Vec<u8>> {
        let blob = self.reader.object_of_kind(&id, ObjectKind::Blob).ok()?;
        // gix-attributes passes over a byte order mark, git only in files outside of the object
        // store: it gets one to pass over. A NUL ends a stored file, but only the line in others.
        Some([b"\xef\xbb\xbf", until_nul(&blob.data)].concat())
    }
}

/// The longest line that git reads, in bytes.
const MAX_LINE: usize = 2047;

/// A file without what git passes over: longer lines, and what follows a NUL in others.
fn readable(text: &[u8]) -> Cow<'_, [u8]> {
    let is_odd = |line: &[u8]| line.len() > MAX_LINE || line.contains(&0);
    if !text.lines().any(is_odd) {
        return text.into();
    }
    let lines = text.lines().map(|line| {
        if line.len() > MAX_LINE {
            &[]
        } else {
            until_nul(line)
        }
    });
    lines
        .flat_map(|line| [line, b"\n"])
        .collect::<Vec<_>>()
        .concat()
        .into()
}

/// The state of an attribute at a path (gitattributes(5)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AttributeState {
    Set,
    Unset,
    Unspecified,
    Value(BString),
}

impl AttributeState {
    pub(super) fn is(&self, value: &str) -> bool {
        matches!(self, AttributeState::Value(own) if own == value)
    }
}

impl Repository {
    /// The encoding of the contents of `path` by its attributes: `encoding`, as in `git gui`, else
    /// `working-tree-encoding` for contents that are not UTF-8, that is, were committed without it.
    pub fn encoding_of(&self, path: &BStr, contents: &[u8]) -> Option<BString> {
        // Errors are ignored here; the blame reports them where they matter.
        let mut attributes = AttributeFiles::with_index(self).open();
        let encoding = attributes.value(path, "encoding").ok()?;
        encoding.or_else(|| {
            let wanted = std::str::from_utf8(contents).is_err();
            wanted.then(|| attributes.value(path, "working-tree-encoding").ok()?)?
        })
    }
}

fn unreadable(err: std::io::Error) -> Error {
    Error::fatal(format!("unable to read attributes: {err}"))
}
