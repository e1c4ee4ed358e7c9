//! Loose objects: one zlib stream per file, `kind SP size NUL` in front of the bytes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix_hash::oid;

use crate::objects::{
    error::{EMPTY, Error, Fault},
    inflate::inflater::{Inflater, most_inflated},
    types::{Object, ObjectKind},
};

/// The longest header: the longest kind, the largest size, and some.
const HEADER: usize = 64;

/// Where a loose object would be.
pub(crate) fn path(dir: &Path, id: &oid) -> PathBuf {
    let hex = id.to_hex().to_string();
    dir.join(&hex[..2]).join(&hex[2..])
}

/// How many hex digits at most `id` starts with as another loose object in `dir` does; 0 if none has
/// the same first two.
pub(crate) fn shared_digits(dir: &Path, id: &oid) -> usize {
    let hex = id.to_hex().to_string();
    let (directory, own) = hex.split_at(2);
    let Ok(list) = std::fs::read_dir(dir.join(directory)) else {
        return 0;
    };
    let shared = |name: &[u8]| {
        let pairs = name.iter().zip(own.as_bytes());
        directory.len() + pairs.take_while(|(a, b)| a == b).count()
    };
    let others = list.flatten().filter_map(|entry| {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let is_object = name.len() == own.len() && name.iter().all(u8::is_ascii_hexdigit);
        (is_object && name != own.as_bytes()).then(|| shared(name))
    });
    others.max().unwrap_or(0)
}

/// Read the loose object `id` from `dir`, if there is one.
pub(crate) fn read(dir: &Path, id: &oid, inflater: &mut Inflater) -> Result<Option<Object>, Error> {
    let Some(bytes) = load(dir, id)? else {
        return Ok(None);
    };
    whole(&bytes, inflater)
        .map(Some)
        .map_err(|reason| damaged(dir, id, reason))
}

/// The kind and size of the loose object `id` in `dir`, if there is one.
pub(crate) fn header(
    dir: &Path,
    id: &oid,
    inflater: &mut Inflater,
) -> Result<Option<(ObjectKind, u64)>, Error> {
    let Some(bytes) = load(dir, id)? else {
        return Ok(None);
    };
    inflater
        .prefix(&bytes, HEADER)
        .and_then(parse)
        .map(|(kind, size, _)| Some((kind, size)))
        .map_err(|reason| damaged(dir, id, reason))
}

fn damaged(dir: &Path, id: &oid, reason: Fault) -> Error {
    Error::Loose {
        id: id.to_owned(),
        path: path(dir, id),
        reason,
    }
}

fn load(dir: &Path, id: &oid) -> Result<Option<Vec<u8>>, Error> {
    let path = path(dir, id);
    match std::fs::read(&path) {
        Ok(bytes) if bytes.is_empty() => Err(damaged(dir, id, EMPTY)),
        Ok(bytes) => Ok(Some(bytes)),
        Err(error)
            if matches!(
                error.kind(),
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(Error::io(&path, error)),
    }
}

fn whole(bytes: &[u8], inflater: &mut Inflater) -> Result<Object, Fault> {
    let (kind, size, header) = parse(inflater.prefix(bytes, HEADER)?)?;
    if size > most_inflated(bytes.len()) {
        return Err("a loose object announces an impossible size");
    }
    let size = usize::try_from(size).map_err(|_| "a loose object is too large")?;
    let mut all = vec![0; header + size];
    if inflater.exact(bytes, &mut all)? != bytes.len() {
        return Err("garbage follows a loose object");
    }
    Ok(Object {
        kind,
        data: Arc::from(&all[header..]),
    })
}

fn parse(start: &[u8]) -> Result<(ObjectKind, u64, usize), Fault> {
    const BAD: Fault = "a loose object has a malformed header";
    let end = memchr::memchr(0, start).ok_or(BAD)?;
    let blank = memchr::memchr(b' ', &start[..end]).ok_or(BAD)?;
    let kind = ObjectKind::from_name(&start[..blank]).ok_or(BAD)?;
    let digits = &start[blank + 1..end];
    if digits.is_empty() || (digits.len() > 1 && digits[0] == b'0') {
        return Err(BAD);
    }
    let mut size = 0u64;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return Err(BAD);
        }
        size = size
            .checked_mul(10)
            .and_then(|size| size.checked_add(u64::from(digit - b'0')))
            .ok_or(BAD)?;
    }
    Ok((kind, size, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_parsed() {
        assert_eq!(parse(b"blob 12\0xx"), Ok((ObjectKind::Blob, 12, 8)));
        assert_eq!(parse(b"tree 0\0"), Ok((ObjectKind::Tree, 0, 7)));
        for bad in [
            &b"blob 12"[..],
            b"blob\0",
            b"blob \0",
            b"blob 1x\0",
            b"blob 012\0",
            b"what 1\0",
            b"blob 99999999999999999999999\0",
            b"",
        ] {
            assert!(parse(bad).is_err());
        }
    }

    #[test]
    fn garbage_is_an_error() {
        let mut inflater = Inflater::new();
        for bytes in [
            &b""[..],
            b"x",
            &[0x78, 0x9c],
            &[0x78, 0x9c, 3, 0, 0, 0, 0, 1],
        ] {
            assert!(whole(bytes, &mut inflater).is_err());
        }
    }
}
