//! Ignored revisions: `--ignore-rev`, `--ignore-revs-file` and their configuration.

use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result, noted, os_message},
    objects::{ObjectId, Reader},
    repository::{
        open::repository::Repository,
        request::options::BlameOptions,
        revisions::{peel::peel_to_commit, resolver::RevisionResolver},
    },
    sanitize, sorting,
    system::{
        self,
        file_replacement::{ReplaceableFile, follow_links},
    },
};

/// Conventional name of the list of ignored revisions in the work tree's root.
pub const ROOT_FILE: &str = ".git-blame-ignore-revs";

/// What some editors put before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const MARK_HINT: &str =
    "the list begins with a byte order mark, which git takes for a part of the id";

/// Largest list, in bytes, that is read without being named, or that a commit is added to.
const MAX_LIST_BYTES: u64 = 1 << 24;

/// The contents of [`ROOT_FILE`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootIgnoreFile {
    /// How many of its commits the repository has.
    pub count: usize,
    /// All ignored revisions, those of the file included.
    pub with: Arc<HashSet<ObjectId>>,
    /// The ignored revisions without those of the file.
    pub without: Arc<HashSet<ObjectId>>,
    /// The first problem with it, as a message. Valid lines count nevertheless.
    pub problem: Option<String>,
}

/// Reads [`ROOT_FILE`], if the work tree has one. `ignored` are the other ignored revisions.
pub fn root_file(repository: &Repository, ignored: HashSet<ObjectId>) -> Option<RootIgnoreFile> {
    let root = repository.paths().work_tree.as_ref()?;
    let (mut listed, mut unknown) = (HashSet::new(), 0);
    let mut problem = None;
    match system::read_file_within(&root.join(ROOT_FILE), MAX_LIST_BYTES) {
        Ok(text) => {
            let mut reader = repository.reader();
            for (index, line) in text.lines().enumerate() {
                match parse_line(line, repository) {
                    Ok(Some(id)) => {
                        if let Ok(Some(commit)) = peel_to_commit(&mut reader, id) {
                            listed.insert(commit);
                        } else {
                            unknown += 1;
                        }
                    }
                    Ok(None) => {}
                    Err(_) if line.starts_with(BYTE_ORDER_MARK) => {
                        problem.get_or_insert(format!("{ROOT_FILE}: {MARK_HINT}"));
                    }
                    Err(_) => {
                        let number = index + 1;
                        problem
                            .get_or_insert(format!("{ROOT_FILE}:{number} is not a full object id"));
                    }
                }
            }
        }
        Err(err) if err.kind() == io::ErrorKind::NotFound => return None,
        Err(err) => problem = Some(format!("{ROOT_FILE}: {}", os_message(&err))),
    }
    if unknown > 0 {
        problem.get_or_insert(unknown_in_words(BStr::new(ROOT_FILE), unknown));
    }
    Some(RootIgnoreFile {
        count: listed.len(),
        with: Arc::new(listed.union(&ignored).copied().collect()),
        without: Arc::new(ignored),
        problem,
    })
}

/// The ignored revisions by configuration and `options`.
///
/// # Errors
///
/// Unreadable files, malformed lines and names that are not commits, in git's words.
pub fn ignored(
    repository: &Repository,
    options: &BlameOptions,
    notes: &mut Vec<BString>,
) -> Result<HashSet<ObjectId>> {
    let mut ignored = HashSet::new();
    let mut reader = repository.reader();
    if !options.forget_configured_ignored_files {
        // git sorts the configured names and drops duplicates.
        let mut names = repository.config().ignored_files.clone();
        sorting::sort(&mut names);
        names.dedup();
        for name in &names {
            let optional = name.strip_prefix(b":(optional)");
            let optional = optional.filter(|_| !options.no_optional_files);
            let path = optional.unwrap_or(name).as_bstr();
            if optional.is_some() && !repository.named_file(path).exists() {
                continue;
            }
            let read = read_file(repository, &mut reader, path, &mut ignored);
            match read {
                Err(err) if options.tolerates_missing_lists => {
                    let name = "blame.ignoreRevsFile";
                    let words = err.hint().map_or(err.message(), BStr::new);
                    notes.push(noted(format!("warning: {name}: {words}").into()));
                }
                read => note_unknown(path, read?, options, notes),
            }
        }
    }
    for name in &options.ignored_files {
        let name = name.as_bstr();
        let unknown = read_file(repository, &mut reader, name, &mut ignored)?;
        note_unknown(name, unknown, options, notes);
    }
    for name in &options.ignored {
        let id = RevisionResolver::new(repository, notes).commit(name.as_bstr())?;
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

/// Warns of ids in a list that are no commits here, where more is said than git says.
fn note_unknown(name: &BStr, unknown: usize, options: &BlameOptions, notes: &mut Vec<BString>) {
    if unknown > 0 && options.tolerates_missing_lists {
        notes.push(noted(
            format!("warning: {}", unknown_in_words(name, unknown)).into(),
        ));
    }
}

fn unknown_in_words(name: &BStr, unknown: usize) -> String {
    let ids = if unknown == 1 { "id is" } else { "ids are" };
    format!("{name}: {unknown} {ids} of no commit here")
}

/// Adds the commits of a list. Returns how many ids in it are of no commit.
fn read_file(
    repository: &Repository,
    reader: &mut Reader,
    name: &BStr,
    ignored: &mut HashSet<ObjectId>,
) -> Result<usize> {
    if name.is_empty() {
        ignored.clear();
        return Ok(0);
    }
    let mut unknown = 0;
    let text = std::fs::read(repository.named_file(name)).map_err(|_| {
        let mut message = b"could not open object name list: ".to_vec();
        message.push_str(name);
        Error::fatal(message)
    })?;
    for line in text.lines() {
        let Some(id) = parse_line(line, repository)? else {
            continue;
        };
        if let Ok(Some(commit)) = peel_to_commit(reader, id) {
            ignored.insert(commit);
        } else {
            unknown += 1;
        }
    }
    Ok(unknown)
}

/// The id on a line of a list; `None` for blank lines and comments.
fn parse_line(line: &[u8], repository: &Repository) -> Result<Option<ObjectId>> {
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
            let has_mark = line.starts_with(BYTE_ORDER_MARK);
            Err(Error::fatal(message).with_hint_if(has_mark.then_some(MARK_HINT)))
        }
    }
}

/// The list that commits are added to: the last configured one, or [`ROOT_FILE`]. `None` without a
/// work tree. Links that the user made are followed, so that the user sees where it is; those in
/// the work tree are not, and [`save`] refuses them.
pub fn list_to_save_to(repository: &Repository) -> Option<PathBuf> {
    let root = repository.paths().work_tree.as_ref()?;
    let names = repository.config().ignored_files.iter();
    let configured = names.rev().take_while(|name| !name.is_empty()).next();
    let configured = configured.map(|name| name.strip_prefix(b":(optional)").unwrap_or(name));
    let name = configured.unwrap_or(ROOT_FILE.as_bytes());
    follow_links(&root.join(name.to_path_lossy()), Some(root)).ok()
}

/// Adds a commit to a list, preceded by its subject as a comment. The file is replaced atomically
/// and its line endings are kept. Returns false if the list has the commit already.
///
/// # Errors
///
/// If the file cannot be read, or is not one that is [replaced](ReplaceableFile::new).
pub fn save(path: &Path, id: &ObjectId, subject: &[u8]) -> io::Result<bool> {
    let file = ReplaceableFile::new(path)?;
    let mut text = file.read(MAX_LIST_BYTES)?.unwrap_or_default();
    if text.lines().any(|line| names(line, id)) {
        return Ok(false);
    }
    let end = line_end(&text);
    if !text.is_empty() && text.last() != Some(&b'\n') {
        text.push_str(end);
    }
    if !text.is_empty() {
        text.push_str(end);
    }
    for line in lines_to_save(id, subject) {
        text.push_str(line);
        text.push_str(end);
    }
    file.replace(&text)?;
    Ok(true)
}

/// The lines that [`save`] adds for a commit.
pub fn lines_to_save(id: &ObjectId, subject: &[u8]) -> [String; 2] {
    let subject = sanitize::line(subject);
    let comment = format!("# {}", subject.trim());
    [comment.trim_end().to_owned(), id.to_string()]
}

/// Removes from a list what [`save`] added for a commit, and the file if nothing is left. Returns
/// false if the list does not have the commit.
///
/// # Errors
///
/// If the file cannot be read or replaced.
pub fn remove(path: &Path, id: &ObjectId, subject: &[u8]) -> io::Result<bool> {
    let file = ReplaceableFile::new(path)?;
    let before = file.read(MAX_LIST_BYTES)?.unwrap_or_default();
    let mut lines: Vec<&[u8]> = before.lines_with_terminator().collect();
    let Some(at) = lines.iter().rposition(|line| names(line, id)) else {
        return Ok(false);
    };
    let [comment, _] = lines_to_save(id, subject);
    let is = |at: Option<usize>, text: &[u8]| {
        let line = at.and_then(|at| lines.get(at));
        line.is_some_and(|line| line.trim_end_with(|c| c == '\n' || c == '\r') == text)
    };
    let mut first = at;
    if is(first.checked_sub(1), comment.as_bytes()) {
        first -= 1;
        if is(first.checked_sub(1), b"") {
            first -= 1;
        }
    }
    lines.drain(first..=at);
    if lines.is_empty() {
        file.remove()?
    } else {
        file.replace(&lines.concat())?
    }
    Ok(true)
}

/// True if a line of a list names a commit.
fn names(line: &[u8], id: &ObjectId) -> bool {
    let line = line.split(|&byte| byte == b'#').next().unwrap_or_default();
    line.trim_ascii()
        .eq_ignore_ascii_case(id.to_string().as_bytes())
}

/// The line ending of a list.
fn line_end(text: &[u8]) -> &'static [u8] {
    match text.find_byte(b'\n') {
        Some(at) if at > 0 && text[at - 1] == b'\r' => b"\r\n",
        _ => b"\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_added_once_and_line_endings_stay() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("list");
        let id = |byte: u8| ObjectId::from_bytes_or_panic(&[byte; 20]);
        let (one, two) = ("11".repeat(20), "22".repeat(20));
        assert!(save(&path, &id(0x11), b"Reformat\x1b[31m\nall").unwrap());
        let text = || std::fs::read_to_string(&path).unwrap();
        assert_eq!(text(), format!("# Reformat^[[31m^Jall\n{one}\n"));
        assert!(!save(&path, &id(0x11), b"again").unwrap());
        assert!(save(&path, &id(0x22), b"").unwrap());
        assert_eq!(
            text(),
            format!("# Reformat^[[31m^Jall\n{one}\n\n#\n{two}\n")
        );
        std::fs::write(&path, format!("{one} # why\r\nx")).unwrap();
        assert!(!save(&path, &id(0x11), b"").unwrap());
        assert!(save(&path, &id(0x22), b"s").unwrap());
        assert_eq!(text(), format!("{one} # why\r\nx\r\n\r\n# s\r\n{two}\r\n"));
        assert!(save(&path.join("list"), &id(1), b"").is_err());
    }

    #[test]
    fn what_was_added_is_removed_again() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("list");
        let id = |byte: u8| ObjectId::from_bytes_or_panic(&[byte; 20]);
        let text = || std::fs::read_to_string(&path).unwrap();
        for before in ["# mine\n", "# mine\r\n# more\r\n", "#\n\n"] {
            std::fs::write(&path, before).unwrap();
            assert!(save(&path, &id(0x11), b"Reformat").unwrap());
            assert!(save(&path, &id(0x22), b"").unwrap());
            assert!(remove(&path, &id(0x11), b"Reformat").unwrap());
            assert!(!remove(&path, &id(0x11), b"Reformat").unwrap());
            assert!(remove(&path, &id(0x22), b"").unwrap());
            assert_eq!(text(), before);
        }
        // A comment of someone else stays.
        let (one, mine) = ("11".repeat(20), "# mine\n");
        std::fs::write(&path, format!("{mine}{one}\n")).unwrap();
        assert!(remove(&path, &id(0x11), b"Reformat").unwrap());
        assert_eq!(text(), mine);
        std::fs::remove_file(&path).unwrap();
        assert!(save(&path, &id(0x11), b"Reformat").unwrap());
        assert!(remove(&path, &id(0x11), b"Reformat").unwrap());
        assert!(!path.exists());
        assert!(!remove(&path, &id(0x11), b"Reformat").unwrap());
    }
}
