//! The configuration of a repository that was found, with the names of its files in messages.

use std::path::Path;

use bstr::BString;

use crate::{
    error::Result,
    repository::open::{
        configuration::sources::{ConditionContext, Configuration, RepositoryFiles, Sources},
        environment::EnvironmentUse,
        format::{self, RepositoryFormat},
    },
};

/// The files of a repository that was found, for reading its configuration.
pub(super) struct ConfigurationFiles<'a> {
    pub(super) git_dir: &'a Path,
    pub(super) common_dir: &'a Path,
    pub(super) work_tree: Option<&'a Path>,
    /// The current directory.
    pub(super) directory: &'a Path,
    /// `GIT_DIR`.
    pub(super) named: Option<&'a Path>,
    pub(super) environment: EnvironmentUse,
    /// The open repository, if it could be opened.
    pub(super) gix: Option<&'a gix::Repository>,
}

impl ConfigurationFiles<'_> {
    /// Reads the configuration. `outer`: with the system's and the user's files.
    pub(super) fn read(
        &self,
        outer: bool,
        notes: &mut Vec<BString>,
    ) -> Result<(Configuration, RepositoryFormat)> {
        let file =
            |directory: &Path, name: &str| (directory.join(name), self.name_of(directory, name));
        let sources = Sources {
            environment: self.environment,
            outer,
            repository: Some(RepositoryFiles {
                config: file(self.common_dir, "config"),
                worktree: file(self.git_dir, "config.worktree"),
            }),
            place: ConditionContext {
                git_dir: Some(self.directory.join(self.git_dir)),
                work_tree: self.work_tree.map(|root| self.directory.join(root)),
                repository: self.gix.cloned(),
            },
        };
        let configuration = sources.read(notes)?;
        let has_other_root = self.environment.var_os("GIT_WORK_TREE").is_some();
        let git_dir = (!has_other_root).then(|| self.directory.join(self.git_dir));
        let format = format::check(&configuration, git_dir.as_deref())?;
        Ok((configuration, format))
    }

    /// The name of a file in git's messages: git works in the root of the work tree, or in a bare
    /// repository.
    fn name_of(&self, directory: &Path, name: &str) -> BString {
        let path = match self.named {
            Some(named) if directory == self.git_dir => named.join(name),
            Some(_) => directory.join(name),
            None if self.environment.var_os("GIT_WORK_TREE").is_some() => directory.join(name),
            None => {
                let directory = directory
                    .canonicalize()
                    .unwrap_or_else(|_| directory.to_owned());
                let root = self.work_tree.and_then(|root| root.canonicalize().ok());
                let shown = match root {
                    _ if self.directory == directory => Some(Path::new("")),
                    _ if self.directory.starts_with(&directory) => None,
                    Some(root) if directory == root.join(".git") => Some(Path::new(".git")),
                    _ => None,
                };
                shown.unwrap_or(&directory).join(name)
            }
        };
        path.as_os_str().as_encoded_bytes().into()
    }
}
