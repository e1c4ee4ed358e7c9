//! References as files: one for each reference or log, and `packed-refs`.

use std::{
    fs,
    io::{self, ErrorKind, Read},
    path::{Path, PathBuf},
};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    objects::{HashKind, ObjectId},
    repository::references::{log::ReflogEntry, names, target::Target},
    system,
};

/// The longest file of a reference read.
const MAX_LEN: u64 = 1 << 16;
/// How deep directories are searched.
const MAX_DEPTH: usize = 32;
/// Files listed at most.
const MAX_FILES: usize = 1 << 22;

/// The thing in place of a reference's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InPlace {
    /// Nothing, or a directory: the reference may be in `packed-refs`.
    Nothing,
    /// A link that leads to no file: there is no reference, even if `packed-refs` has one.
    DanglingLink,
    /// A file.
    Reference(Target),
}

/// Reads the file of the reference `name` in `directory`. Opens it once: it may be replaced or
/// removed at any time.
pub(crate) fn read(directory: &Path, name: &BStr, hash: HashKind) -> InPlace {
    let path = directory.join(name.to_path_lossy());
    let link = match fs::read_link(&path) {
        Ok(target) => Some(target),
        Err(error) if is_nothing(&error) => return InPlace::Nothing,
        Err(_) => None,
    };
    if let Some(target) = &link {
        // The oldest form of symbolic references.
        let target = target.as_os_str().as_encoded_bytes();
        if target.starts_with(b"refs/") && names::is_valid(target) {
            return InPlace::Reference(Target::Symbolic(target.into()));
        }
    }
    match read_short(&path) {
        Ok(text) => InPlace::Reference(
            text.and_then(|text| parse(&text, hash))
                .unwrap_or(Target::Broken),
        ),
        Err(_) if link.is_some() => InPlace::DanglingLink,
        Err(error) if is_nothing(&error) => InPlace::Nothing,
        Err(error) => match error.kind() {
            ErrorKind::IsADirectory | ErrorKind::InvalidInput => InPlace::Nothing,
            _ => InPlace::Reference(Target::Broken),
        },
    }
}

fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The contents of a file; `None` if it is too long for a reference.
fn read_short(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = system::open_file(path)?;
    let mut text = Vec::new();
    file.take(MAX_LEN + 1).read_to_end(&mut text)?;
    Ok((text.len() as u64 <= MAX_LEN).then_some(text))
}

/// The contents of a reference's file.
fn parse(text: &[u8], hash: HashKind) -> Option<Target> {
    if let Some(target) = text.strip_prefix(b"ref:") {
        return Some(Target::Symbolic(target.trim_ascii().into()));
    }
    let (id, rest) = text.split_at_checked(hash.len_in_hex())?;
    if rest.first().is_some_and(|byte| !byte.is_ascii_whitespace()) {
        return None;
    }
    ObjectId::from_hex(id).ok().map(Target::Object)
}

/// The log of `name` in `directory`, oldest entry first; `None` if there is none.
pub(crate) fn log(directory: &Path, name: &BStr) -> Option<Vec<ReflogEntry>> {
    let path = directory.join("logs").join(name.to_path_lossy());
    let text = system::read_file(&path).ok()?;
    Some(text.lines().filter_map(ReflogEntry::parse).collect())
}

/// True if `name` has a log in `directory`.
pub(crate) fn has_log(directory: &Path, name: &BStr) -> bool {
    let path = directory.join("logs").join(name.to_path_lossy());
    path.is_file()
}

/// The names of all logs in `directory`, in order.
pub(crate) fn names_of_logs(directory: &Path) -> Vec<BString> {
    let root = directory.join("logs");
    let mut found = Vec::new();
    collect(&root, &root, 0, &mut found);
    found.sort();
    found
}

/// The names of all references below `refs/` that are files in `directory` and begin with `prefix`.
/// As in git, links that lead to no file are not among them, although they hide what is packed from
/// those that ask for the name.
pub(crate) fn names(directory: &Path, prefix: &BStr) -> Vec<BString> {
    let mut found = Vec::new();
    // Other directories are not read: this is done to open a repository.
    let parent = prefix
        .rfind_byte(b'/')
        .map_or(&b""[..], |end| &prefix[..end]);
    let below = if parent.starts_with(b"refs/") {
        directory.join(parent.to_path_lossy())
    } else {
        directory.join("refs")
    };
    collect(directory, &below, 0, &mut found);
    found.retain(|name| name.starts_with(prefix) && names::is_valid(name));
    found
}

/// Adds the files below `directory`, also those that links lead to, named from `root`.
fn collect(root: &Path, directory: &Path, depth: usize, found: &mut Vec<BString>) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let path: PathBuf = entry.path();
        if found.len() == MAX_FILES {
            return;
        }
        let Ok(mut kind) = entry.file_type() else {
            continue;
        };
        if kind.is_symlink() {
            let Ok(target) = fs::metadata(&path) else {
                continue;
            };
            kind = target.file_type();
        }
        if kind.is_dir() && depth < MAX_DEPTH {
            collect(root, &path, depth + 1, found);
        } else if kind.is_file()
            && let Ok(name) = path.strip_prefix(root)
        {
            found.push(name.as_os_str().as_encoded_bytes().into());
        }
    }
}
