//! Git attributes of paths: from the work tree with the index as fallback, or from a tree
//! (gitattributes(5)).

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use bstr::{BStr, BString, ByteSlice};
use gix_index::State;

use crate::{
    error::{Error, Result, until_nul},
    objects::{ObjectId, ObjectKind, Reader, Store},
    repository::{
        content::attribute_rules::{self, AttributeRules, AttributeState},
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
    files_in_tree: HashMap<BString, Option<AttributeRules>>,
    /// The index, once a file is to be read from it.
    index: Option<State>,
    /// The index file was searched for names of files.
    index_searched: bool,
}

/// Files that are not in a tree.
struct OutsideFiles {
    /// Those of the system and the user.
    global: Vec<AttributeRules>,
    /// That for attributes of the repository alone.
    info: Option<AttributeRules>,
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
            files_in_tree: HashMap::new(),
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
        self.files_in_tree.retain(|_, file| file.is_some());
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
        let directory = path[..path.rfind_byte(b'/').map_or(0, |at| at + 1)].as_bstr();
        self.read_for(directory)?;
        let mut in_tree: Vec<_> = directories(directory)
            .filter_map(|above| Some((above, self.files_in_tree.get(above)?.as_ref()?)))
            .collect();
        in_tree.reverse();
        let outside = self.outside.iter();
        let info = outside.clone().filter_map(|files| files.info.as_ref());
        let global = outside.flat_map(|files| files.global.iter().rev());
        let of_root = |rules| (BStr::new(""), rules);
        let files = info.map(of_root).chain(in_tree).chain(global.map(of_root));
        let files = Vec::from_iter(files);
        let ignores_case = self.files.ignore_case;
        Ok(attribute_rules::states(&files, path, ignores_case, names))
    }

    /// Reads the files that apply below `directory`, as far as they were not.
    fn read_for(&mut self, directory: &BStr) -> Result<()> {
        if self.outside.is_none() {
            self.files.check()?;
            let mut global = Vec::new();
            for file in &self.files.global {
                global.extend(read_if_present(file)?.map(|text| AttributeRules::parse(&text)));
            }
            let info = self.files.layout.common_dir.join("info/attributes");
            let info = read_if_present(&info)?;
            let info = info.map(|text| AttributeRules::parse(&text));
            self.outside = Some(OutsideFiles { global, info });
        }
        let mut lacking = Vec::new();
        for directory in directories(directory) {
            if self.files_in_tree.contains_key(directory) {
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
            let rules = text.map(|text| AttributeRules::parse(&text));
            self.files_in_tree.insert(directory.to_owned(), rules);
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
            let rules = text.map(|text| AttributeRules::parse(&text));
            self.files_in_tree.insert(directory, rules);
        }
        Ok(())
    }

    fn stored(&mut self, id: ObjectId) -> Option<Vec<u8>> {
        let blob = self.reader.object_of_kind(&id, ObjectKind::Blob).ok()?;
        // The parser passes over a byte order mark, git only in files outside of the object
        // store: it gets one to pass over. A NUL ends a stored file, but only the line in others.
        Some([b"\xef\xbb\xbf", until_nul(&blob.data)].concat())
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
