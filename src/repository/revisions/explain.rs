//! The error for a path in a revision that lies outside of the work tree.

use bstr::{BStr, ByteSlice};

use crate::{error::Error, repository::open::repository::Repository};

/// A more specific error than `bad revision` for `name`, where git has one.
pub(crate) fn explain(repository: &Repository, name: &BStr) -> Option<Error> {
    let at = name.find_byte(b':').filter(|&at| at > 0)?;
    let path = &name[at + 1..];
    match path.starts_with(b"../") || path.starts_with(b"./") {
        true => repository.paths().resolve(path).err(),
        false => None,
    }
}
