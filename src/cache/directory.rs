//! The directory of the cache: where it is, whether it can be trusted, and what is in it.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use bstr::ByteSlice;

use crate::{
    cache::{fingerprint::hash, settings::CacheSettings},
    file_replacement,
    repository::Repository,
    system,
};

/// The version of the layout: the name of the directory in which everything is.
const LAYOUT: &str = "v1";

/// The file in a repository's directory that says which repository it is.
const IDENTITY: &str = "repository";

/// The directory of files that say where the repository with a number is, so that it is found after a move.
const NUMBERS: &str = "numbers";

/// The longest of these files that is read.
const MAX_IDENTITY_LEN: u64 = 1 << 16;

/// The cache of a user.
#[derive(Debug, Clone)]
pub struct CacheDirectory {
    root: PathBuf,
}

impl CacheDirectory {
    /// The directory by the settings: the one they name, or the system's place. `var` reads the environment. `None` if
    /// there is no such place.
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

    /// The directory of `repository`. `None` if the settings or its configuration (`tblame.cache`) have the cache
    /// off, or its place is not known.
    pub fn of_repository(
        &self,
        repository: &Repository,
        settings: &CacheSettings,
    ) -> Option<RepositoryDirectory> {
        if !settings.enabled || repository.config().cache == Some(false) {
            return None;
        }
        let common_dir = repository.common_dir().canonicalize().ok()?;
        let directory = RepositoryDirectory {
            path: self.root.join(directory_name(&common_dir)),
            root: self.root.clone(),
            common_dir,
        };
        directory.find_moved();
        Some(directory)
    }

    /// The directories of all repositories, with the common directory that each was made for.
    pub fn repositories(&self) -> Vec<(PathBuf, Option<PathBuf>)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.root).into_iter().flatten().flatten() {
            let path = entry.path();
            if is_own_directory(&path) && entry.file_name() != NUMBERS {
                let identity = RepositoryIdentity::read(&path.join(IDENTITY));
                found.push((path, identity.map(|identity| identity.common_dir)));
            }
        }
        found.sort();
        found
    }
}

/// The name of the directory of the repository with this common directory.
fn directory_name(common_dir: &Path) -> String {
    let name = hash(&[common_dir.as_os_str().as_encoded_bytes()]);
    name.to_hex_with_len(32).to_string()
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
    let below_home = match cfg!(target_os = "macos") {
        true => "Library/Caches",
        false => ".cache",
    };
    chosen.or_else(|| Some(absolute("HOME")?.join(below_home)))
}

/// The directory of one repository.
#[derive(Debug, Clone)]
pub struct RepositoryDirectory {
    path: PathBuf,
    root: PathBuf,
    common_dir: PathBuf,
}

impl RepositoryDirectory {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The directory that has a directory for each repository.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Whether it exists, and belongs to nobody else. Another user could have put answers there.
    pub(super) fn is_trusted(&self) -> bool {
        self.root.parent().is_some_and(is_own_directory)
            && is_own_directory(&self.root)
            && is_own_directory(&self.path)
    }

    /// Takes over the directory that this repository had in another place, if it has none here.
    fn find_moved(&self) {
        if fs::symlink_metadata(&self.path).is_err()
            && is_own_directory(&self.root)
            && let Ok(identity) = RepositoryIdentity::of(&self.common_dir)
            && let Some(old) = self.moved_from(&identity)
            && fs::rename(old, &self.path).is_ok()
        {
            // Without it, only --cache and another move do not find it.
            let _ = self.identify(&identity);
        }
    }

    /// Creates the directory.
    pub(super) fn create(&self) -> io::Result<()> {
        CacheDirectory::create(&self.root)?;
        create_own_directory(&self.path)?;
        // A program that was killed may have left a directory without it.
        match fs::symlink_metadata(self.path.join(IDENTITY)) {
            Err(_) => self.identify(&RepositoryIdentity::of(&self.common_dir)?),
            Ok(_) => Ok(()),
        }
    }

    /// Says in the directory which repository it is of, and by the repository's number which directory it has.
    fn identify(&self, identity: &RepositoryIdentity) -> io::Result<()> {
        identity.write(&self.path.join(IDENTITY))?;
        match self.by_number(identity) {
            Some(file) => {
                create_own_directory(&self.root.join(NUMBERS))?;
                identity.write(&file)
            }
            None => Ok(()),
        }
    }

    /// The file that says where the repository with this number is.
    fn by_number(&self, identity: &RepositoryIdentity) -> Option<PathBuf> {
        let number = identity.number.as_ref()?;
        Some(self.root.join(NUMBERS).join(number.replace(' ', "-")))
    }

    /// The directory of a repository that is gone from its place and was the same directory as this one.
    fn moved_from(&self, identity: &RepositoryIdentity) -> Option<PathBuf> {
        let old = RepositoryIdentity::read(&self.by_number(identity)?)?.common_dir;
        let directory = self.root.join(directory_name(&old));
        let is_same = is_own_directory(&directory)
            && RepositoryIdentity::read(&directory.join(IDENTITY))?.number == identity.number;
        (is_same && !old.exists()).then_some(directory)
    }
}

/// What tells a repository from others: its place, and the number that the system gives its directory.
struct RepositoryIdentity {
    common_dir: PathBuf,
    number: Option<String>,
}

impl RepositoryIdentity {
    fn of(common_dir: &Path) -> io::Result<RepositoryIdentity> {
        let metadata = fs::metadata(common_dir)?;
        Ok(RepositoryIdentity {
            common_dir: common_dir.to_owned(),
            number: system::file_number(&metadata),
        })
    }

    fn read(path: &Path) -> Option<RepositoryIdentity> {
        // Opening something else could wait forever.
        let metadata = fs::symlink_metadata(path).ok()?;
        if !metadata.is_file() || metadata.len() > MAX_IDENTITY_LEN {
            return None;
        }
        let text = fs::read(path).ok()?;
        let (number, path) = text.split_once_str("\n")?;
        Some(RepositoryIdentity {
            common_dir: path.to_path().ok()?.to_owned(),
            number: Some(number.to_str().ok()?.to_owned()).filter(|number| !number.is_empty()),
        })
    }

    fn write(&self, file: &Path) -> io::Result<()> {
        let mut text = self.number.clone().unwrap_or_default().into_bytes();
        text.push(b'\n');
        text.extend_from_slice(self.common_dir.as_os_str().as_encoded_bytes());
        write_file(file, &text)
    }
}

/// Whether `path` is a directory, not a link, that only its owner, the user, can change.
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
