//! Specific errors and warnings for names that do not resolve.

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, quoted},
    objects::ObjectKind,
    repository::open::discovery::Repository,
};

/// A more specific error than `bad revision` for `name`, where git has one.
pub(crate) fn explain(
    repository: &Repository,
    gix: &gix::Repository,
    name: &BStr,
) -> Option<Error> {
    if let Some(at) = name.find_byte(b':').filter(|&at| at > 0) {
        let path = &name[at + 1..];
        if path.starts_with(b"../") || path.starts_with(b"./") {
            return repository.paths().resolve(path).err();
        }
    }
    let (reference, inside) = split_reflog_entry(name)?;
    match inside.to_ascii_lowercase().as_slice() {
        b"u" | b"upstream" | b"push" => Some(no_upstream(gix, reference)),
        _ if !inside.is_empty() && inside.iter().all(u8::is_ascii_digit) => {
            error_of_short_log(gix, reference, inside)
        }
        _ => None,
    }
}

/// The warning for `name@{date}` with a date before the start of the reflog.
pub(crate) fn date_before_log(gix: &gix::Repository, name: &BStr) -> Option<BString> {
    let (reference, date) = split_reflog_entry(name)?;
    let word = date.to_ascii_lowercase();
    let number = date.strip_prefix(b"-").unwrap_or(date);
    let is_number = number.iter().all(u8::is_ascii_digit);
    if is_number || matches!(word.as_slice(), b"u" | b"upstream" | b"push") {
        return None;
    }
    let now = Some(jiff::Zoned::now());
    let date_given = gix::date::parse(date.to_str().ok()?, now).ok()?;
    let name = log_name(gix, reference)?;
    let oldest = log_of(gix, name.as_bstr(), |mut log| {
        let oldest = log.next()?.ok()?;
        oldest.signature.time().ok()
    })?;
    if date_given.seconds >= oldest.seconds {
        return None;
    }
    let date = oldest.format_or_unix(gix::date::time::format::GIT_RFC2822);
    let text = quoted("warning: log for ", name.as_bstr(), " only goes back to ");
    Some([text.as_slice(), date.as_bytes()].concat().into())
}

/// Splits `REFERENCE@{ENTRY}…` into reference and entry.
fn split_reflog_entry(name: &BStr) -> Option<(&BStr, &BStr)> {
    let at = name.find(b"@{")?;
    let inside = &name[at + 2..];
    let inside = &inside[..inside.find_byte(b'}')?];
    Some((name[..at].as_bstr(), inside.as_bstr()))
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

fn error_of_short_log(gix: &gix::Repository, reference: &BStr, nth: &BStr) -> Option<Error> {
    let name = log_name(gix, reference)?;
    let entries = log_of(gix, name.as_bstr(), |log| Some(log.count()))?;
    if nth
        .to_str()
        .ok()?
        .parse()
        .is_ok_and(|nth: usize| nth < entries)
    {
        return None;
    }
    Some(Error::fatal(quoted(
        "log for ",
        name.as_bstr(),
        &format!(" only has {entries} entries"),
    )))
}

/// The name of a reference in messages about its reflog.
fn log_name(gix: &gix::Repository, reference: &BStr) -> Option<BString> {
    match reference.as_bytes() {
        b"" => current_branch(gix),
        _ => Some(reference.to_owned()),
    }
}

/// Applies `read` to the reflog of the reference `name`, oldest entry first.
fn log_of<T>(
    gix: &gix::Repository,
    name: &BStr,
    mut read: impl FnMut(gix::refs::file::log::iter::Forward<'_>) -> Option<T>,
) -> Option<T> {
    let rules = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];
    rules.iter().find_map(|before| {
        let mut full = BString::from(*before);
        full.push_str(name);
        let found = gix.try_find_reference(&full).ok().flatten()?;
        let mut log = found.log_iter();
        read(log.all().ok().flatten()?)
    })
}

fn current_branch(gix: &gix::Repository) -> Option<BString> {
    let head = gix.head_name().ok().flatten()?;
    Some(head.shorten().to_owned())
}
