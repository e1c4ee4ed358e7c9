//! Where a repository is: the search from a directory upwards (git(1), gitrepository-layout(5)).

use std::{
    fs,
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
};

use bstr::{ByteSlice, ByteVec};

use crate::{
    error::{Error, Result, quoted},
    repository::open::{
        environment::EnvironmentUse,
        jj_workspace::JjWorkspace,
        optional_file::{FileText, read_configuration},
    },
    system,
};

/// Where a repository is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenAt {
    /// In the directory or the nearest one above that has a repository.
    OrAbove,
    /// In the directory itself.
    Exactly,
}

/// The largest file `.git`, in bytes.
const MAX_LINK: u64 = 1 << 20;

/// A repository that was found.
#[derive(Debug)]
pub(super) struct FoundRepository {
    /// The directory of this work tree in the repository.
    pub(super) git_dir: PathBuf,
    /// `git_dir` has no symbolic links.
    pub(super) is_real: bool,
    /// The directory that all work trees share, if that is another one.
    pub(super) common_dir: Option<PathBuf>,
    /// The root of the work tree, unless the repository was found in its own directory.
    pub(super) root: Option<PathBuf>,
    /// `.git` is a file that leads to the repository, or the work tree is a workspace.
    pub(super) is_linked: bool,
    /// The workspace of jj that led to the repository.
    pub(super) workspace: Option<JjWorkspace>,
}

impl FoundRepository {
    /// Reads the repository's own file.
    pub(super) fn configuration(&self) -> FileText {
        read_configuration(&self.shared().join("config"))
    }

    /// The directory that all work trees share.
    fn shared(&self) -> &Path {
        self.common_dir.as_ref().unwrap_or(&self.git_dir)
    }
}

/// Finds the repository that `GIT_DIR` names, `named`, or else the one of `directory`, an absolute
/// path without symbolic links.
///
/// # Errors
///
/// If there is none, or git ends before it finds one.
pub(super) fn find(
    directory: &Path,
    named: Option<&Path>,
    location: OpenAt,
    environment: EnvironmentUse,
) -> Result<FoundRepository> {
    let objects = environment.path("GIT_OBJECT_DIRECTORY", directory);
    let objects = objects.as_deref();
    if let Some(named) = named {
        if named.as_os_str().is_empty() {
            return Err(no_repository_at(named));
        }
        let path = directory.join(named);
        let found = if path.is_file() {
            repository_at(linked(&path)?, objects)?
        } else {
            repository_at(path, objects)?
        };
        let place = found.ok_or_else(|| no_repository_at(named))?;
        // `git --bare` sets it.
        let has_root = environment.boolean("GIT_IMPLICIT_WORK_TREE") != Ok(Some(false));
        return Ok(FoundRepository {
            root: has_root.then(|| directory.to_owned()),
            ..place
        });
    }
    // git reads the protected configuration first.
    environment.boolean("GIT_CONFIG_NOSYSTEM")?;
    let crosses = environment.boolean("GIT_DISCOVERY_ACROSS_FILESYSTEM")? == Some(true);
    let ceilings = ceiling_directories(environment);
    let mut in_workspace = None;
    let mut boundary = None;
    for above in directory.ancestors() {
        if above != directory {
            if location == OpenAt::Exactly || ceilings.iter().any(|ceiling| ceiling == above) {
                break;
            }
            if !crosses && system::device(above) != system::device(directory) {
                boundary = Some(above);
                break;
            }
        }
        if let Some(place) = in_directory(above, objects)? {
            // Files of a work tree may have the form of a workspace with a configuration of its
            // own. git does not look at them.
            let is_of_place = |workspace: &FoundRepository| {
                workspace.shared().canonicalize().ok() == place.shared().canonicalize().ok()
            };
            return Ok(in_workspace.filter(is_of_place).unwrap_or(place));
        }
        if in_workspace.is_none() {
            in_workspace = in_jj_workspace(above, objects);
        }
    }
    if let Some(place) = in_workspace {
        return Ok(place);
    }
    if let Some(boundary) = boundary {
        return Err(no_repository_up_to(boundary));
    }
    let error =
        Error::no_repository("not a git repository (or any of the parent directories): .git");
    Err(error.with_hint("tblame --demo shows a small history anywhere"))
}

/// The repository in a directory, or the directory if it is one.
fn in_directory(directory: &Path, objects: Option<&Path>) -> Result<Option<FoundRepository>> {
    let below = directory.join(".git");
    let is_real = fs::symlink_metadata(&below).map(|metadata| metadata.is_dir());
    let root = Some(directory.to_owned());
    match is_real {
        Ok(false) if below.is_file() => {
            let git_dir = linked(&below)?;
            let error = no_repository_at(&git_dir);
            let place = repository_at(git_dir, objects)?.ok_or(error)?;
            return Ok(Some(FoundRepository {
                root,
                is_linked: true,
                ..place
            }));
        }
        Ok(is_real) => {
            if let Some(place) = repository_at(below, objects)? {
                return Ok(Some(FoundRepository {
                    root,
                    is_real,
                    ..place
                }));
            }
        }
        Err(_) => {}
    }
    let place = repository_at(directory.to_owned(), objects)?;
    Ok(place.map(|place| FoundRepository {
        is_real: true,
        ..place
    }))
}

/// The repository of the workspace of jj whose root `directory` is.
fn in_jj_workspace(directory: &Path, objects: Option<&Path>) -> Option<FoundRepository> {
    let workspace = JjWorkspace::at(directory)?;
    let place = repository_at(workspace.git_dir()?, objects).ok()??;
    Some(FoundRepository {
        root: Some(directory.to_owned()),
        is_linked: true,
        workspace: Some(workspace),
        ..place
    })
}

/// The repository whose directory `git_dir` is.
fn repository_at(git_dir: PathBuf, objects: Option<&Path>) -> Result<Option<FoundRepository>> {
    if !has_head(&git_dir) {
        return Ok(None);
    }
    let common_dir = common_dir_of(&git_dir)?;
    let shared = common_dir.as_ref().unwrap_or(&git_dir);
    let has_objects = match objects {
        Some(objects) => objects.is_dir(),
        None => shared.join("objects").is_dir(),
    };
    let is_one = has_objects && shared.join("refs").is_dir();
    Ok(is_one.then_some(FoundRepository {
        git_dir,
        is_real: false,
        common_dir,
        root: None,
        is_linked: false,
        workspace: None,
    }))
}

/// True if `HEAD` is a symbolic reference or begins with an id.
fn has_head(git_dir: &Path) -> bool {
    let path = git_dir.join("HEAD");
    let Ok(mut file) = system::open_file(&path) else {
        return fs::read_link(path).is_ok_and(|target| target.starts_with("refs"));
    };
    let mut start = [0; 64];
    let read = file.read(&mut start).unwrap_or(0);
    let start = &start[..read];
    match start.strip_prefix(b"ref:") {
        Some(name) => name.trim_ascii_start().starts_with(b"refs/"),
        None => start.len() >= 40 && start[..40].iter().all(u8::is_ascii_hexdigit),
    }
}

/// The directory that the file `commondir` of `git_dir` names. None without that file.
///
/// # Errors
///
/// It cannot be read, or it names a directory in one that does not exist.
fn common_dir_of(git_dir: &Path) -> Result<Option<PathBuf>> {
    let file = git_dir.join("commondir");
    let text = match system::read_file(&file) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        read => read.unwrap_or_default(),
    };
    if text.is_empty() {
        let problem = format!("failed to read {}", file.display());
        return Err(Error::fatal(format!(
            "{problem}: No such file or directory"
        )));
    }
    let common_dir = git_dir.join(line(&text).to_path_lossy());
    match common_dir.parent() {
        Some(parent) if !parent.exists() => Err(Error::fatal(quoted(
            "Invalid path ",
            system::path_bytes(parent).as_bstr(),
            ": No such file or directory",
        ))),
        _ => Ok(Some(common_dir)),
    }
}

/// The directory that a file `.git` leads to.
fn linked(file: &Path) -> Result<PathBuf> {
    let text = system::read_file_within(file, MAX_LINK).unwrap_or_default();
    let Some(path) = text.strip_prefix(b"gitdir: ") else {
        return Err(Error::fatal(format!(
            "invalid gitfile format: {}",
            file.display()
        )));
    };
    let path = line(path).to_path_lossy();
    if path.as_os_str().is_empty() {
        Err(Error::fatal(format!(
            "no path in gitfile: {}",
            file.display()
        )))
    } else {
        Ok(file.with_file_name("").join(path))
    }
}

/// A path in a file: its text without line ends. Blanks are parts of it.
fn line(text: &[u8]) -> &[u8] {
    text.trim_end_with(|end| matches!(end, '\n' | '\r'))
}

/// The error for a path that should be a repository.
fn no_repository_at(path: &Path) -> Error {
    let mut message = b"not a git repository: '".to_vec();
    message.push_str(path.as_os_str().as_encoded_bytes());
    message.push(b'\'');
    Error::no_repository(message)
}

/// The error where a search ended because `boundary` is on another file system.
fn no_repository_up_to(boundary: &Path) -> Error {
    let mut message = b"not a git repository (or any parent up to mount point ".to_vec();
    message.push_str(boundary.as_os_str().as_encoded_bytes());
    message
        .push_str(")\nStopping at filesystem boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set).");
    Error::no_repository(message)
}

/// The directories of `GIT_CEILING_DIRECTORIES`, where a search from below ends. After an empty
/// name, links are not resolved.
fn ceiling_directories(environment: EnvironmentUse) -> Vec<PathBuf> {
    let ceilings = environment
        .var_os("GIT_CEILING_DIRECTORIES")
        .unwrap_or_default();
    let mut resolves_links = true;
    let mut found = Vec::new();
    for ceiling in std::env::split_paths(&ceilings) {
        resolves_links &= !ceiling.as_os_str().is_empty();
        let real = ceiling.canonicalize().ok().filter(|_| resolves_links);
        found.extend(Some(real.unwrap_or(ceiling)).filter(|it| it.is_absolute()));
    }
    found
}
