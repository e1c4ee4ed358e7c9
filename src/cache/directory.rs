//! The directory of the cache: where it is, whether it can be trusted, and what is in it.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    cache::{fingerprint::hash, settings::CacheSettings},
    repository::Repository,
    sorting,
    system::{self, file_replacement},
    text::byte_codec::push_bytes,
};

/// The version of the layout: the name of the directory in which everything is.
const LAYOUT: &str = "v1";

/// The file in a repository's directory that says where the repository is, for people.
const PLACE: &str = "repository";

/// The longest of these files that is read.
const MAX_PLACE_LEN: u64 = 1 << 16;

/// The file of a repository that git writes once. Users of gitweb may edit it.
const DESCRIPTION: &str = "description";

/// The cache of a user.
#[derive(Debug, Clone)]
pub struct CacheDirectory {
    root: PathBuf,
}

impl CacheDirectory {
    /// The directory by the settings: the one they name, or the system's place. `var` reads the
    /// environment. `None` if there is no such place.
    pub fn new(
        settings: &CacheSettings,
        var: impl Fn(&str) -> Option<OsString>,
    ) -> Option<CacheDirectory> {
        let place = match &settings.directory {
            Some(directory) => directory.clone(),
            None => system_directory(var)?,
        };
        Some(CacheDirectory {
            root: place.join("tblame").join(LAYOUT),
        })
    }

    /// The directory that has a directory for each repository.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Creates the directory `root` of a cache, which only the user can read.
    pub(super) fn create(root: &Path) -> io::Result<()> {
        if let Some(place) = root.ancestors().nth(2) {
            fs::create_dir_all(place)?;
        }
        let own = root.parent().into_iter().chain([root]);
        own.into_iter().try_for_each(create_own_directory)
    }

    /// The directory of `repository`. `None` if the settings or its configuration (`tblame.cache`)
    /// have the cache off, its place is not known, or the repository cannot be told from a later
    /// one in its place.
    pub fn of_repository(
        &self,
        repository: &Repository,
        settings: &CacheSettings,
    ) -> Option<RepositoryDirectory> {
        if !settings.enabled || repository.config().cache == Some(false) {
            return None;
        }
        let mut identified = vec![repository.real_common_dir().to_owned()];
        identified.extend_from_slice(repository.store().dirs());
        let directory = RepositoryDirectory {
            path: self.root.join(name_of(&identified)?),
            root: self.root.clone(),
            identified: identified.into(),
        };
        if directory.is_trusted() {
            directory.note_place();
        }
        Some(directory)
    }

    /// The directories of all repositories, with the common directory that each had when it was
    /// last used.
    pub fn repositories(&self) -> Vec<(PathBuf, Option<PathBuf>)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.root).into_iter().flatten().flatten() {
            let path = entry.path();
            if is_own_directory(&path) {
                let place = read_place(&path.join(PLACE));
                found.push((path, place));
            }
        }
        sorting::sort(&mut found);
        found
    }
}

/// The name of the directory of a repository with these directories: the common one, and those of
/// objects. `None` if one of them cannot be told from a later one in its place.
fn name_of(directories: &[PathBuf]) -> Option<String> {
    let mut text = Vec::new();
    for (at, directory) in directories.iter().enumerate() {
        let identity = system::lasting_identity(directory).or_else(|| {
            // Beside the objects.
            let place = if at == 0 {
                Some(&**directory)
            } else {
                directory.parent()
            };
            system::identity_of_unchanged(&place?.join(DESCRIPTION))
        });
        push_bytes(&mut text, identity?.as_bytes());
    }
    Some(hash(&[&text]).to_hex_with_len(32).to_string())
}

/// `$XDG_CACHE_HOME` or `~/.cache`; on macOS `~/Library/Caches`, on Windows `%LOCALAPPDATA%`.
fn system_directory(var: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = var(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let chosen = absolute("XDG_CACHE_HOME");
    if cfg!(windows) {
        return chosen.or_else(|| absolute("LOCALAPPDATA"));
    }
    let below_home = if cfg!(target_os = "macos") {
        "Library/Caches"
    } else {
        ".cache"
    };
    chosen.or_else(|| Some(absolute("HOME")?.join(below_home)))
}

/// The directory of one repository.
#[derive(Debug, Clone)]
pub struct RepositoryDirectory {
    path: PathBuf,
    root: PathBuf,
    /// The repository's common directory, and those of its objects.
    identified: Arc<[PathBuf]>,
}

impl RepositoryDirectory {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory that has a directory for each repository.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// True if it exists, and belongs to nobody else. Another user could have put answers there.
    pub fn is_trusted(&self) -> bool {
        self.unused_for().is_none()
    }

    /// Why it is not [trusted](Self::is_trusted).
    pub fn unused_for(&self) -> Option<&'static str> {
        let ancestors = self.path.ancestors().take(3);
        let other = ancestors
            .filter(|directory| !is_own_directory(directory))
            .last()?;
        Some(match fs::symlink_metadata(other) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => "nothing is there yet",
            Err(_) => "it cannot be read",
            Ok(_) => "others may write to it",
        })
    }

    /// Creates the directory, unless another repository is in the place of this one by now.
    pub(super) fn create(&self) -> io::Result<()> {
        let is_same = name_of(&self.identified).is_some_and(|name| self.path.ends_with(name));
        if !is_same {
            return Err(io::ErrorKind::NotFound.into());
        }
        CacheDirectory::create(&self.root)?;
        create_own_directory(&self.path)?;
        self.note_place();
        Ok(())
    }

    /// Says in the directory where the repository is, which may have been moved.
    fn note_place(&self) {
        let file = self.path.join(PLACE);
        if let Some(common_dir) = self.identified.first()
            && read_place(&file).as_ref() != Some(common_dir)
        {
            // Without it, only --cache does not name it.
            let _ = write_file(&file, common_dir.as_os_str().as_encoded_bytes());
        }
    }
}

fn read_place(file: &Path) -> Option<PathBuf> {
    // Opening something else could wait forever.
    let metadata = fs::symlink_metadata(file).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_PLACE_LEN {
        return None;
    }
    system::path_from_bytes(fs::read(file).ok()?)
}

/// True if `path` is a directory, not a link, that only its owner, the user, can change.
pub(super) fn is_own_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir() && system::is_own(&metadata))
}

/// Creates a directory that only the user can read, unless it exists.
///
/// # Errors
///
/// Those of the system, and if what is there is [not one's own](is_own_directory).
pub(super) fn create_own_directory(path: &Path) -> io::Result<()> {
    match system::create_private_directory(path) {
        Err(err) if err.kind() != io::ErrorKind::AlreadyExists => Err(err),
        _ if !is_own_directory(path) => Err(io::ErrorKind::PermissionDenied.into()),
        _ => Ok(()),
    }
}

/// Writes a file that only the user can read, in one step: no reader sees a part of it.
pub(super) fn write_file(path: &Path, contents: &[u8]) -> io::Result<()> {
    write_file_by(path, |file| file.write_all(contents))
}

/// [`write_file`] with what `write` writes.
pub(super) fn write_file_by(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    file_replacement::put(path, write)
}
