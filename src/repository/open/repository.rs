//! An open repository: its objects, configuration and paths.

use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock},
};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    error::{Error, Result},
    objects::{HashKind, ObjectId, Promisor, Reader, Store, StoreOptions},
    repository::{
        open::{
            configuration::sources::Configuration,
            configuration_files::{ConfigurationFiles, FileNames},
            environment::{self, EnvironmentUse},
            format::RepositoryFormat,
            git_config::{ConfigCheck, GitConfig},
            gix_repository, grafts,
            layout::Layout,
            partial_clone::{FetchObserver, PartialClone},
            paths::{WorkTreePaths, prefix, shown_root},
            remotes::RemoteSettings,
            replacements::replacements,
        },
        references::References,
    },
    system::leftovers::TemporaryDirectory,
};

/// An open repository. Can be shared between threads and serve many blames.
pub struct Repository {
    layout: Layout,
    /// See [`local`](Self::local).
    gix: OnceLock<Result<(gix::ThreadSafeRepository, Option<TemporaryDirectory>), String>>,
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
    /// Whether variables of the environment apply.
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

    /// Whether dates of reflogs mean what they meant before git 2.55.
    pub(crate) fn has_older_dates(&self) -> bool {
        self.has_older_dates
    }

    /// The same repository for paths relative to the root of the work tree.
    pub(crate) fn at_root(mut self) -> Repository {
        self.paths.prefix.clear();
        self
    }

    /// Opens the repository with a work tree at `root`, which this program created, without user and
    /// system configuration.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn open_own(root: &Path) -> Result<Repository> {
        let environment = EnvironmentUse::Ignore;
        let layout = Layout::find(root, root, None, None, environment);
        let layout = layout.ok_or_else(|| Error::fatal("cannot open the repository"))?;
        let work_tree = root.canonicalize().ok();
        let check: ConfigCheck<'_> = &|_, _, _| Ok(());
        let mut notes = Vec::new();
        let files = ConfigurationFiles {
            layout: &layout,
            directory: root,
            named: None,
            environment,
        };
        let (configuration, format) = files.read(false, &mut notes)?;
        let names = files.names();
        Repository::assemble(
            layout,
            work_tree,
            configuration,
            format,
            names,
            root,
            environment,
            check,
            &mut notes,
        )
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one repository, put together once"
    )]
    pub(super) fn assemble(
        layout: Layout,
        work_tree: Option<PathBuf>,
        configuration: Configuration,
        format: RepositoryFormat,
        names: FileNames,
        directory: &Path,
        environment: EnvironmentUse,
        check: ConfigCheck<'_>,
        notes: &mut Vec<BString>,
    ) -> Result<Repository> {
        let settings = GitConfig::read(&configuration, check, notes)?;
        let work_tree_here = work_tree.as_deref();
        let work_tree_here = work_tree_here.filter(|root| directory.starts_with(root));
        // Where git works: relative paths in the environment start there.
        let root = work_tree_here.unwrap_or(directory);
        let replacements = replacements(&layout, &settings, &names, environment)?;
        let mut notes_on_grafts = Vec::new();
        let advises = configuration.last("advice.graftfiledeprecated");
        let advises = advises.is_none_or(|it| it.boolean() != Ok(false));
        let notes_of_grafts = &mut notes_on_grafts;
        let grafts = grafts::stored(&layout, advises, environment, root, &names, notes_of_grafts)?;
        let partial_clone = PartialClone::new(&layout.real.git_dir, &settings.promisors)?;
        let partial_clone = partial_clone.map(Arc::new);
        let common_dir = &layout.common_dir;
        let objects_directory = environment::objects_directory(common_dir, environment, root);
        let objects_name = match environment.var_os("GIT_OBJECT_DIRECTORY") {
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
        // git goes on without objects if there is no directory where it works. There are none in this one.
        let readable = match objects_directory.is_dir() {
            true => &objects_directory,
            false => &layout.git_dir,
        };
        let store = Store::open(readable, layout.hash, options)
            .map_err(|err| Error::fatal(err.to_string()))?;
        notes.extend(store.warnings().into_iter().map(BString::from));
        Ok(Repository {
            paths: WorkTreePaths {
                prefix: prefix(work_tree.as_deref(), directory),
                shown_root: shown_root(work_tree.as_deref(), &layout.real.git_dir),
                work_tree,
            },
            bare: format.bare != Some(false),
            store,
            objects_directory,
            names,
            settings,
            remotes: RemoteSettings::new(configuration),
            grafts: Arc::new(grafts),
            notes_on_grafts: Mutex::new(notes_on_grafts),
            partial_clone,
            started_in: directory.to_owned(),
            attribute_source: environment.variable("GIT_ATTR_SOURCE"),
            has_older_dates: false,
            environment,
            layout,
            gix: OnceLock::new(),
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

    /// Whether the repository is bare, as opposed to a command run inside `.git`.
    pub fn is_bare(&self) -> bool {
        self.bare && self.paths.work_tree.is_none()
    }

    /// The `.git` directory of this work tree.
    pub fn git_dir(&self) -> &Path {
        &self.layout.git_dir
    }

    /// Whether objects may have to be fetched.
    pub fn is_partial_clone(&self) -> bool {
        self.partial_clone.is_some()
    }

    /// The directory that all work trees of the repository share.
    pub fn common_dir(&self) -> PathBuf {
        self.layout.common_dir.clone()
    }

    /// The name of one of the repository's files in messages.
    pub(crate) fn name_in_messages(&self, file: &Path) -> BString {
        self.names.of(file)
    }

    /// Passes the beginnings and ends of fetches to `observer` from now on, and the reasons of failures: git does not write to
    /// the terminal any more.
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

    /// Where git runs commands and reads `.gitattributes`: the root of the work tree, or else where it was
    /// started.
    pub(crate) fn working_directory(&self) -> &Path {
        let root = self.paths.existing_work_tree();
        root.unwrap_or(&self.started_in)
    }

    /// Whether variables of the environment apply.
    pub(crate) fn environment(&self) -> EnvironmentUse {
        self.environment
    }

    /// The tree that `GIT_ATTR_SOURCE` names for reading attributes.
    pub(crate) fn attribute_source(&self) -> Option<&BStr> {
        self.attribute_source.as_ref().map(|name| name.as_bstr())
    }

    /// The URL of the remote that the current branch follows, or of the only one, or of `origin`, with
    /// `url.*.insteadOf` applied.
    pub fn remote_url(&self) -> Option<BString> {
        let branch = self.references().current_branch();
        let branch = branch
            .as_ref()
            .map(|name| name[b"refs/heads/".len()..].as_bstr());
        self.remotes.url(branch)
    }

    /// What the configuration says of remotes and branches.
    pub(crate) fn remotes(&self) -> &RemoteSettings {
        &self.remotes
    }

    /// `core.editor`.
    pub fn editor(&self) -> Option<BString> {
        let editor = self.remotes.configuration().last("core.editor");
        editor.and_then(|it| it.text().ok())
    }

    /// The references, as they are now.
    pub(crate) fn references(&self) -> References {
        References::new(&self.layout)
    }

    /// Where the repository is.
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// gix's handle for the current thread; gix opens the repository when it is first needed.
    ///
    /// # Errors
    ///
    /// If it cannot.
    pub(crate) fn local(&self) -> Result<gix::Repository> {
        let open = || {
            let root = self.working_directory();
            gix_repository::open(
                &self.layout,
                self.remotes.configuration(),
                self.environment,
                root,
            )
        };
        match self.gix.get_or_init(open) {
            Ok((gix, _)) => Ok(gix.to_thread_local()),
            Err(reason) => Err(Error::fatal(format!(
                "cannot open the repository: {reason}"
            ))),
        }
    }

    /// Whether gix could not open the repository: then what it was needed for is not known.
    pub(crate) fn has_failed_to_open(&self) -> bool {
        matches!(self.gix.get(), Some(Err(_)))
    }
}
