//! Why a name with `@{…}` is no revision, where git says more than that.

use bstr::{BStr, BString, ByteSlice, ByteVec};

use super::arguments::quoted;
use crate::error::Error;

/// What git says of `name`, if more than that it is a bad revision.
pub(super) fn explain(gix: &gix::Repository, name: &BStr) -> Option<Error> {
    let at = name.find(b"@{")?;
    let inside = name[at + 2..].strip_suffix(b"}")?;
    let reference = name[..at].as_bstr();
    match inside.to_ascii_lowercase().as_slice() {
        b"u" | b"upstream" | b"push" => Some(no_upstream(gix, reference)),
        _ if !inside.is_empty() && inside.iter().all(u8::is_ascii_digit) => {
            short_log(gix, reference)
        }
        _ => None,
    }
}

fn no_upstream(gix: &gix::Repository, reference: &BStr) -> Error {
    let branch = match reference.as_bytes() {
        b"" | b"@" | b"HEAD" => current_branch(gix),
        _ => {
            let mut full = BString::from("refs/heads/");
            full.push_str(reference);
            let there = gix.try_find_reference(&full).ok().flatten();
            there.map(|_| reference.to_owned())
        }
    };
    match branch {
        Some(branch) => Error::fatal(quoted(
            "no upstream configured for branch ",
            branch.as_bstr(),
            "",
        )),
        None if matches!(reference.as_bytes(), b"" | b"@" | b"HEAD") => {
            Error::fatal("HEAD does not point to a branch")
        }
        None => Error::fatal(quoted("no such branch: ", reference, "")),
    }
}

fn short_log(gix: &gix::Repository, reference: &BStr) -> Option<Error> {
    let name = match reference.as_bytes() {
        b"" => current_branch(gix)?,
        _ => reference.to_owned(),
    };
    let entries = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"]
        .iter()
        .find_map(|before| {
            let mut full = BString::from(*before);
            full.push_str(&name);
            let found = gix.try_find_reference(&full).ok().flatten()?;
            let mut log = found.log_iter();
            Some(log.all().ok().flatten()?.count())
        })?;
    Some(Error::fatal(quoted(
        "log for ",
        name.as_bstr(),
        &format!(" only has {entries} entries"),
    )))
}

fn current_branch(gix: &gix::Repository) -> Option<BString> {
    let head = gix.head_name().ok().flatten()?;
    Some(head.shorten().to_owned())
}
