//! Git attributes of paths: from the work tree with the index as fallback, or from a tree.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use bstr::{BStr, BString, ByteSlice};
use gix::{
    attrs::search::MetadataCollection,
    worktree::{
        Stack,
        stack::{self, state::attributes::Source},
    },
};

use crate::{
    error::{Error, Result},
    objects::{ObjectId, ObjectKind, Store},
    repository::{
        content::attribute_warnings::add_warnings,
        content::gix_objects::GixObjects,
        open::{
            configuration::sources::{system_file, user_file},
            endless_files,
            environment::EnvironmentUse,
            git_config::LineEndSettings,
            index_file::{may_have_entry, read_index},
            layout::Layout,
            repository::Repository,
        },
        revisions::{peel::peel, resolver::RevisionResolver},
    },
    system,
};

/// The files that attributes are read from, besides those outside the tree.
pub(crate) struct AttributeFiles {
    environment: EnvironmentUse,
    layout: Layout,
    /// Where the files of the tree are: the root of the work tree, or the directory that the program runs in.
    root: PathBuf,
    /// The files outside of the repository that may exist.
    global: Vec<PathBuf>,
    ignore_case: bool,
    line_ends: LineEndSettings,
    store: Arc<Store>,
    tree: AttributeSource,
    /// Reads files from the index that the work tree lacks. git has read the index only if it blames
    /// uncommitted contents.
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

/// Attribute lookup; each `.gitattributes` is read once.
pub(crate) struct Attributes {
    layout: Layout,
    root: PathBuf,
    line_ends: LineEndSettings,
    objects: GixObjects,
    stack: Stack,
    /// The files of the index that [`AttributeFiles::open_for`] has found for its path.
    in_index: Vec<(BString, ObjectId)>,
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
            (Some(name), _) => named_tree(repository, name).unwrap_or(AttributeSource::Invalid),
            (None, Some(name)) => named_tree(repository, name.as_bstr())
                .unwrap_or_else(|| AttributeSource::without_a_tree(repository)),
            (None, None) => AttributeSource::without_a_tree(repository),
        };
        let layout = repository.layout().clone();
        let root = layout.work_tree.as_deref().filter(|root| root.is_dir());
        let root = root.unwrap_or(repository.working_directory()).to_owned();
        let config = repository.config();
        let environment = repository.environment();
        AttributeFiles {
            environment,
            global: global_files(environment, config.attributes_file.as_ref(), &root),
            ignore_case: config.ignore_case,
            line_ends: config.line_ends.clone(),
            layout,
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

    /// From now on, files that the work tree lacks are read from the index.
    pub(crate) fn use_index(&mut self) {
        self.index = true;
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

    /// Attributes of any path.
    ///
    /// # Errors
    ///
    /// If `GIT_ATTR_SOURCE` does not name an object, or the index cannot be read.
    pub(crate) fn open(&self) -> Result<Attributes> {
        Ok(self.open_with(self.index)?.0)
    }

    /// As [`open`](Self::open), without the files of the index.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub(crate) fn open_without_index(&self) -> Result<Attributes> {
        Ok(self.open_with(false)?.0)
    }

    /// Attributes of any path, and the index or tree that they are read from.
    fn open_with(&self, index: bool) -> Result<(Attributes, gix::index::State)> {
        self.check()?;
        let objects = GixObjects::new(&self.store);
        let none = || gix::index::State::new(self.layout.hash);
        let (index, source) = match self.tree {
            AttributeSource::Tree(tree) => {
                let options = gix::validate::path::component::Options::default();
                let index = gix::index::State::from_tree(&tree, &objects, options);
                (index.map_err(unreadable)?, Source::IdMapping)
            }
            AttributeSource::Directory if index => {
                (read_index(&self.layout)?, Source::WorktreeThenIdMapping)
            }
            AttributeSource::Directory => (none(), Source::WorktreeThenIdMapping),
            AttributeSource::Nowhere | AttributeSource::Invalid => (none(), Source::IdMapping),
        };
        let stack = self.stack(&index, source).map_err(unreadable)?;
        let attributes = Attributes {
            layout: self.layout.clone(),
            root: self.root.clone(),
            line_ends: self.line_ends.clone(),
            objects,
            stack,
            in_index: Vec::new(),
        };
        Ok((attributes, index))
    }

    fn stack(&self, index: &gix::index::State, source: Source) -> Result<Stack, gix::Error> {
        let case = match self.ignore_case {
            true => gix::glob::pattern::Case::Fold,
            false => gix::glob::pattern::Case::Sensitive,
        };
        let (mut buffer, mut collection) = (Vec::new(), MetadataCollection::default());
        let files = self.global.iter().cloned();
        let globals = gix::attrs::Search::new_globals(files, &mut buffer, &mut collection)
            .map_err(gix::Error::from_error)?;
        let attributes =
            stack::state::Attributes::new(globals, Some(self.info()), source, collection);
        let state = stack::State::AttributesStack(attributes);
        let mappings = state.id_mappings_from_index(index, index.path_backing(), case);
        Ok(Stack::new(&self.root, state, case, buffer, mappings))
    }

    /// The file for attributes of the repository alone.
    fn info(&self) -> PathBuf {
        self.layout.common_dir.join("info/attributes")
    }

    /// Attributes of `path` alone. `None` if no attributes file applies to it. The index is read
    /// only if it may have a file that the work tree lacks: most of the time that files of megabytes
    /// take is for their entries.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub(crate) fn open_for(&self, path: &BStr) -> Result<Option<Attributes>> {
        let root = &self.root;
        let mut index = false;
        let mut files: Vec<BString> = files_for(path).collect();
        let any = match self.tree {
            AttributeSource::Tree(_) | AttributeSource::Invalid => true,
            AttributeSource::Directory => {
                let in_work_tree = |file: &BString| root.join(file.to_path_lossy());
                let any = files.iter().any(|file| in_work_tree(file).exists());
                files.retain(|file| !is_readable(&in_work_tree(file)));
                index = self.index && may_have_entry(&self.layout.index, &files);
                any || index
            }
            AttributeSource::Nowhere => false,
        };
        if !any && !self.info().exists() && !self.global.iter().any(|file| file.exists()) {
            return Ok(None);
        }
        let (mut attributes, entries) = self.open_with(index)?;
        if index {
            let id = |file: &BString| Some(entries.entry_by_path(file.as_bstr())?.id);
            let found = files
                .into_iter()
                .filter_map(|file| id(&file).map(|id| (file, id)));
            attributes.in_index = found.collect();
        }
        Ok(Some(attributes))
    }

    /// What git says about lines that it ignores in the files that apply to `path`. Those of the index are read if `opened`, the
    /// attributes of `path`, have found them.
    pub(crate) fn warnings(&self, path: &BStr, opened: Option<&Attributes>) -> Vec<BString> {
        let mut reader = self.store.reader();
        let mut notes = Vec::new();
        let add_outside = |file: &Path, shown: &Path, notes: &mut Vec<BString>| {
            if let Some(text) = read(file) {
                add_warnings(&text, system::path_bytes(shown).as_bstr(), notes);
            }
        };
        for file in &self.global {
            add_outside(file, file, &mut notes);
        }
        let (info, root) = (self.info(), &self.root);
        for file in files_for(path) {
            let in_work_tree = root.join(file.to_path_lossy());
            let stored = match self.tree {
                AttributeSource::Tree(tree) => {
                    let found = reader.find_path(tree, &file, None).ok().flatten();
                    found.map(|found| found.entry.id)
                }
                AttributeSource::Directory if is_readable(&in_work_tree) => {
                    let shown = file.to_path_lossy();
                    add_outside(&in_work_tree, &shown, &mut notes);
                    None
                }
                _ => {
                    let mut found = opened.iter().flat_map(|opened| &opened.in_index);
                    found.find(|(name, _)| *name == file).map(|(_, id)| *id)
                }
            };
            let blob = stored.and_then(|id| reader.object_of_kind(&id, ObjectKind::Blob).ok());
            if let Some(blob) = blob {
                add_warnings(&blob.data, file.as_bstr(), &mut notes);
            }
        }
        add_outside(&info, info.strip_prefix(root).unwrap_or(&info), &mut notes);
        notes
    }
}

/// The text of an attributes file, without a byte order mark, which only one in the work tree or outside may have.
fn read(file: &Path) -> Option<Vec<u8>> {
    let text = system::read_file(file).ok()?;
    Some(match text.strip_prefix("\u{feff}".as_bytes()) {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// The attributes files of the system and the user. `directory` is where a relative path of the configuration starts.
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
        match repository.is_bare() {
            true => AttributeSource::Nowhere,
            false => AttributeSource::Directory,
        }
    }
}

/// The tree that `name` leads to. An object of another kind has no attributes; `None` without an object.
fn named_tree(repository: &Repository, name: &BStr) -> Option<AttributeSource> {
    let id = RevisionResolver::new(repository, &mut Vec::new()).object(name);
    let Some(id) = id else {
        return repository
            .has_failed_to_open()
            .then_some(AttributeSource::Invalid);
    };
    let mut reader = repository.reader();
    let id = peel(&mut reader, id).ok()?;
    Some(match reader.kind(&id) {
        Ok(Some(ObjectKind::Tree)) => AttributeSource::Tree(id),
        Ok(Some(ObjectKind::Commit)) => match reader.commit_head(&id) {
            Ok(head) => AttributeSource::Tree(head.tree),
            Err(_) => AttributeSource::Nowhere,
        },
        _ => AttributeSource::Nowhere,
    })
}

/// Whether an attributes file of the work tree can be read. git takes that of the index for a symbolic
/// link.
fn is_readable(file: &Path) -> bool {
    std::fs::symlink_metadata(file).is_ok_and(|metadata| metadata.is_file())
        && std::fs::File::open(file).is_ok()
}

impl Attributes {
    /// The diff driver that the attribute `diff` names at `path`.
    pub(crate) fn diff_driver(&mut self, path: &BStr) -> Option<BString> {
        self.value(path, "diff")
    }

    /// The value of an attribute at `path`; `None` if unset, unspecified or set without a value.
    fn value(&mut self, path: &BStr, name: &str) -> Option<BString> {
        let [state] = self.states(path, [name]).ok()?;
        match state {
            AttributeState::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The filter driver that the attribute `filter` names at `path`.
    pub(crate) fn filter(&mut self, path: &BStr) -> Option<BString> {
        self.value(path, "filter")
    }

    /// The repository whose files are read, and its objects.
    pub(super) fn repository(&self) -> (&Layout, &GixObjects) {
        (&self.layout, &self.objects)
    }

    /// How the ends of lines are converted without attributes.
    pub(super) fn settings(&self) -> &LineEndSettings {
        &self.line_ends
    }

    /// The states of several attributes at `path`.
    pub(super) fn states<const N: usize>(
        &mut self,
        path: &BStr,
        names: [&str; N],
    ) -> Result<[AttributeState; N]> {
        // gix would wait for a named pipe.
        for directory in path.to_path_lossy().ancestors().skip(1) {
            let file = self.root.join(directory).join(".gitattributes");
            endless_files::check_in_work_tree(&file)?;
        }
        let objects = StoredFiles(&self.objects);
        let platform = self
            .stack
            .at_path(path.to_path_lossy().as_ref(), None, &objects)
            .map_err(|err| Error::fatal(err.to_string()))?;
        let mut outcome = gix::attrs::search::Outcome::default();
        outcome.initialize_with_selection(&Default::default(), names);
        platform.matching_attributes(&mut outcome);
        let mut selected = outcome.iter_selected();
        Ok(names.map(
            |_| match selected.next().map(|found| found.assignment.state) {
                Some(gix::attrs::StateRef::Set) => AttributeState::Set,
                Some(gix::attrs::StateRef::Unset) => AttributeState::Unset,
                Some(gix::attrs::StateRef::Value(value)) => {
                    AttributeState::Value(value.as_bstr().as_bytes().into())
                }
                Some(gix::attrs::StateRef::Unspecified) | None => AttributeState::Unspecified,
            },
        ))
    }
}

/// The attributes files of an index or a tree. gix skips a byte order mark at the beginning of each, git only in files
/// outside of the object store: gix gets one to skip.
struct StoredFiles<'a>(&'a GixObjects);

impl gix::objs::Find for StoredFiles<'_> {
    fn try_find<'a>(
        &self,
        id: &gix::oid,
        buffer: &'a mut Vec<u8>,
    ) -> Result<Option<gix::objs::Data<'a>>, gix::Error> {
        let Some(found) = self.0.try_find(id, buffer)? else {
            return Ok(None);
        };
        let (kind, object_hash) = (found.kind, found.object_hash);
        let marked = [b"\xef\xbb\xbf", found.data].concat();
        *buffer = marked;
        Ok(Some(gix::objs::Data {
            kind,
            object_hash,
            data: buffer,
        }))
    }
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
        let attributes = AttributeFiles::with_index(self).open_for(path);
        // Errors are ignored here; the blame reports them where they matter.
        let mut attributes = attributes.ok().flatten()?;
        attributes.value(path, "encoding").or_else(|| {
            let wanted = std::str::from_utf8(contents).is_err();
            wanted.then(|| attributes.value(path, "working-tree-encoding"))?
        })
    }
}

/// The attributes files that apply to `path`, from the root down.
fn files_for(path: &[u8]) -> impl Iterator<Item = BString> {
    let directories = std::iter::once(0).chain(path.find_iter(b"/").map(|at| at + 1));
    directories.map(|end| BString::from([&path[..end], b".gitattributes"].concat()))
}

fn unreadable(err: gix::Error) -> Error {
    Error::fatal(format!("unable to read attributes: {err}"))
}
