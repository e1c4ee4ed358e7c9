//! Peeling of tags to commits, and the errors of objects that cannot be read.

use bstr::{BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result},
    objects::{self, ObjectId, ObjectKind, Reader},
};

/// Nested tags followed at most. A safeguard: a cycle needs replaced objects.
pub(super) const MAX_TAGS: usize = 1 << 20;

/// The longest name of a kind that git reads in a tag, and its end.
const MAX_KIND_LEN: usize = 20;

/// The error for an object that cannot be read.
pub fn damaged(err: objects::Error) -> Error {
    let notes = note_of(&err).into_iter().collect();
    let cause = err.without_names();
    Error::object(err.to_string())
        .with_cause(cause)
        .after(notes)
}

/// The line that git prints before the error for an object that cannot be read.
pub fn note_of(err: &objects::Error) -> Option<BString> {
    let objects::Error::Loose { id, path, reason } = err else {
        return None;
    };
    Some(if err.is_absence() {
        let path = path.as_os_str().as_encoded_bytes();
        [b"error: object file ", path, b" is empty"].concat().into()
    } else if reason.ends_with("malformed header") {
        "error: inflate: data stream error (incorrect header check)".into()
    } else {
        format!("error: corrupt loose object '{id}'").into()
    })
}

/// The line that git prints for a parent that it goes on without.
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
    Ok((kind == Some(ObjectKind::Commit)).then_some(id))
}

/// As [`peel_to_commit`], for what the user names: the commit is compared with its id, as in git.
///
/// # Errors
///
/// If an object on the way cannot be read.
pub(crate) fn peel_to_named_commit(reader: &mut Reader, id: ObjectId) -> Result<Option<ObjectId>> {
    let commit = peel_to_commit(reader, id)?;
    if let Some(commit) = &commit {
        reader.verified(commit).map_err(damaged)?;
    }
    Ok(commit)
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
        let tag = reader.verified(&id).map_err(damaged)?;
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

/// The problem with a tag that git cannot read: the line, if any, that it prints before the error.
/// `None` if it can read it.
pub(crate) fn tag_problem(id: &ObjectId, tag: &[u8]) -> Option<Option<BString>> {
    let Some(rest) = target(tag).and_then(|target| {
        let object = b"object ".len() + target.kind().len_in_hex();
        tag.get(object..)?.strip_prefix(b"\ntype ")
    }) else {
        return Some(None);
    };
    let Some((kind, rest)) = rest.split_once_str("\n") else {
        return Some(None);
    };
    if kind.len() >= MAX_KIND_LEN {
        return Some(None);
    }
    if ObjectKind::from_name(kind).is_none() {
        let mut note = BString::from("error: unknown tag type '");
        note.push_str(kind);
        note.push_str(format!("' in {id}"));
        return Some(Some(note));
    }
    let is_named = rest
        .strip_prefix(b"tag ")
        .is_some_and(|name| name.contains(&b'\n'));
    (!is_named).then_some(None)
}

/// The error for a tree or a blob where a commit is needed.
pub(crate) fn no_commit((id, kind): (ObjectId, Option<ObjectKind>)) -> Option<BString> {
    let kind = kind.filter(|kind| matches!(kind, ObjectKind::Tree | ObjectKind::Blob))?;
    Some(format!("error: object {id} is a {}, not a commit", kind.name()).into())
}
