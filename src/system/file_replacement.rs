//! Writing files whole: a new file takes the place of the old one, so that no reader sees a part of
//! it, and nothing is written through a link.

use std::{
    fs::{self, File, Metadata, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use crate::{
    sanitize,
    system::{
        self,
        leftovers::{self, Leftover, Tracking},
    },
};

/// Most links that are followed on the way to a file.
const MAX_LINKS: usize = 40;

/// Puts what `write` writes at `path`, as a file that only the user can read, in place of the file
/// or link that is there. For directories that belong to the program alone.
///
/// # Errors
///
/// Those of `write` and of the system; one is that a directory is there.
pub fn put(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let (mut file, _tracking) = temporary_file(path, None)?;
    write(file.as_file_mut())?;
    file.persist(path).map_err(|err| err.error)?;
    Ok(())
}

/// A new file in the directory of `path`, which only the user can read, or everyone by `mode`.
fn temporary_file(path: &Path, mode: Option<u32>) -> io::Result<(NamedTempFile, Tracking)> {
    let mut builder = tempfile::Builder::new();
    if let Some(permissions) = mode.and_then(system::permissions) {
        builder.permissions(permissions);
    }
    let directory = path.parent().unwrap_or(path);
    leftovers::track(
        || builder.tempfile_in(directory),
        |file| Leftover::File(file.path().to_owned()),
    )
}

/// `path` with the links on the way to it followed, which need not lead to something that exists.
/// Not followed are links in `work_tree`, which may come from the repository, and those that
/// neither the user nor the administrator made; the path goes on behind them as it was.
///
/// # Errors
///
/// If the current directory is needed and does not exist.
pub fn follow_links(path: &Path, work_tree: Option<&Path>) -> io::Result<PathBuf> {
    let names = |path: &Path| {
        let names = path.components().rev().map(|it| it.as_os_str().to_owned());
        Vec::from_iter(names)
    };
    let mut rest = names(&std::path::absolute(path)?);
    let mut reached = PathBuf::new();
    let mut followed = 0;
    while let Some(name) = rest.pop() {
        if name == ".." {
            reached.pop();
            continue;
        }
        reached.push(&name);
        let Ok(target) = fs::read_link(&reached) else {
            continue;
        };
        let is_in_work_tree = work_tree.is_some_and(|root| reached.starts_with(root));
        let is_trusted = fs::symlink_metadata(&reached)
            .is_ok_and(|link| system::is_of_user_or_administrator(&link));
        if is_in_work_tree || !is_trusted || followed == MAX_LINKS {
            reached.extend(rest.iter().rev());
            break;
        }
        followed += 1;
        reached.pop();
        rest.extend(names(&target).into_iter().filter(|name| name != "."));
    }
    Ok(reached)
}

/// A file that is not the program's own, such as its configuration, and that is to be replaced or
/// created.
#[derive(Debug)]
pub struct ReplaceableFile {
    path: PathBuf,
    /// Of the file, if there is one.
    metadata: Option<Metadata>,
}

impl ReplaceableFile {
    /// The file at the absolute `path`, which need not exist.
    ///
    /// # Errors
    ///
    /// If a link is on the way, or what is there is no regular file, is read-only, or belongs to
    /// another user.
    pub fn new(path: &Path) -> io::Result<ReplaceableFile> {
        for reached in path.ancestors() {
            if let Ok(target) = fs::read_link(reached) {
                let shown = |path: &Path| sanitize::line(path.as_os_str().as_encoded_bytes());
                let link = if reached == path {
                    "it".to_owned()
                } else {
                    format!("'{}'", shown(reached))
                };
                let target = shown(&target);
                let message = format!("{link} is a link to '{target}', which is not followed");
                return Err(io::Error::other(message));
            }
        }
        let metadata = match fs::symlink_metadata(path) {
            Ok(metadata) => Some(metadata),
            Err(err) if err.kind() == io::ErrorKind::NotFound => None,
            Err(err) => return Err(err),
        };
        let problem = metadata.as_ref().and_then(|metadata| {
            let problems = [
                (metadata.is_dir(), "it is a directory"),
                (!metadata.is_file(), "it is not a regular file"),
                (!system::is_of_user(metadata), "it belongs to another user"),
                (metadata.permissions().readonly(), "it is read-only"),
            ];
            problems.into_iter().find(|(is_so, _)| *is_so)
        });
        match problem {
            Some((_, problem)) => Err(io::Error::other(problem)),
            None => Ok(ReplaceableFile {
                path: path.to_owned(),
                metadata,
            }),
        }
    }

    /// Its contents, of at most `max_bytes`; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is larger.
    pub fn read(&self, max_bytes: u64) -> io::Result<Option<Vec<u8>>> {
        let exists = self.metadata.is_some();
        let contents = exists.then(|| system::read_file_within(&self.path, max_bytes));
        contents.transpose()
    }

    /// Replaces its contents; its permissions stay, and so do the contents under other names of it.
    /// Or creates it, with the directories on the way.
    ///
    /// # Errors
    ///
    /// Those of the system; one is that another program has created it meanwhile.
    pub fn replace(&self, contents: &[u8]) -> io::Result<()> {
        let mode = match &self.metadata {
            Some(_) => None,
            None => {
                fs::create_dir_all(self.path.parent().unwrap_or(&self.path))?;
                Some(0o666)
            }
        };
        let (mut file, _tracking) = temporary_file(&self.path, mode)?;
        file.write_all(contents)?;
        if let Some(metadata) = &self.metadata {
            system::copy_access(file.as_file(), metadata)?;
        }
        file.as_file().sync_all()?;
        let placed = match &self.metadata {
            Some(_) => file.persist(&self.path),
            None => file.persist_noclobber(&self.path),
        };
        placed.map(drop).map_err(|err| err.error)
    }

    /// Opens it to write at its end, or creates it, so that only the user can read it. What is there
    /// must begin with `beginning`, or be empty.
    ///
    /// # Errors
    ///
    /// Those of the system, and if it begins with something else.
    pub fn open_at_end(&self, beginning: &[u8]) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).append(true);
        options.create_new(self.metadata.is_none());
        system::make_private(&mut options);
        system::open_what_is_named(&mut options);
        let file = options.open(&self.path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() || !system::is_of_user(&metadata) {
            return Err(io::Error::other("it was replaced meanwhile"));
        }
        let mut begins = Vec::new();
        (&file)
            .take(beginning.len() as u64)
            .read_to_end(&mut begins)?;
        if !begins.is_empty() && begins != beginning {
            return Err(io::Error::other("it has something else in it"));
        }
        Ok(file)
    }

    /// Removes it.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn remove(&self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}
