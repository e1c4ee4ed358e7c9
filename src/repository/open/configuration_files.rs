//! The configuration of a repository that was found, with the names of its files in messages.

use std::path::{Path, PathBuf};

use bstr::BString;

use crate::{
    error::{Error, Result},
    repository::open::{
        configuration::{
            sources::{ConditionContext, Configuration, RepositoryFiles, Sources},
            syntax_error,
        },
        environment::EnvironmentUse,
        format::{self, RepositoryFormat},
        layout::Layout,
    },
};

/// The files of a repository that was found, for reading its configuration.
pub(super) struct ConfigurationFiles<'a> {
    pub(super) layout: &'a Layout,
    /// The current directory.
    pub(super) directory: &'a Path,
    /// `GIT_DIR`.
    pub(super) named: Option<&'a Path>,
    pub(super) environment: EnvironmentUse,
}

impl ConfigurationFiles<'_> {
    /// Reads the configuration. `outer`: with the system's and the user's files.
    pub(super) fn read(
        &self,
        outer: bool,
        notes: &mut Vec<BString>,
    ) -> Result<(Configuration, RepositoryFormat)> {
        let layout = self.layout;
        let file = |directory: &Path, name: &str| {
            let shown = match self.name_of(directory) {
                shown if self.named.is_none() && shown == Path::new(".") => name.into(),
                shown => shown.join(name),
            };
            let shown = BString::from(shown.as_os_str().as_encoded_bytes());
            (directory.join(name), shown)
        };
        let sources = Sources {
            environment: self.environment,
            directory: self.working_directory(),
            outer,
            repository: Some(RepositoryFiles {
                config: file(&layout.common_dir, "config"),
                worktree: file(&layout.git_dir, "config.worktree"),
            }),
            place: ConditionContext {
                git_dir: Some(self.directory.join(&layout.git_dir)),
                work_tree: layout
                    .work_tree
                    .as_ref()
                    .map(|root| self.directory.join(root)),
                layout: Some(layout.clone()),
            },
        };
        let configuration = sources
            .read(notes)
            .map_err(|err| self.syntax_error().unwrap_or(err))?;
        let has_other_root = self.environment.var_os("GIT_WORK_TREE").is_some();
        let git_dir = (!has_other_root).then(|| self.directory.join(&layout.git_dir));
        let mut format = format::check(&configuration, git_dir.as_deref())?;
        // A work tree may have a file of its own.
        format.bare = layout.bare.or(format.bare);
        Ok((configuration, format))
    }

    /// The error of a file of the repository that cannot be parsed. git reads these files when it has found the
    /// repository, before a chosen work tree counts.
    fn syntax_error(&self) -> Option<Error> {
        if self.named.is_some() {
            return None;
        }
        let real = &self.layout.real;
        let git_dir = &real.git_dir;
        let is_in_root = git_dir.ends_with(".git")
            && git_dir
                .parent()
                .is_some_and(|root| self.directory.starts_with(root));
        let files = [
            (&real.common_dir, "config"),
            (&real.git_dir, "config.worktree"),
        ];
        files.into_iter().find_map(|(directory, name)| {
            let path = directory.join(name);
            let shown = match path.strip_prefix(git_dir) {
                Ok(file) if self.directory == git_dir => Path::new(".").join(file),
                Ok(file) if is_in_root && !self.directory.starts_with(git_dir) => {
                    Path::new(".git").join(file)
                }
                _ => path.clone(),
            };
            syntax_error(&path, &shown)
        })
    }

    /// Where git is when it reads the configuration: in the root of the work tree that contains the current
    /// directory, or else in the current directory.
    fn working_directory(&self) -> PathBuf {
        let layout = self.layout;
        let is_chosen =
            self.environment.var_os("GIT_WORK_TREE").is_some() || layout.chosen_work_tree.is_some();
        let is_in_git_dir = self.directory.starts_with(&layout.real.git_dir);
        let counts = is_chosen || !(is_in_git_dir || self.named.is_some());
        let root = layout.real.work_tree.as_deref().filter(|_| counts);
        let root = root.filter(|root| self.directory.starts_with(root));
        root.unwrap_or(self.directory).to_owned()
    }

    /// The names of the repository's directories in git's messages.
    pub(super) fn names(&self) -> FileNames {
        // git leaves the directory that a relative GIT_DIR starts at.
        let moves = self.working_directory() != self.directory;
        let name = |directory: &Path| match self.name_of(directory) {
            name if self.named.is_some() && moves => name.canonicalize().unwrap_or(name),
            name => name,
        };
        FileNames {
            git_dir: (self.layout.git_dir.clone(), name(&self.layout.git_dir)),
            common_dir: (
                self.layout.common_dir.clone(),
                name(&self.layout.common_dir),
            ),
        }
    }

    /// The name of the repository's directory in git's messages: git works in the root of the work tree, or
    /// in a bare repository.
    fn name_of(&self, directory: &Path) -> PathBuf {
        match self.named {
            Some(named) if directory == self.layout.git_dir => named.to_owned(),
            Some(_) => directory.to_owned(),
            None if self.environment.var_os("GIT_WORK_TREE").is_some() => directory.to_owned(),
            None => {
                let real = &self.layout.real;
                let directory = match directory == self.layout.git_dir {
                    true => &real.git_dir,
                    false => &real.common_dir,
                };
                match &real.work_tree {
                    _ if self.directory == directory => PathBuf::from("."),
                    _ if self.directory.starts_with(directory) => directory.clone(),
                    Some(root) if *directory == root.join(".git") => PathBuf::from(".git"),
                    _ => directory.clone(),
                }
            }
        }
    }
}

/// The directories of a repository, and their names in messages.
#[derive(Debug)]
pub(crate) struct FileNames {
    git_dir: (PathBuf, PathBuf),
    common_dir: (PathBuf, PathBuf),
}

impl FileNames {
    /// The name of a file of the repository in messages.
    pub(crate) fn of(&self, file: &Path) -> BString {
        let below = |(directory, name): &(PathBuf, PathBuf)| {
            Some(name.join(file.strip_prefix(directory).ok()?))
        };
        // The common directory of a linked work tree is written as one below its own.
        let name = below(&self.common_dir).or_else(|| below(&self.git_dir));
        let name = name.unwrap_or_else(|| file.to_owned());
        name.as_os_str().as_encoded_bytes().into()
    }
}
