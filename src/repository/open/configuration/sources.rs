//! The sources of the configuration, and what was read from them.

use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice, ByteVec};

pub use super::condition::ConditionContext;
use crate::{
    error::{Result, noted},
    repository::open::{
        configuration::{
            command_line,
            interpolate::git_prefix,
            reader::ConfigurationReader,
            value,
            variable::{Located, Scope, Variable, VariableOrigin},
        },
        environment::EnvironmentUse,
        optional_file::FileText,
    },
};

/// The variables of all sources, in git's order.
#[derive(Debug, Clone, Default)]
pub struct Configuration {
    variables: Vec<Variable>,
    origins: Vec<VariableOrigin>,
}

/// The files of a repository.
#[derive(Debug)]
pub(in crate::repository::open) struct RepositoryFiles<'a> {
    /// The file `config`, and its name in messages.
    pub(in crate::repository::open) config: (PathBuf, BString),
    /// What was read from it.
    pub(in crate::repository::open) text: &'a FileText,
    /// The file `config.worktree`, and its name in messages.
    pub(in crate::repository::open) worktree: (PathBuf, BString),
}

/// Where configuration is read from.
#[derive(Debug)]
pub struct Sources<'a> {
    /// The use of variables of the environment.
    pub environment: EnvironmentUse,
    /// Where git is when it reads them: the start of relative paths in the environment.
    pub directory: PathBuf,
    /// True if the system's and the user's files are read.
    pub outer: bool,
    /// The repository's files, if it is known.
    pub(in crate::repository::open) repository: Option<RepositoryFiles<'a>>,
    /// The repository that conditions are about.
    pub place: ConditionContext,
}

impl Sources<'_> {
    /// Protected configuration: the system's, the user's and the command line's. No condition on
    /// the repository is met. `directory` is where the repository is searched from.
    pub fn protected(environment: EnvironmentUse, directory: &Path) -> Sources<'static> {
        Sources {
            environment,
            directory: directory.to_owned(),
            outer: true,
            repository: None,
            place: ConditionContext::default(),
        }
    }

    /// Reads all sources. Warnings are added to `notes`.
    ///
    /// # Errors
    ///
    /// In git's words, if a file cannot be read or parsed.
    pub fn read(&self, notes: &mut Vec<BString>) -> Result<Configuration> {
        let scan = |reader: &mut ConfigurationReader<'_>| self.read_with(reader);
        let mut reader = ConfigurationReader::new(&self.place, Some(&scan));
        self.read_with(&mut reader)
            .map_err(|err| err.after(std::mem::take(&mut reader.notes)))?;
        notes.append(&mut reader.notes);
        Ok(Configuration {
            variables: reader.variables,
            origins: reader.origins,
        })
    }

    fn read_with(&self, reader: &mut ConfigurationReader<'_>) -> Result<()> {
        if self.outer {
            if let Some(path) = self.system_file()? {
                let name = path.as_os_str().as_encoded_bytes().into();
                reader.file(Scope::System, self.located(path), name)?;
            }
            for path in self.global_files() {
                let name = path.as_os_str().as_encoded_bytes().into();
                reader.file(Scope::Global, self.located(path), name)?;
            }
        }
        if let Some(files) = &self.repository {
            let (path, name) = files.config.clone();
            reader.file_with_text(Scope::Local, path, name, files.text)?;
            if has_worktree_config(reader) {
                let (path, name) = files.worktree.clone();
                reader.file(Scope::Worktree, path, name)?;
            }
        }
        reader.parameters(command_line::parameters(self.environment)?)
    }

    /// Where a file is that messages call `path`.
    fn located(&self, path: PathBuf) -> PathBuf {
        if path.as_os_str().is_empty() {
            path
        } else {
            self.directory.join(path)
        }
    }

    fn system_file(&self) -> Result<Option<PathBuf>> {
        if self.environment.boolean("GIT_CONFIG_NOSYSTEM")? == Some(true) {
            return Ok(None);
        }
        let named = self.environment.var_os("GIT_CONFIG_SYSTEM");
        Ok(Some(
            named.map_or_else(|| system_file("gitconfig"), PathBuf::from),
        ))
    }

    fn global_files(&self) -> Vec<PathBuf> {
        if let Some(file) = self.environment.var_os("GIT_CONFIG_GLOBAL") {
            return vec![file.into()];
        }
        let home = std::env::var_os("HOME");
        let home = home.map(|home| Path::new(&home).join(".gitconfig"));
        user_file("config").into_iter().chain(home).collect()
    }
}

/// True if the repository's own file, without what it includes, enables the work tree's file.
fn has_worktree_config(reader: &ConfigurationReader<'_>) -> bool {
    let variables = reader.variables.iter().rev();
    let mut own = variables.filter(|variable| {
        reader.origins[variable.origin].scope == Scope::Local
            && variable.key == "extensions.worktreeconfig"
    });
    own.next().is_some_and(|variable| {
        let value = variable.value.as_ref();
        value.is_none_or(|value| value::boolean(value) == Some(true))
    })
}

/// A file of the system, such as `gitconfig`: in `etc` beside the `bin` directory of the installed
/// git.
pub(crate) fn system_file(name: &str) -> PathBuf {
    match git_prefix() {
        prefix if prefix == Path::new("/usr") => Path::new("/etc").join(name),
        prefix => prefix.join("etc").join(name),
    }
}

/// A file of the user, such as `config`, in the directory `git` of `XDG_CONFIG_HOME`.
pub(crate) fn user_file(name: &str) -> Option<PathBuf> {
    let xdg = std::env::var_os("XDG_CONFIG_HOME").filter(|path| !path.is_empty());
    let home = || Some(Path::new(&std::env::var_os("HOME")?).join(".config"));
    let directory = xdg.map(PathBuf::from).or_else(home)?;
    Some(directory.join("git").join(name))
}

impl Configuration {
    /// The variables of one file.
    ///
    /// # Errors
    ///
    /// In git's words, if it cannot be parsed.
    pub fn of_text(text: &[u8]) -> Result<Configuration> {
        let place = ConditionContext::default();
        let mut reader = ConfigurationReader::new(&place, None);
        reader.text(Scope::Local, "config".into(), "config".into(), text)?;
        Ok(Configuration {
            variables: reader.variables,
            origins: reader.origins,
        })
    }

    /// The variables in git's order.
    pub fn variables(&self) -> impl DoubleEndedIterator<Item = Located<'_>> {
        self.variables.iter().map(|variable| Located {
            variable,
            origin: &self.origins[variable.origin],
        })
    }

    /// The last value of a variable, whose key is in lower case.
    pub fn last(&self, key: &str) -> Option<Located<'_>> {
        self.variables().rev().find(|it| it.key() == key)
    }

    /// True if `directory`, which another user owns, is in `safe.directory`. Only protected
    /// configuration may be asked: [`Sources::protected`]. Warnings are added to `notes`.
    ///
    /// # Errors
    ///
    /// If the home directory in a value is not known.
    pub fn is_safe_directory(&self, directory: &Path, notes: &mut Vec<BString>) -> Result<bool> {
        let directory = directory.as_os_str().as_encoded_bytes();
        let mut safe = false;
        for it in self.values("safe.directory") {
            match it.bytes() {
                None | Some(b"") => safe = false,
                Some(b"*") => safe = true,
                Some(_) => safe |= covers(&it.path()?, directory, notes),
            }
        }
        Ok(safe)
    }

    /// True if `safe.bareRepository` refuses bare repositories that are not named explicitly. Only
    /// protected configuration may be asked.
    ///
    /// # Errors
    ///
    /// An unknown value.
    pub fn refuses_implicit_bare(&self) -> Result<bool> {
        let mut refuses = false;
        for it in self.values("safe.barerepository") {
            refuses = match it.bytes() {
                Some(b"explicit") => true,
                Some(b"all") => false,
                _ => return Err(it.bad_variable()),
            };
        }
        Ok(refuses)
    }

    fn values(&self, key: &'static str) -> impl Iterator<Item = Located<'_>> {
        self.variables().filter(move |it| it.key() == key)
    }
}

/// True if a value of `safe.directory` names `directory` or, with `/*` at its end, one above.
fn covers(value: &BString, directory: &[u8], notes: &mut Vec<BString>) -> bool {
    let (value, below) = match value.strip_suffix(b"/*") {
        Some(value) => (value.as_bstr(), true),
        None => (value.as_bstr(), false),
    };
    let path = match (value.as_bytes(), below) {
        (b".", false) => std::env::current_dir().ok(),
        (b"", true) => return true,
        ([b'/', ..], _) => {
            let path = value.to_path_lossy();
            Some(path.canonicalize().unwrap_or_else(|_| path.into_owned()))
        }
        _ => {
            let end = if below {
                "/*' not absolute"
            } else {
                "' not absolute"
            };
            let mut note = BString::from("warning: safe.directory '");
            note.push_str(value);
            note.push_str(end);
            notes.push(noted(note));
            return false;
        }
    };
    let Some(path) = path else { return false };
    match directory.strip_prefix(path.as_os_str().as_encoded_bytes()) {
        None => false,
        Some(rest) if below => rest.starts_with(b"/"),
        Some(rest) => rest.is_empty(),
    }
}
