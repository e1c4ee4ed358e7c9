//! An open repository: its objects, configuration and paths.

use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    error::{Error, Result},
    objects::{HashKind, ObjectId, Promisor, Reader, Store, StoreOptions},
    repository::{
        open::{
            configuration::sources::{ConditionContext, Configuration, RepositoryFiles, Sources},
            environment::{self, EnvironmentUse},
            format,
            git_config::{ConfigCheck, GitConfig},
            grafts,
            layout::Layout,
            optional_file::FileText,
            partial_clone::{FetchObserver, PartialClone},
            paths::{FileNames, WorkTreePaths, prefix, shown_root},
            remotes::RemoteSettings,
            replacements::replacements,
        },
        references::References,
    },
};

/// The parts of a repository that are known before its configuration is read.
pub(super) struct Beginnings<'a> {
    pub(super) layout: Layout,
    /// What was read from the repository's own file.
    pub(super) config: FileText,
    /// The root of the work tree, which need not exist.
    pub(super) work_tree: Option<PathBuf>,
    /// The current directory.
    pub(super) directory: &'a Path,
    pub(super) environment: EnvironmentUse,
    /// The system's and the user's files are read.
    pub(super) reads_outer_configuration: bool,
}

impl Beginnings<'_> {
    fn configuration(&self, notes: &mut Vec<BString>) -> Result<Configuration> {
        let (layout, directory) = (&self.layout, self.directory);
        let root = layout.working_directory(directory);
        let names = FileNames::from(root);
        let file = |directory: &Path, name: &str| {
            let file = directory.join(name);
            let shown = names.of(&file);
            (file, shown)
        };
        let work_tree = layout.work_tree.as_ref();
        let sources = Sources {
            environment: self.environment,
            directory: root.to_owned(),
            outer: self.reads_outer_configuration,
            repository: Some(RepositoryFiles {
                config: file(&layout.common_dir, "config"),
                text: &self.config,
                worktree: file(&layout.git_dir, "config.worktree"),
            }),
            place: ConditionContext {
                git_dir: Some(layout.git_dir.clone()),
                work_tree: work_tree.map(|root| directory.join(root)),
                layout: Some(layout.clone()),
            },
        };
        let configuration = sources.read(notes)?;
        format::check(&configuration)?;
        Ok(configuration)
    }
}

/// An open repository. Can be shared between threads and serve many blames.
pub struct Repository {
    layout: Layout,
    store: Arc<Store>,
    objects_directory: PathBuf,
    names: FileNames,
    settings: GitConfig,
    remotes: RemoteSettings,
    paths: WorkTreePaths,
    bare: bool,
    grafts: Arc<HashMap<ObjectId, Vec<ObjectId>>>,
    /// git's advice about grafts, until the first blame takes it.
    notes_on_grafts: Mutex<Vec<BString>>,
    partial_clone: Option<Arc<PartialClone>>,
    /// The directory that the repository was searched from.
    started_in: PathBuf,
    has_entered_work_tree: AtomicBool,
    /// The use of variables of the environment.
    environment: EnvironmentUse,
    /// `GIT_ATTR_SOURCE`.
    attribute_source: Option<BString>,
    has_older_dates: bool,
}

impl fmt::Debug for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repository")
            .field("git_dir", &self.git_dir())
            .field("paths", &self.paths)
            .finish_non_exhaustive()
    }
}

impl Repository {
    /// Sets whether dates of reflogs, as in `@{noon}`, mean what they meant before git 2.55.
    pub(crate) fn set_older_dates(&mut self, has_older_dates: bool) {
        self.has_older_dates = has_older_dates;
    }

    /// True if dates of reflogs mean what they meant before git 2.55.
    pub(crate) fn has_older_dates(&self) -> bool {
        self.has_older_dates
    }

    /// The same repository for paths relative to the root of the work tree.
    pub(crate) fn at_root(mut self) -> Repository {
        self.enter_work_tree();
        self.paths.prefix.clear();
        self
    }

    /// Puts together what belongs to a repository. Values that the output interprets are passed to
    /// `check`.
    pub(super) fn assemble(
        beginnings: Beginnings<'_>,
        check: ConfigCheck<'_>,
        notes: &mut Vec<BString>,
    ) -> Result<Repository> {
        let configuration = beginnings.configuration(notes)?;
        let Beginnings {
            layout,
            work_tree,
            directory,
            environment,
            ..
        } = beginnings;
        let settings = GitConfig::read(&configuration, check, notes)?;
        let bare = configuration.last("core.bare");
        let bare = bare.is_none_or(|it| it.boolean() != Ok(false));
        // Relative paths in the environment start there.
        let root = layout.working_directory(directory);
        let names = FileNames::from(root);
        let replacements = replacements(&layout, &settings, &names, environment)?;
        let mut notes_on_grafts = Vec::new();
        let advises = configuration.last("advice.graftfiledeprecated");
        let advises = advises.is_none_or(|it| it.boolean() != Ok(false));
        let notes_of_grafts = &mut notes_on_grafts;
        let grafts = grafts::stored(&layout, advises, environment, root, &names, notes_of_grafts)?;
        let partial_clone = PartialClone::new(&layout.real.git_dir, &settings.promisors)?;
        let partial_clone = partial_clone.map(Arc::new);
        let objects_directory = environment.path("GIT_OBJECT_DIRECTORY", root);
        let objects_directory =
            objects_directory.unwrap_or_else(|| layout.common_dir.join("objects"));
        let named_directory = environment.var_os("GIT_OBJECT_DIRECTORY");
        let is_named = named_directory.is_some();
        let objects_name = match named_directory {
            Some(named) => named.into(),
            None => names.of(&objects_directory).to_path_lossy().into_owned(),
        };
        let promisor = partial_clone
            .clone()
            .map(|partial_clone| partial_clone as Arc<dyn Promisor>);
        let options = StoreOptions {
            use_commit_graph: settings.commit_graph && replacements.is_empty() && grafts.is_empty(),
            replacements,
            delta_base_cache_bytes: settings.delta_base_cache,
            read_changed_paths: settings.read_changed_paths && settings.changed_paths_version != 0,
            changed_paths_version: settings.changed_paths_version,
            alternates: environment::alternates(environment),
            alternates_root: root.to_owned(),
            shown_directory: Some(objects_name),
            promisor,
        };
        // git goes on without objects if there is no directory where it works. There are none in
        // this one.
        let readable = if is_named && !objects_directory.is_dir() {
            &layout.git_dir
        } else {
            &objects_directory
        };
        let store = Store::open(readable, layout.hash, options)
            .map_err(|err| Error::fatal(err.to_string()))?;
        notes.extend(store.warnings().into_iter().map(BString::from));
        Ok(Repository {
            paths: WorkTreePaths {
                exists: layout.real.work_tree.is_some(),
                prefix: prefix(work_tree.as_deref(), directory),
                shown_root: shown_root(work_tree.as_deref(), &layout.real.git_dir),
                work_tree,
            },
            bare,
            store,
            objects_directory,
            names,
            settings,
            remotes: RemoteSettings::new(configuration),
            grafts: Arc::new(grafts),
            notes_on_grafts: Mutex::new(notes_on_grafts),
            partial_clone,
            started_in: directory.to_owned(),
            has_entered_work_tree: AtomicBool::new(false),
            attribute_source: environment.variable("GIT_ATTR_SOURCE"),
            has_older_dates: false,
            environment,
            layout,
        })
    }

    /// The object store.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The directory of packs and loose objects, without alternates.
    pub fn objects_directory(&self) -> &Path {
        &self.objects_directory
    }

    /// A new object reader, for one thread.
    pub fn reader(&self) -> Reader {
        self.store.reader()
    }

    /// The hash function of object ids.
    pub fn hash(&self) -> HashKind {
        self.store.hash_kind()
    }

    /// The configuration that affects blames.
    pub fn config(&self) -> &GitConfig {
        &self.settings
    }

    /// The work tree and the current directory in it.
    pub fn paths(&self) -> &WorkTreePaths {
        &self.paths
    }

    /// True if the repository is bare, as opposed to a command run inside `.git`.
    pub fn is_bare(&self) -> bool {
        self.bare && self.paths.work_tree.is_none()
    }

    /// The `.git` directory of this work tree.
    pub fn git_dir(&self) -> &Path {
        &self.layout.git_dir
    }

    /// True if objects may have to be fetched.
    pub fn is_partial_clone(&self) -> bool {
        self.partial_clone.is_some()
    }

    /// The same without symbolic links.
    pub(crate) fn real_common_dir(&self) -> &Path {
        &self.layout.real.common_dir
    }

    /// The name of one of the repository's files in messages.
    pub(crate) fn name_in_messages(&self, file: &Path) -> BString {
        self.names.of(file)
    }

    /// Passes the beginnings and ends of fetches to `observer` from now on, and the reasons of
    /// failures: git does not write to the terminal any more.
    pub fn observe_fetches(&self, observer: FetchObserver) {
        if let Some(partial_clone) = &self.partial_clone {
            partial_clone.observe(observer);
        }
    }

    /// Parents that override the stored ones: shallow commits and grafts.
    pub fn grafts(&self) -> &Arc<HashMap<ObjectId, Vec<ObjectId>>> {
        &self.grafts
    }

    /// Moves the advice about grafts to `notes`, once: git prints it when it first parses a commit.
    pub(crate) fn note_grafts(&self, notes: &mut Vec<BString>) {
        if let Ok(mut advice) = self.notes_on_grafts.lock() {
            notes.append(&mut advice);
        }
    }

    /// Where git works now: runs commands, reads `.gitattributes` and `.mailmap`, and where relative
    /// names of files in options and in the configuration start. The root of the work tree, or where
    /// it was started, if that is not in the work tree and it has not entered it.
    pub(crate) fn working_directory(&self) -> &Path {
        let has_entered = self.has_entered_work_tree.load(Ordering::Relaxed);
        let root = self.paths.existing_work_tree().filter(|_| has_entered);
        root.unwrap_or_else(|| self.layout.working_directory(&self.started_in))
    }

    /// Works at the root of the work tree from now on. git enters it to read the file that it
    /// blames, after what options name.
    pub(crate) fn enter_work_tree(&self) {
        self.has_entered_work_tree.store(true, Ordering::Relaxed);
    }

    /// A file that an option or the configuration names, from the [working
    /// directory](Self::working_directory). An empty name stays empty.
    pub(crate) fn named_file(&self, name: &BStr) -> PathBuf {
        if name.is_empty() {
            PathBuf::new()
        } else {
            self.working_directory().join(name.to_path_lossy())
        }
    }

    /// The use of variables of the environment.
    pub(crate) fn environment(&self) -> EnvironmentUse {
        self.environment
    }

    /// The tree that `GIT_ATTR_SOURCE` names for reading attributes.
    pub(crate) fn attribute_source(&self) -> Option<&BStr> {
        self.attribute_source.as_ref().map(|name| name.as_bstr())
    }

    /// The URL of the remote that the current branch follows, or of the only one, or of `origin`,
    /// with `url.*.insteadOf` applied.
    pub fn remote_url(&self) -> Option<BString> {
        let branch = self.references().current_branch();
        let branch = branch
            .as_ref()
            .map(|name| name[b"refs/heads/".len()..].as_bstr());
        self.remotes.url(branch)
    }

    /// The configuration of remotes and branches.
    pub(crate) fn remotes(&self) -> &RemoteSettings {
        &self.remotes
    }

    /// `core.editor`.
    pub fn editor(&self) -> Option<BString> {
        let editor = self.remotes.configuration().last("core.editor");
        editor.and_then(|it| it.text().ok())
    }

    /// The references, as they are now. In a workspace of jj, `HEAD` is the first parent of the
    /// working-copy commit, which has what is in the files: so jj sets it beside a `.git`.
    pub(crate) fn references(&self) -> References {
        let references = References::new(&self.layout);
        let Some(workspace) = &self.layout.workspace else {
            return references;
        };
        let commit = workspace.working_copy_commit(self.hash());
        let head = commit.and_then(|id| self.reader().commit_parents(&id).ok());
        references.with_head(head.and_then(|head| head.parents.first().copied()))
    }

    /// Where the repository is.
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }
}
