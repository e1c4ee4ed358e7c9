//! The commits that a blame looks through.

use std::{collections::HashSet, io, sync::Arc};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use super::{
    open::{Repository, environment},
    options::Options,
    revisions::{Resolver, peel_to_commit},
};
use crate::{
    error::{Error, Result, os_message},
    objects::{ObjectId, Reader},
};

/// The file of the work tree's root that names commits to look through by convention.
pub const ROOT_FILE: &str = ".git-blame-ignore-revs";

/// What [`ROOT_FILE`] has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootFile {
    /// How many of its commits the repository has.
    pub count: usize,
    /// It and everything else that is looked through.
    pub with: Arc<HashSet<ObjectId>>,
    /// What is looked through without it.
    pub without: Arc<HashSet<ObjectId>>,
    /// What is wrong with it, in words for the user. Its good lines count all the same.
    pub problem: Option<String>,
}

/// Read [`ROOT_FILE`], if the work tree has one. `ignored` is what is looked through without it.
pub fn root_file(repository: &Repository, ignored: HashSet<ObjectId>) -> Option<RootFile> {
    let root = repository.place().work_tree.as_ref()?;
    let mut with = ignored.clone();
    let mut count = 0;
    let mut problem = None;
    match std::fs::read(root.join(ROOT_FILE)) {
        Ok(text) => {
            let mut reader = repository.reader();
            for (index, line) in text.lines().enumerate() {
                match listed(line, repository) {
                    Ok(Some(id)) => {
                        if let Ok(Some(commit)) = peel_to_commit(&mut reader, id) {
                            with.insert(commit);
                            count += 1;
                        }
                    }
                    Ok(None) => {}
                    Err(_) => {
                        let number = index + 1;
                        problem.get_or_insert(format!("{ROOT_FILE}:{number} is no full id"));
                    }
                }
            }
        }
        Err(err) if err.kind() == io::ErrorKind::NotFound => return None,
        Err(err) => problem = Some(format!("{ROOT_FILE}: {}", os_message(&err))),
    }
    Some(RootFile {
        count,
        with: Arc::new(with),
        without: Arc::new(ignored),
        problem,
    })
}

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
        let Some(id) = listed(line, repository)? else {
            continue;
        };
        if let Ok(Some(commit)) = peel_to_commit(reader, id) {
            ignored.insert(commit);
        }
    }
    Ok(())
}

/// The id that a line of a list stands for; none where it is blank or a comment.
fn listed(line: &[u8], repository: &Repository) -> Result<Option<ObjectId>> {
    let line = line.split(|&byte| byte == b'#').next().unwrap_or_default();
    let line = line.trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    match ObjectId::from_hex(line) {
        Ok(id) if id.kind() == repository.hash() => Ok(Some(id)),
        _ => {
            let mut message = b"invalid object name: ".to_vec();
            message.push_str(line);
            Err(Error::fatal(message))
        }
    }
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
