//! Specific errors and warnings for names that do not resolve.

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{error::Error, objects::ObjectKind, repository::open::discovery::Repository};

/// A more specific error than `bad revision` for `name`, where git has one.
pub(crate) fn explain(repository: &Repository, name: &BStr) -> Option<Error> {
    let at = name.find_byte(b':').filter(|&at| at > 0)?;
    let path = &name[at + 1..];
    match path.starts_with(b"../") || path.starts_with(b"./") {
        true => repository.paths().resolve(path).err(),
        false => None,
    }
}

/// The error for a name or range `word` that fails because of `^{kind}`. `innermost` returns the
/// kind that a name peels to.
pub(crate) fn wrong_kind(
    word: &BStr,
    mut innermost: impl FnMut(&BStr) -> Option<ObjectKind>,
) -> Option<BString> {
    let sides = match word.find(b"..") {
        Some(at) => [&word[..at], word[at + 2..].trim_start_with(|c| c == '.')],
        None => [word.strip_prefix(b"^").unwrap_or(word), &[]],
    };
    sides.into_iter().find_map(|name| {
        let at = name.rfind(b"^{")?;
        let wanted = name[at + 2..].strip_suffix(b"}")?.to_str().ok()?;
        if !matches!(wanted, "commit" | "tree" | "blob" | "tag") {
            return None;
        }
        let kind = innermost(name[..at].as_bstr())?;
        if kind.name() == wanted {
            return None;
        }
        let mut note = BString::from("error: ");
        note.push_str(name);
        note.push_str(format!(
            ": expected {wanted} type, but the object dereferences to {} type",
            kind.name()
        ));
        Some(note)
    })
}
