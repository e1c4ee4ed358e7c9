//! The commits that a blame looks through.

use std::collections::HashSet;

use bstr::{BStr, BString, ByteSlice, ByteVec};

use super::{
    open::{Repository, environment},
    options::Options,
    revisions::{Resolver, peel_to_commit},
};
use crate::{
    error::{Error, Result},
    objects::{ObjectId, Reader},
};

/// The commits that configuration and `options` name.
///
/// # Errors
///
/// Unreadable files, bad lines, and names that are no commits, in git's words.
pub fn ignored(
    repository: &Repository,
    options: &Options,
    notes: &mut Vec<BString>,
) -> Result<HashSet<ObjectId>> {
    let mut ignored = HashSet::new();
    let mut reader = repository.reader();
    if !options.forget_configured_ignored_files {
        // git keeps configured names sorted and once each, whatever their order was.
        let mut names = repository.settings().ignored_files.clone();
        names.sort();
        names.dedup();
        for name in &names {
            let optional = name.strip_prefix(b":(optional)");
            let path = expand_home(optional.unwrap_or(name).as_bstr());
            if optional.is_some() && !repository.place().from_root(path.as_bstr()).exists() {
                continue;
            }
            read_file(repository, &mut reader, path.as_bstr(), &mut ignored)?;
        }
    }
    for name in &options.ignored_files {
        read_file(repository, &mut reader, name.as_bstr(), &mut ignored)?;
    }
    for name in &options.ignored {
        let id = Resolver::new(repository, notes).commit(name.as_bstr())?;
        let Some(id) = id else {
            let mut message = b"cannot find revision ".to_vec();
            message.push_str(name);
            message.push_str(" to ignore");
            return Err(Error::fatal(message));
        };
        ignored.insert(id);
    }
    Ok(ignored)
}

fn read_file(
    repository: &Repository,
    reader: &mut Reader,
    name: &BStr,
    ignored: &mut HashSet<ObjectId>,
) -> Result<()> {
    if name.is_empty() {
        ignored.clear();
        return Ok(());
    }
    let text = std::fs::read(repository.place().from_root(name)).map_err(|_| {
        let mut message = b"could not open object name list: ".to_vec();
        message.push_str(name);
        Error::fatal(message)
    })?;
    for line in text.lines() {
        let line = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let id = ObjectId::from_hex(line)
            .ok()
            .filter(|id| id.kind() == repository.hash())
            .ok_or_else(|| {
                let mut message = b"invalid object name: ".to_vec();
                message.push_str(line);
                Error::fatal(message)
            })?;
        if let Ok(Some(commit)) = peel_to_commit(reader, id) {
            ignored.insert(commit);
        }
    }
    Ok(())
}

/// `~/` at the start stands for the home directory.
pub(super) fn expand_home(path: &BStr) -> BString {
    match (path.strip_prefix(b"~/"), environment("HOME")) {
        (Some(rest), Some(mut home)) => {
            home.push(b'/');
            home.push_str(rest);
            home
        }
        _ => path.to_owned(),
    }
}
