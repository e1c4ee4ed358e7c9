//! What is wrong with the operands of `--why`, in its own words.

use bstr::{BStr, BString, ByteSlice};

use crate::{
    error::{Error, Kind, quoted},
    repository::{Repository, places::place::places, request::options::BlameOptions},
    run::missing_path::typed_in_work_tree,
};

/// What is wrong without lines.
pub(super) const NEEDS_LINES: &str = "--why needs lines: FILE:LINE, FILE:FIRST-LAST or -L";

/// The error for operands that a blame refuses with `err`.
pub(in crate::run) fn explained(
    repository: &Repository,
    options: &BlameOptions,
    err: Error,
) -> Error {
    let words = options.operands.iter().filter(|word| *word != "--");
    let words: Vec<&BString> = words.collect();
    let Some(last) = words.last() else {
        return Error::fatal(NEEDS_LINES);
    };
    let found = |name: &BStr| typed_in_work_tree(repository, name);
    let is_file = |name: &BStr| found(name).is_some_and(|it| it.is_file());
    if let [file, line] = words[..]
        && is_file(file.as_bstr())
        && line.iter().all(u8::is_ascii_digit)
    {
        return err.or_hint(format!("did you mean {file}:{line}?"));
    }
    let place = places(last.as_bstr()).next();
    let name = place.as_ref().map_or(last.as_bstr(), |place| place.file);
    let is_there = found(last.as_bstr()).is_some();
    let name = if is_there { last.as_bstr() } else { name };
    match found(name) {
        Some(it) if it.is_dir() => {
            let reason = format!(" is a directory: {NEEDS_LINES}");
            Error::fatal(quoted("", name, &reason))
        }
        Some(_) if words.len() == 1 && err.kind() == Kind::NoSuchPath => {
            Error::fatal([b"git does not track ", name.as_bytes()].concat())
        }
        _ => match last.rsplit_once_str(":") {
            Some((file, line)) if place.is_none() && is_file(file.as_bstr()) => {
                let reason = format!(" is no line: {NEEDS_LINES}");
                Error::fatal(quoted("", line.as_bstr(), &reason))
            }
            _ => err,
        },
    }
}
