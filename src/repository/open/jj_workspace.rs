//! Workspaces of jj (Jujutsu) that have no `.git`: where their git repository is, and which commit
//! is checked out.
//!
//! The files are those of jj's documentation and of its protocol buffers `simple_op_store.proto` and
//! `local_working_copy.proto`. In `.jj`:
//!
//! - `repo` is the directory of the jj repository, or a file with the path of one that belongs to
//!   another workspace, from `.jj`.
//! - `repo/store/git_target` has the path of the git directory, from `repo/store`.
//! - `working_copy/checkout` names the operation that last updated the files, and the workspace.
//!   The operation names a view, which has the working-copy commit of each workspace.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

use crate::{
    objects::{HashKind, ObjectId},
    system,
};

/// The largest file with a path or the name of an operation, in bytes.
const MAX_SMALL_FILE: u64 = 1 << 16;
/// The largest operation or view, in bytes. It has the heads and all bookmarks.
const MAX_VIEW: u64 = 1 << 28;
/// The longest id of an operation or a view, in bytes: 64 in jj.
const MAX_ID: usize = 64;
/// The name of a workspace that has none in its files.
const DEFAULT_NAME: &[u8] = b"default";

/// A workspace of jj.
#[derive(Debug, Clone)]
pub(crate) struct JjWorkspace {
    /// Its directory `.jj`.
    directory: PathBuf,
    /// The directory of the jj repository.
    repository: PathBuf,
}

impl JjWorkspace {
    /// The workspace whose root `root` is.
    pub(super) fn at(root: &Path) -> Option<JjWorkspace> {
        let directory = root.join(".jj");
        let link = directory.join("repo");
        let repository = match link.metadata().ok()? {
            metadata if metadata.is_file() => directory.join(path_in(&link)?),
            _ => link,
        };
        Some(JjWorkspace {
            directory,
            repository,
        })
    }

    /// The directory of the git repository, if jj keeps its commits in one.
    pub(super) fn git_dir(&self) -> Option<PathBuf> {
        let store = self.repository.join("store");
        let git_dir = store.join(path_in(&store.join("git_target"))?);
        Some(git_dir.canonicalize().unwrap_or(git_dir))
    }

    /// A path that no index has: the one in the git directory, if any, is another work tree's.
    pub(super) fn index(&self) -> PathBuf {
        self.directory.join("index")
    }

    /// The commit that jj makes of the files, as of the last operation that updated them; `None` if
    /// it is not recorded in a known way.
    pub(super) fn working_copy_commit(&self, hash: HashKind) -> Option<ObjectId> {
        let checkout = self.directory.join("working_copy").join("checkout");
        let checkout = system::read_file_within(&checkout, MAX_SMALL_FILE).ok()?;
        let operation = field(&checkout, 2)?;
        let name = field(&checkout, 3).filter(|name| !name.is_empty());
        let name = name.unwrap_or(DEFAULT_NAME);
        let operation = self.stored("operations", operation)?;
        let view = self.stored("views", field(&operation, 1)?)?;
        let commits = fields(&view)?
            .into_iter()
            .filter(|(number, _)| *number == 8);
        for (_, entry) in commits {
            if field(entry, 1)? == name {
                let id = ObjectId::try_from(field(entry, 2)?).ok()?;
                return Some(id).filter(|id| id.kind() == hash && !id.is_null());
            }
        }
        None
    }

    /// The contents of an operation or a view.
    fn stored(&self, kind: &str, id: &[u8]) -> Option<Vec<u8>> {
        if id.is_empty() || id.len() > MAX_ID {
            return None;
        }
        let mut name = String::with_capacity(2 * id.len());
        for byte in id {
            write!(name, "{byte:02x}").ok()?;
        }
        let file = self.repository.join("op_store").join(kind).join(name);
        system::read_file_within(&file, MAX_VIEW).ok()
    }
}

/// The path that a file consists of.
fn path_in(file: &Path) -> Option<PathBuf> {
    let text = system::read_file_within(file, MAX_SMALL_FILE).ok()?;
    let text = text.trim_ascii_end();
    let path = (!text.is_empty()).then(|| text.to_vec());
    path.and_then(system::path_from_bytes)
}

/// The last field of a message with this number, as in protocol buffers, if it is text, bytes or a
/// message.
fn field(message: &[u8], number: u64) -> Option<&[u8]> {
    let fields = fields(message)?.into_iter().rev();
    let mut found = fields.filter(|(it, _)| *it == number);
    found.next().map(|(_, value)| value)
}

/// The fields of a message that are text, bytes or messages, by their numbers, in order; `None` if
/// it is damaged.
fn fields(message: &[u8]) -> Option<Vec<(u64, &[u8])>> {
    let mut rest = message;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let tag = varint(&mut rest)?;
        let length = match tag & 7 {
            0 => {
                varint(&mut rest)?;
                continue;
            }
            1 => 8,
            2 => usize::try_from(varint(&mut rest)?).ok()?,
            5 => 4,
            _ => return None,
        };
        let (value, after) = rest.split_at_checked(length)?;
        rest = after;
        if tag & 7 == 2 {
            found.push((tag >> 3, value));
        }
    }
    Some(found)
}

/// Takes a number of at most 64 bits from the start of `rest`.
fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_messages_are_found_and_damage_is_refused() {
        // 1: "ab", 2: varint 300, 3: fixed 32, 4: fixed 64, 1: "c"
        let message = b"\x0a\x02ab\x10\xac\x02\x1d1234\x2112345678\x0a\x01c";
        assert_eq!(field(message, 1), Some(&b"c"[..]));
        assert_eq!(field(message, 2), None);
        assert_eq!(fields(message).unwrap().len(), 2);
        // Within a field, or with a kind or a number that does not exist.
        for end in [1, 2, 3, 5, 6, 8, 11, 13, 20, 22, 23] {
            assert_eq!(fields(&message[..end]), None, "{end}");
        }
        assert_eq!(fields(b"\x0b"), None);
        assert_eq!(fields(&[0xff; 11]), None);
        assert_eq!(fields(b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), None);
    }
}
