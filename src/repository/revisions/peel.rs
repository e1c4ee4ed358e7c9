//! Peeling of tags to commits, and the errors of objects that cannot be read.

use bstr::{BString, ByteSlice};

use crate::{
    error::{Error, Result},
    objects::{self, ObjectId, ObjectKind, Reader},
};

/// Nested tags followed at most. A safeguard: they are rare, and a cycle would need a hash collision.
pub(super) const MAX_TAGS: usize = 64;

/// The error for an object that cannot be read.
pub fn damaged(err: objects::Error) -> Error {
    let notes = note_of(&err).into_iter().collect();
    Error::object(err.to_string()).after(notes)
}

/// The line that git prints before the error for an object that cannot be read.
pub fn note_of(err: &objects::Error) -> Option<BString> {
    let objects::Error::Loose { id, path, reason } = err else {
        return None;
    };
    Some(match err.is_absence() {
        true => {
            let path = path.as_os_str().as_encoded_bytes();
            let note = [b"error: object file ", path, b" is empty"];
            note.concat().into()
        }
        false if reason.ends_with("malformed header") => {
            "error: inflate: data stream error (incorrect header check)".into()
        }
        false => format!("error: corrupt loose object '{id}'").into(),
    })
}

/// What git prints for a parent that it goes on without.
pub fn unreadable_parent(err: &objects::Error) -> BString {
    match err {
        objects::Error::Missing { id } => format!("error: Could not read {id}").into(),
        objects::Error::NotKind { id, .. } => format!("error: Object {id} not a commit").into(),
        err => note_of(err).unwrap_or_else(|| format!("error: {err}").into()),
    }
}

/// Peels tags to a commit; `None` if `id` leads to another kind of object.
///
/// # Errors
///
/// If an object on the way cannot be read.
pub fn peel_to_commit(reader: &mut Reader, id: ObjectId) -> Result<Option<ObjectId>> {
    let (id, kind) = peel_with_kind(reader, id)?;
    Ok(Some(id).filter(|_| kind == Some(ObjectKind::Commit)))
}

/// Peels tags to the object that the innermost one names.
///
/// # Errors
///
/// If a tag cannot be read.
pub fn peel(reader: &mut Reader, id: ObjectId) -> Result<ObjectId> {
    Ok(peel_with_kind(reader, id)?.0)
}

/// As [`peel`], with the kind of the object; `None` if it is missing.
///
/// # Errors
///
/// If an object on the way cannot be read.
pub(crate) fn peel_with_kind(
    reader: &mut Reader,
    id: ObjectId,
) -> Result<(ObjectId, Option<ObjectKind>)> {
    let mut id = id;
    for _ in 0..MAX_TAGS {
        let kind = reader.kind(&id).map_err(damaged)?;
        if kind != Some(ObjectKind::Tag) {
            return Ok((id, kind));
        }
        let tag = reader.object(&id).map_err(damaged)?;
        match target(&tag.data) {
            Some(target) => id = target,
            None => break,
        }
    }
    Ok((id, Some(ObjectKind::Tag)))
}

/// The object that a tag names.
pub(crate) fn target(tag: &[u8]) -> Option<ObjectId> {
    let line = tag.strip_prefix(b"object ")?.lines().next()?;
    ObjectId::from_hex(line).ok()
}

/// The error for a tree or a blob where a commit is needed.
pub(crate) fn no_commit((id, kind): (ObjectId, Option<ObjectKind>)) -> Option<BString> {
    let kind = kind.filter(|kind| matches!(kind, ObjectKind::Tree | ObjectKind::Blob))?;
    Some(format!("error: object {id} is a {}, not a commit", kind.name()).into())
}
